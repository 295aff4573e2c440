"""Train and test on different people, or on different units: `crowdlog tasks cv`."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from crowdlog.applications.tasks.find import find_tasks, make_block
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import PersonScore, score_person
from crowdlog.applications.tasks.searches import Searches
from crowdlog.applications.tasks.train import train
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.errors import InputError
from crowdlog.progress import Advance
from crowdlog.types import Bools, Ints

Apart = Literal["user", "unit"]


def cross_validate(
    searches: Searches,
    texts: Any,
    labels: TaskLabels,
    *,
    folds: int = 5,
    by: Apart = "user",
    vectors: WordVectors | None = None,
    seed: int = 0,
    advance: Advance = lambda _n: None,
    **options: Any,
) -> list[PersonScore]:
    """The scores of everybody by models of the other folds.

    `by`: nobody is on both sides, or (unit) no unit of the labels is, but a person may be, as where a model
    has seen other sessions of hers. `options`: learner, bins and link of `train`. η is chosen among the
    training people of each fold.
    """
    labelled = searches.kept[labels.task[searches.kept] >= 0]
    fold = _folds(searches.user if by == "user" else labels.unit, labels.task >= 0, folds, by, seed)
    found = np.arange(len(searches))
    for number in range(folds):
        rest = TaskLabels(np.where(fold == number, -1, labels.task), labels.unit)
        model = train(searches, texts, rest, vectors=vectors, seed=seed, **options)
        rows, units = labels.by_unit(searches, labelled[fold[labelled] == number])
        block = make_block(searches, texts, rows, within="history", vectors=vectors)
        block = replace(block, parts=units)
        found[rows] = rows[find_tasks(block, model)]
        advance(1)
    ends = searches.people(labelled).tolist()
    people = [labelled[a:b] for a, b in pairwise(ends)]
    people.sort(key=lambda rows: fold[rows[0]])  # an interval is drawn from the scores in this order
    return [score_person(labels.task[rows], found[rows], labels.unit[rows]) for rows in people]


def _folds(group: Ints, labelled: Bools, folds: int, by: Apart, seed: int) -> Ints:
    """The fold of each search: all searches of a group are in one."""
    groups = np.unique(group[labelled])
    if folds < 2 or len(groups) < folds:
        what = "people" if by == "user" else "units"
        raise InputError(
            f"{folds} folds need at least 2 folds and as many labelled {what}. The log has {len(groups)}."
        )
    fold_of = np.full(int(group.max()) + 1, -1)
    fold_of[np.random.default_rng(seed).permutation(groups)] = np.arange(len(groups)) % folds
    fold: Ints = fold_of[group]
    return fold
