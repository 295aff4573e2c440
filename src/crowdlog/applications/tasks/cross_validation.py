"""Train and test on different people: `crowdlog tasks cv`."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.applications.tasks.find import find_tasks, make_block
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import PersonScore
from crowdlog.applications.tasks.searches import Searches
from crowdlog.applications.tasks.train import score_block, train
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.errors import InputError
from crowdlog.progress import Advance


def cross_validate(
    searches: Searches,
    texts: Any,
    labels: TaskLabels,
    *,
    folds: int = 5,
    vectors: WordVectors | None = None,
    seed: int = 0,
    advance: Advance = lambda _n: None,
    **options: Any,
) -> list[PersonScore]:
    """The scores of everybody by a model of the other folds; nobody is on both sides.

    `options`: learner, bins and link of `train`. η is chosen among the training people of each fold.
    """
    people = np.unique(searches.user[labels.task >= 0])
    if folds < 2 or len(people) < folds:
        raise InputError(
            f"{folds} folds need at least 2 folds and as many labelled people. The log has {len(people)}."
        )
    fold_of = np.full(int(searches.user.max()) + 1, -1)
    fold_of[np.random.default_rng(seed).permutation(people)] = np.arange(len(people)) % folds
    fold = fold_of[searches.user]
    scores: list[PersonScore] = []
    for number in range(folds):
        rest = TaskLabels(np.where(fold == number, -1, labels.task), labels.unit)
        model = train(searches, texts, rest, vectors=vectors, seed=seed, **options)
        rows = searches.kept
        rows = rows[(fold[rows] == number) & (labels.task[rows] >= 0)]
        block = make_block(searches, texts, rows, within="history", vectors=vectors)
        scores += score_block(block, find_tasks(block, model), labels)
        advance(1)
    return scores
