"""Find the tasks in everybody's searches, person by person, some people at a time on every core."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from crowdlog.applications.tasks.bins import cell
from crowdlog.applications.tasks.clustering import average_link, single_link
from crowdlog.applications.tasks.model import QUIET_BETWEEN, QUIET_SECONDS, TaskModel
from crowdlog.applications.tasks.pair_features import (
    BETWEEN,
    EDIT,
    SECONDS,
    SEMANTIC,
    TRIGRAM,
    PeopleSearches,
    rest_of_features,
    text_evidence,
)
from crowdlog.applications.tasks.searches import LONGEST_HISTORY, Searches
from crowdlog.applications.tasks.texts import encode_texts
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.applications.trees import score_one
from crowdlog.progress import Advance
from crowdlog.types import Floats, Ints

_SEARCHES_AT_ONCE = 200_000
_TREES, _BINNED, _LUCCHESE = range(3)


@dataclass(frozen=True, repr=False)
class SearchBlock:
    """Some whole people: rows of a `Searches`, where each part begins that is clustered on its own, and the
    kernels' view of them.
    """

    rows: Ints
    parts: Ints
    people: PeopleSearches

    def __repr__(self) -> str:
        return f"SearchBlock({len(self.rows)} searches in {len(self.parts) - 1} parts)"


def blocks(
    searches: Searches, texts: Any, *, within: str, vectors: WordVectors | None
) -> Iterator[SearchBlock]:
    """All searches that repeat none, in blocks of whole people."""
    rows = searches.kept
    bounds = searches.people(rows)
    low = 0
    while low < len(bounds) - 1:
        high = low + 1
        while high < len(bounds) - 1 and bounds[high + 1] - bounds[low] <= _SEARCHES_AT_ONCE:
            high += 1
        mine = rows[bounds[low] : bounds[high]]
        yield make_block(searches, texts, mine, within=within, vectors=vectors)
        low = high


def make_block(
    searches: Searches, texts: Any, rows: Ints, *, within: str, vectors: WordVectors | None
) -> SearchBlock:
    """These rows, which hold whole people."""
    distinct, text = np.unique(searches.query[rows], return_inverse=True)
    strings = texts.take(distinct).to_pylist()
    lengths = searches.site_at[rows + 1] - searches.site_at[rows]
    site_at = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(searches.site_at[rows] - site_at[:-1], lengths) + np.arange(site_at[-1])
    averages = vectors.of_texts(strings) if vectors is not None else np.zeros((0, 1))
    people = PeopleSearches(
        text.astype(np.int64),
        searches.time[rows].astype(np.int64),
        site_at,
        searches.site[places],
        encode_texts(strings),
        averages,
    )
    return SearchBlock(rows, _parts(searches, rows, within), people)


def _parts(searches: Searches, rows: Ints, within: str) -> Ints:
    """Where each history or session begins; very long ones are cut."""
    owner = searches.session if within == "session" else searches.user
    starts = np.append(np.flatnonzero(np.diff(owner[rows], prepend=-1)), len(rows))
    pieces = [np.arange(a, b, LONGEST_HISTORY) for a, b in pairwise(starts.tolist())]
    return np.append(np.concatenate(pieces), len(rows)).astype(np.int64)


def scorer(model: TaskModel) -> tuple[Any, ...]:
    """A model as the kernels take it."""
    kind = _LUCCHESE if model.learner == "lucchese" else _TREES if model.bins == "none" else _BINNED
    return (
        kind,
        model.trees.arrays(),
        model.trees.logistic,
        model.quiet,
        np.array(QUIET_SECONDS),
        np.array(QUIET_BETWEEN),
        model.table(),
        model.bins == "bin1",
        model.alpha,
    )


@njit(cache=True, nogil=True)
def pair_score(people, scorer, i, j, vector):  # type: ignore[no-untyped-def]
    """The score of two searches."""
    kind, trees, logistic, quiet, seconds, between, table, fine, alpha = scorer
    evidence = text_evidence(people, i, j, vector)
    if kind == 0 and not evidence:
        row = np.searchsorted(seconds, vector[SECONDS], side="right")
        return quiet[row, np.searchsorted(between, vector[BETWEEN], side="right")]
    rest_of_features(people, i, j, vector)
    if kind == 1:
        return table[cell(vector, fine)]
    if kind == 2:
        return alpha * (vector[TRIGRAM] + vector[EDIT]) / 2 + (1 - alpha) * vector[SEMANTIC]
    raw = score_one(trees, vector)
    return 1 / (1 + np.exp(-raw)) if logistic else raw


@njit(cache=True, nogil=True)
def score_matrix(people, scorer, begin, end):  # type: ignore[no-untyped-def]
    """The scores of all pairs of the searches begin … end − 1."""
    n = end - begin
    scores = np.zeros((n, n), np.float32)
    vector = np.zeros(11)
    for i in range(n):
        for j in range(i):
            scores[i, j] = scores[j, i] = pair_score(people, scorer, begin + j, begin + i, vector)
    return scores


@njit(cache=True, nogil=True)
def _find_at(people, scorer, parts, etas, average):  # type: ignore[no-untyped-def]
    """The same at several thresholds; pairs are scored once."""
    out = np.empty((len(etas), parts[-1]), np.int64)
    for part in range(len(parts) - 1):
        begin, end = parts[part], parts[part + 1]
        scores = score_matrix(people, scorer, begin, end)
        known = np.full(end - begin, -1)
        for k in range(len(etas)):
            found = (
                average_link(scores.copy(), known, etas[k])
                if average
                else single_link(scores, known, etas[k])
            )
            out[k, begin:end] = begin + found
    return out


def find_at_thresholds(block: SearchBlock, model: TaskModel, etas: Floats) -> Ints:
    """`find_tasks` at each threshold, one row each."""
    found: Ints = _find_at(block.people, scorer(model), block.parts, etas, model.link == "average")
    return found


def find_tasks(block: SearchBlock, model: TaskModel) -> Ints:
    """For each search of a block the number (within the block) of the first search of its task."""
    found: Ints = find_at_thresholds(block, model, np.array([model.eta]))[0]
    return found


def find_all(
    searches: Searches,
    texts: Any,
    model: TaskModel,
    *,
    within: str = "history",
    vectors: WordVectors | None = None,
    advance: Advance = lambda _n: None,
) -> Ints:
    """For each search, repeats too, the number of the first search of its task."""
    task = np.arange(len(searches))
    workers = max(1, os.cpu_count() or 1)

    def one(block: SearchBlock) -> tuple[SearchBlock, Ints]:
        return block, find_tasks(block, model)

    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Any] = []
        for block in blocks(searches, texts, within=within, vectors=vectors):
            waiting.append(pool.submit(one, block))
            if len(waiting) > workers:  # no more blocks are encoded than are worked on
                _take(waiting.pop(0).result(), task, advance)
        for future in waiting:
            _take(future.result(), task, advance)
    repeated: Ints = task[searches.first]
    return repeated


def _take(done: tuple[SearchBlock, Ints], task: Ints, advance: Advance) -> None:
    block, found = done
    task[block.rows] = block.rows[found]
    advance(len(block.rows))


def numbered(searches: Searches, task: Ints) -> Ints:
    """Task numbers 0, 1, … of each person, in the order in which her tasks begin."""
    begins = task == np.arange(len(task))
    order = np.cumsum(begins) - 1
    person = np.flatnonzero(np.diff(searches.user, prepend=-1))
    before = np.repeat(order[person], np.diff(np.append(person, len(task))))
    numbers: Ints = order[task] - before
    return numbers
