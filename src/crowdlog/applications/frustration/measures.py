"""Macro F₀.₅: of the mean precision and the mean recall over people, not the mean of each one's F."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.applications.input_text import input_text
from crowdlog.errors import InputError
from crowdlog.measure.intervals import RESAMPLES
from crowdlog.types import Bools, Ints

BETA = 0.5
FOUND = ("user", "search", "chance", "frustrated", "label")  # the columns of what was found


def precision_recall(predicted: Bools, true: Bools) -> tuple[float, float]:
    """Of one person. Precision is 1 if nothing is predicted, recall 1 if nothing is true."""
    right = int((predicted & true).sum())
    precision = right / int(predicted.sum()) if predicted.any() else 1.0
    recall = right / int(true.sum()) if true.any() else 1.0
    return precision, recall


def f_beta(precision: Any, recall: Any, beta: float = BETA) -> Any:
    below = beta**2 * precision + recall
    return np.where(below > 0, (1 + beta**2) * precision * recall / np.where(below > 0, below, 1), 0.0)


def read_found(path: str) -> tuple[Ints, Bools, Bools]:
    """Person, what was found and what is true of each labelled search in what `frustration find` wrote."""
    header, *lines = input_text(path, "file").replace("\r\n", "\n").split("\n")
    names = header.split("\t")
    if not set(FOUND) <= set(names):
        raise InputError(f"The file {path} cannot be used: its first line must name {', '.join(FOUND)}.")
    at = [names.index(name) for name in ("user", "frustrated", "label")]
    rows = []
    for number, line in enumerate(lines, 2):
        cells = line.split("\t")
        user, said, label = (cells[place] if place < len(cells) else "?" for place in at)
        if line and (said not in ("0", "1") or label not in ("", "0", "1")):
            raise InputError(
                f"The file {path} cannot be used: line {number} does not say 0 or 1 in the columns "
                "frustrated and label."
            )
        if line and label:
            rows.append((user, said == "1", label == "1"))
    if not rows:
        raise InputError(f"The file {path} holds no labelled search: there is nothing to score.")
    people, predicted, true = (np.array(column) for column in zip(*rows, strict=True))
    return np.unique(people, return_inverse=True)[1], predicted, true


def macro_f(user: Ints, predicted: Bools, true: Bools, seed: int = 0) -> dict[str, Any]:
    """F of the means, with a 95 % interval over people."""
    each = np.array([precision_recall(predicted[user == one], true[user == one]) for one in np.unique(user)])
    precision, recall = each.mean(axis=0)
    drawn = np.random.default_rng(seed).integers(0, len(each), (RESAMPLES, len(each)))
    means = each[drawn].mean(axis=1)
    low, high = np.quantile(f_beta(means[:, 0], means[:, 1]), [0.025, 0.975])
    return {
        "people": len(each),
        "searches": len(user),
        "f0.5": {"value": float(f_beta(precision, recall)), "interval": [float(low), float(high)]},
        "precision": float(precision),
        "recall": float(recall),
    }
