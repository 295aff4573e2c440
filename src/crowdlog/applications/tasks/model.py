"""A task model: the chance that two searches serve one task. One JSON file that a browser reads."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import BINS, domain
from crowdlog.applications.tasks.pair_features import (
    BETWEEN,
    FEATURES,
    LOUD,
    SECONDS,
    SEMANTIC,
    SITES,
    TRIGRAM,
)
from crowdlog.applications.trees import Trees
from crowdlog.errors import InputError
from crowdlog.files.private import write_for_owner
from crowdlog.files.whole import write_whole
from crowdlog.json_safe import strict_json
from crowdlog.types import Bools, Floats

FORMAT = "crowdlog-task-model"
VERSION = 2  # 1: a single common trigram was enough for a pair to be told by its words
DEFAULT = "default"
LEARNERS = ("boost", "forest", "lucchese")
LINKS = ("average", "single")
TEXTS = ("stems", "vectors")
# Bounds between the cells of the table of quiet pairs: seconds and searches between.
QUIET_SECONDS = (60, 300, 1560, 7200, 86_400, 604_800)
QUIET_BETWEEN = (1, 3, 10)
_FIELDS = ("learner", "bins", "eta", "link", "eta_session", "text", "alpha")
_NO_INTS = np.zeros(0, np.int64)
_NO_TREES = Trees(_NO_INTS, np.zeros(0), _NO_INTS, _NO_INTS, np.zeros(0), _NO_INTS, base=0.0, logistic=True)


@dataclass(frozen=True)
class TaskModel:
    """What scores pairs, and how to cluster by it.

    `trees` score pairs that have anything in common; `quiet` is a table (seconds × between) for those that
    have not. With bins, `trees` score binned vectors and there is no such table. Lucchese's score is
    α · mean(trigrams, edit) + (1 − α) · semantic. `label`: that of the release it was made from, if any.
    """

    learner: str
    bins: str
    eta: float
    link: str
    eta_session: float | None = None  # where sessions are clustered on their own; `eta` if None
    text: str = "stems"
    alpha: float = 0.5
    trees: Trees = _NO_TREES
    quiet: Floats = field(default_factory=lambda: np.zeros((len(QUIET_SECONDS) + 1, len(QUIET_BETWEEN) + 1)))
    label: dict[str, Any] | None = None
    trained_on: str = ""

    def __repr__(self) -> str:
        return f"TaskModel({self.learner}, bins={self.bins}, {self.link} link, η={self.eta:g})"

    def scores(self, vectors: Floats) -> Floats:
        """The score of each feature vector."""
        if self.learner == "lucchese":
            lexical = (vectors[:, TRIGRAM] + vectors[:, 2]) / 2
            found: Floats = self.alpha * lexical + (1 - self.alpha) * vectors[:, SEMANTIC]
            return found
        if self.bins != "none":
            from crowdlog.applications.tasks.bins import cells

            table: Floats = self.table()[cells(vectors, self.bins)]
            return table
        rows = np.searchsorted(QUIET_SECONDS, vectors[:, SECONDS], side="right")
        columns = np.searchsorted(QUIET_BETWEEN, vectors[:, BETWEEN], side="right")
        return np.where(is_quiet(vectors), self.quiet[rows, columns], self.trees.scores(vectors))

    def table(self) -> Floats:
        """Of a binned model: the score of every vector of the closed domain."""
        if self.bins == "none" or self.learner == "lucchese":
            return np.zeros(1)
        return self.trees.scores(domain(self.bins))

    def save(self, path: str | Path) -> None:
        """For the owner alone, unless it was made from a release."""
        text = json.dumps(self.as_json(), separators=(",", ":"), ensure_ascii=False) + "\n"
        (write_for_owner if self.label is None else write_whole)(Path(path), text)

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "features": list(FEATURES),
            **{name: getattr(self, name) for name in _FIELDS},
            "trees": self.trees.as_json(),
            "quiet_seconds": list(QUIET_SECONDS),
            "quiet_between": list(QUIET_BETWEEN),
            "quiet": [[float(f"{x:.9g}") for x in row] for row in self.quiet],
            "trained_on": self.trained_on,
            "label": self.label,
        }


def is_quiet(vectors: Floats) -> Bools:
    """Pairs that share hardly a trigram, no clicked site and no meaning."""
    found: Bools = (vectors[:, TRIGRAM] < LOUD) & (vectors[:, SITES] <= 0) & (vectors[:, SEMANTIC] == 0)
    return found


def load_model(name: str | Path) -> TaskModel:
    """The shipped model (`default`) or that of a file."""
    if str(name) == DEFAULT:
        text = files("crowdlog.applications.tasks").joinpath("default.json").read_text(encoding="utf-8")
    else:
        text = _read(Path(name))
    try:
        data = strict_json(text)
        known = data["format"] == FORMAT
        version = data["version"]
    except (ValueError, KeyError, TypeError):
        known, version = False, None
    if not known:
        raise InputError(f"{name} is not a task model. Make one with: crowdlog tasks train")
    if version != VERSION or data.get("features") != list(FEATURES):
        raise InputError(
            f"The task model {name} is of version {version}, this crowdlog reads version {VERSION}. "
            "Train it again."
        )
    return _of_json(data, str(name))


def _of_json(data: dict[str, Any], name: str) -> TaskModel:
    try:
        model = TaskModel(
            **{key: data[key] for key in _FIELDS},
            trees=Trees.of_json(data["trees"]),
            quiet=np.array(data["quiet"], np.float64),
            label=data["label"],
            trained_on=data["trained_on"],
        )
        good = _is_sound(model, data)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        good = False
    if not good:
        raise InputError(f"The task model {name} is damaged. Train it again.")
    return model


def _is_sound(model: TaskModel, data: dict[str, Any]) -> bool:
    """Whether a model that a file gives can be asked for scores; the kernels do not look."""
    shares = [model.eta, model.alpha, *([] if model.eta_session is None else [model.eta_session])]
    named = (model.learner, LEARNERS), (model.bins, BINS), (model.link, LINKS), (model.text, TEXTS)
    bounds = (data["quiet_seconds"], data["quiet_between"])
    features = len(FEATURES) if model.bins == "none" else domain(model.bins).shape[1]
    return (
        all(value in names for value, names in named)
        and all(type(share) in (int, float) and 0 <= share <= 1 for share in shares)
        and bounds == (list(QUIET_SECONDS), list(QUIET_BETWEEN))
        and model.quiet.shape == (len(QUIET_SECONDS) + 1, len(QUIET_BETWEEN) + 1)
        and bool(np.isfinite(model.quiet).all())
        and isinstance(model.trained_on, str)
        and (model.label is None or isinstance(model.label, dict))
        and model.trees.fit(features)
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"The task model {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a task model: it is not UTF-8 text.") from None


def with_clustering(
    model: TaskModel, link: str | None, eta: float | None, within: str = "history"
) -> TaskModel:
    """The same scores with another link or threshold; within sessions with the threshold for them."""
    usual = model.eta_session if within == "session" and model.eta_session is not None else model.eta
    return replace(model, link=link or model.link, eta=usual if eta is None else eta)
