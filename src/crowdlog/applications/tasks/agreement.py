"""How far annotators agree: Fleiss' κ (1971) over pairs of searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
    owner = _numbered([search[:2] for search in common])
    views = [_numbered([one[search] for search in common]) for one in judged]
    return {"annotators": len(files), **kappas(pair_votes(views, owner))}


def pair_votes(views: Sequence[Ints], owner: Ints) -> Ints:
    """For each pair of searches of one owner: how many views join it, and how many do not."""
    votes = []
    for one in np.unique(owner):
        mine = np.flatnonzero(owner == one)
        first, second = (mine[half] for half in np.triu_indices(len(mine), 1))
        same = sum((view[first] == view[second]).astype(np.int64) for view in views)
        votes.append(np.column_stack([same, len(views) - same]))
    if not sum(map(len, votes)):
        raise InputError("The task files have no two searches of a person and unit in common.")
    return np.concatenate(votes)


def kappas(votes: Ints) -> dict[str, float | int | None]:
    """κ over all pairs, and over those that somebody joined."""
    disputed = votes[votes[:, 0] > 0]
    return {
        "pairs": len(votes),
        "kappa": fleiss_kappa(votes),
        "pairs_with_a_same_vote": len(disputed),
        "kappa_with_a_same_vote": fleiss_kappa(disputed) if len(disputed) else None,
    }


def _numbered(names: Sequence[Any]) -> Ints:
    number = {name: at for at, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names], np.int64)


Search = tuple[str, str, int, str]  # user, unit, time, query


def _labels(file: TaskFile) -> dict[Search, str]:
    columns = (file.user.to_pylist(), file.unit.to_pylist(), file.time.tolist(), file.query.to_pylist())
    rows = zip(zip(*columns, strict=True), file.task.to_pylist(), strict=True)
    return {search: task for search, task in rows if task}
