"""Logistic regression of frustration, from counts of binary vectors or from a person's own searches."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.frame import Sheet, join_scores
from crowdlog.applications.frustration.study import FEATURES, FrustrationStudy
from crowdlog.applications.frustration.vectors import DOMAIN, binarised, counts_of_table
from crowdlog.errors import InputError
from crowdlog.files.private import write_for_owner
from crowdlog.files.whole import write_whole
from crowdlog.json_safe import strict_json
from crowdlog.release.folder import Release
from crowdlog.types import Bools, Floats

FORMAT, VERSION = "crowdlog-frustration-model", 1
RIDGE = 1.0  # of the coefficients, not of the constant: a few searches of one person decide nothing wildly
TRAIN_TASKS = (
    4  # of a person's tasks in time, for her own model; the later ones are tested (Feild 2013, §7.5)
)

SHEET = Sheet(
    artifacts="five binary features of a search and whether it was frustrating: 64 artifacts",
    global_preprocessing="logistic regression on the released counts",
    local_preprocessing="logistic regression on the person's own labelled searches, not binarised",
    input="a finished search",
    request="nothing: the model is downloaded whole",
    server_processing="none",
    response="six coefficients",
    integration="the product of both models' chances, frustrated from .5 on: both must be high",
    output="whether the searcher is frustrated",
)


@dataclass(frozen=True)
class FrustrationModel:
    """A constant and a coefficient for each feature; `label` is that of the release it was made from."""

    coefficients: Floats
    label: dict[str, Any] | None = field(default=None, repr=False)

    def chances(self, vectors: Any) -> Floats:
        """The chance of frustration for each vector."""
        raw = self.coefficients[0] + np.asarray(vectors, np.float64) @ self.coefficients[1:]
        chances: Floats = 1 / (1 + np.exp(-raw))
        return chances

    def save(self, path: str | Path) -> None:
        """For the owner alone, unless it was made from a release."""
        data = {
            "format": FORMAT,
            "version": VERSION,
            "features": list(FEATURES),
            "coefficients": self.coefficients.tolist(),
            "label": self.label,
        }
        text = json.dumps(data, ensure_ascii=False) + "\n"
        (write_for_owner if self.label is None else write_whole)(Path(path), text)


def load_model(path: str | Path) -> FrustrationModel:
    """Read a model, or say clearly why that is none."""
    try:
        data = strict_json(Path(path).read_text(encoding="utf-8"))
        known = data["format"] == FORMAT
    except OSError as error:
        raise InputError(f"The model {path} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise InputError(f"{path} is not a frustration model. Make one with: crowdlog frustration train")
    if (version := data.get("version")) != VERSION:
        raise InputError(f"The model {path} is of version {version}, this crowdlog reads version {VERSION}.")
    coefficients, label = data.get("coefficients"), data.get("label")
    numbers = coefficients if isinstance(coefficients, list) else []
    if (
        data.get("features") != list(FEATURES)
        or len(numbers) != 1 + len(FEATURES)
        or not all(type(number) in (int, float) and abs(number) < 1e100 for number in numbers)
        or not (label is None or isinstance(label, dict))
    ):
        raise InputError(f"The frustration model {path} is damaged. Train it again.")
    return FrustrationModel(np.array(numbers, np.float64), label)


def fit(vectors: Any, labels: Any, weights: Any, ridge: float = RIDGE) -> FrustrationModel:
    """Newton's method on the logistic loss with a ridge."""
    x = np.column_stack([np.ones(len(labels)), np.asarray(vectors, np.float64)])
    penalty = np.full(x.shape[1], ridge)
    penalty[0] = 1e-3  # where there is one label only the constant stays finite
    beta = np.zeros(x.shape[1])
    for _step in range(100):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        gradient = x.T @ (weights * (labels - p)) - penalty * beta
        curvature = (x * (weights * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step / max(1.0, float(np.abs(step).max()) / 5)
        if np.abs(step).max() < 1e-9:
            break
    return FrustrationModel(beta)


def model_of_counts(counts: Floats) -> FrustrationModel:
    """From published counts (label × vector); negative ones are noise and count as none."""
    weights = np.maximum(counts, 0).ravel()
    if weights.sum() <= 0:
        raise InputError("The counts hold nothing: no model can be made of them.")
    vectors = np.concatenate([DOMAIN, DOMAIN])
    return fit(vectors, np.repeat([0.0, 1.0], len(DOMAIN)), weights)


def train_from_release(path: str | Path) -> FrustrationModel:
    """From a release of vectors alone; the model carries its label."""
    release = Release.open(path)
    release.check()
    table = release.table("queries")
    if table is None or not table.num_rows:
        raise InputError(f"The release {path} publishes no vectors: no model can be made of it.")
    model = model_of_counts(counts_of_table(table, f"The release {path}"))
    return FrustrationModel(model.coefficients, release.stored())


def chances(study: FrustrationStudy, model: FrustrationModel, merge: str, train: Bools) -> Floats:
    """The chance of frustration of every search. `train`: searches whose label her own model sees."""
    crowd = model.chances(binarised(study.features, study.user))
    if merge == "global":
        return crowd
    own = crowd.copy()
    for person in range(len(study.names)):
        mine = study.user == person
        seen = mine & train & (study.label >= 0)
        if seen.any():
            own[mine] = _own_chances(study, mine, seen)
    if merge == "local":
        return own
    found: Floats = join_scores(merge, own, crowd)
    return found


def _own_chances(study: FrustrationStudy, mine: Bools, seen: Bools) -> Floats:
    """On values in units of her own spread, which labels have no part in."""
    centre = study.features[mine].mean(axis=0)
    spread = study.features[mine].std(axis=0)
    scaled = (study.features - centre) / np.where(spread > 0, spread, 1)
    own = fit(scaled[seen], study.label[seen].astype(np.float64), np.ones(int(seen.sum())))
    return own.chances(scaled[mine])
