"""How far annotators agree: Fleiss' κ (1971) over pairs of searches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from crowdlog.applications.tasks.task_file import TaskFile
from crowdlog.errors import InputError
from crowdlog.types import Floats, Ints


def fleiss_kappa(votes: Ints) -> float:
    """κ of a table with a row for each thing and a column for each category: how many chose it.

    Every row has the same sum. 1 where all agree, also if all things are of one category.
    """
    counts: Floats = np.asarray(votes, np.float64)
    raters = counts.sum(axis=1)
    if len(counts) == 0 or raters[0] < 2 or (raters != raters[0]).any():
        raise InputError("Fleiss' κ needs at least one thing, judged by the same two or more annotators.")
    n = raters[0]
    agreed = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    by_chance = float(((counts.sum(axis=0) / counts.sum()) ** 2).sum())
    return 1.0 if by_chance >= 1 else (float(agreed.mean()) - by_chance) / (1 - by_chance)


def agreement(files: Sequence[TaskFile]) -> dict[str, float | int | None]:
    """κ over all pairs of searches that every annotator labelled, and over those that somebody joined."""
    if len(files) < 2:
        raise InputError("Agreement needs at least two task files.")
    judged = [_labels(file) for file in files]
    common = sorted(set.intersection(*(set(one) for one in judged)))
    votes = []
    for a, b in _pairs(common):
        same = sum(one[a] == one[b] for one in judged)
        votes.append((same, len(judged) - same))
    if not votes:
        raise InputError("The task files have no two searches of a person and unit in common.")
    table = np.array(votes)
    disputed = table[table[:, 0] > 0]
    return {
        "annotators": len(files),
        "pairs": len(table),
        "kappa": fleiss_kappa(table),
        "pairs_with_a_same_vote": len(disputed),
        "kappa_with_a_same_vote": fleiss_kappa(disputed) if len(disputed) else None,
    }


Search = tuple[str, str, int, str]  # user, unit, time, query


def _labels(file: TaskFile) -> dict[Search, str]:
    columns = (file.user.to_pylist(), file.unit.to_pylist(), file.time.tolist(), file.query.to_pylist())
    rows = zip(zip(*columns, strict=True), file.task.to_pylist(), strict=True)
    return {search: task for search, task in rows if task}


def _pairs(searches: list[Search]) -> list[tuple[Search, Search]]:
    units: dict[tuple[str, str], list[Search]] = {}
    for search in searches:
        units.setdefault(search[:2], []).append(search)
    return [pair for unit in units.values() for pair in combinations(unit, 2)]
