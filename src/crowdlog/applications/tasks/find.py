"""Find the tasks in everybody's searches, person by person, some people at a time on every core."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from crowdlog.applications.tasks.clustering import average_link, single_link
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.pair_features import PeopleSearches
from crowdlog.applications.tasks.pair_scores import score_matrix, scorer
from crowdlog.applications.tasks.searches import LONGEST_HISTORY, Searches
from crowdlog.applications.tasks.texts import encode_texts
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.types import Floats, Ints

_SEARCHES_AT_ONCE = 50_000  # some 30 MB of encoded texts


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


@dataclass(frozen=True, repr=False)
class FoundTasks:
    """Searches of some people, and for each the number of the first search of its task."""

    searches: Searches
    task: Ints

    def __repr__(self) -> str:
        return f"FoundTasks({len(self.task)} searches)"


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
    searches: Searches, texts: Any, model: TaskModel, within: str, vectors: WordVectors | None
) -> FoundTasks:
    """The task of each search, repeats too."""
    task = np.arange(len(searches))
    for block in blocks(searches, texts, within=within, vectors=vectors):
        task[block.rows] = block.rows[find_tasks(block, model)]
    return FoundTasks(searches, task[searches.first])


def find_in_parts(
    parts: Iterable[Searches], texts: Any, model: TaskModel, within: str, vectors: WordVectors | None
) -> Iterator[FoundTasks]:
    """The same for some people after others, in their order, on every core; few are held at once."""
    workers = max(1, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[FoundTasks]] = deque()
        for searches in parts:
            waiting.append(pool.submit(find_all, searches, texts, model, within, vectors))
            if len(waiting) > workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def numbered(searches: Searches, task: Ints) -> Ints:
    """Task numbers 0, 1, … of each person, in the order in which her tasks begin."""
    begins = task == np.arange(len(task))
    order = np.cumsum(begins) - 1
    person = np.flatnonzero(np.diff(searches.user, prepend=-1))
    before = np.repeat(order[person], np.diff(np.append(person, len(task))))
    numbers: Ints = order[task] - before
    return numbers
