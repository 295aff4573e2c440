"""Random walks with restart on the query-flow graph, from the queries that hold a term (Feild 2013, §6.3.1).

u ← (1 − c) Aᵀu + c v with v spread evenly over the queries of the term, c = .1. Rows of A without an edge
lose their mass. r_term = r̂(q'|t)/√r̂_uniform(q'), where the second walk starts anywhere.

Walks from a term are found by pushing mass forward along edges until little is left at any query (Andersen,
Chung and Lang 2006): only what the walk reaches is looked at, however large the graph is.
"""

from __future__ import annotations

import heapq
from threading import Lock
from typing import NamedTuple

import numpy as np
from numba import njit

from crowdlog.applications.recommendation.graph import QueryGraph
from crowdlog.types import Floats, Ints

RESTART = 0.1
STEPS = 30  # .9³⁰ = .04 of the mass is still on its way; the order of the first hundred no longer changes
KEPT = 100_000  # scores kept for a term, Feild 2013 §6.4.1
ANSWERED = 1_000  # scores of one query that the server sends: the client takes a missing one for 0
# What may be left at a query: this much, or this share of what one query of the term begins with.
LEFT, LEFT_OF_START = 1e-5, 0.05
MOST_PUSHES = 200_000  # of one term: what bounds the time of an answer
MOST_KEPT = 10_000_000  # scores of all terms together, 160 MB: what bounds the memory of a server


def walk_from(graph: QueryGraph, starts: Ints, steps: int = STEPS) -> Floats:
    """Where the walk is, by whole steps: for a start from everywhere, and to test `pushed` with."""
    v = np.zeros(len(graph.queries))
    v[starts] = 1 / max(1, len(starts))
    u = v
    for _step in range(steps):
        u = (1 - RESTART) * (graph.back @ u) + RESTART * v
    return u


class WalkArrays(NamedTuple):
    """What lies at each query during a walk: nothing before it and nothing behind it."""

    rest: Floats
    mass: Floats


def scratch_of(graph: QueryGraph) -> WalkArrays:
    return WalkArrays(np.zeros(len(graph.queries)), np.zeros(len(graph.queries)))


def pushed(
    graph: QueryGraph, starts: Ints, most: int = MOST_PUSHES, scratch: WalkArrays | None = None
) -> tuple[Ints, Floats]:
    """The queries that mass was pushed from, in no order, and where the walk is, up to what is left."""
    left = min(LEFT, LEFT_OF_START / max(1, len(starts)))
    flow = graph.flow
    found: tuple[Ints, Floats] = _push(
        flow.indptr, flow.indices, flow.data, starts, left, RESTART, most, scratch or scratch_of(graph)
    )
    return found


@njit(cache=True, nogil=True)
def _push(indptr, indices, weight, starts, left, restart, most, scratch):  # type: ignore[no-untyped-def]
    """Waiting queries first in, first out. A query at which never more than `left` lay is not told."""
    rest, mass = scratch
    waiting = np.empty(max(most, len(starts)), np.int64)
    waiting[: len(starts)] = starts
    for q in starts:
        rest[q] = 1.0 / len(starts)
    at, last = 0, len(starts)
    reached = np.empty(len(waiting), np.int64)
    known = 0
    while at < last:
        q = waiting[at]
        at += 1
        moved = rest[q]
        rest[q] = 0.0
        if mass[q] == 0:
            reached[known] = q
            known += 1
        mass[q] += restart * moved
        for edge in range(indptr[q], indptr[q + 1]):
            other = np.int64(indices[edge])
            before = rest[other]
            rest[other] = before + (1 - restart) * moved * weight[edge]
            if before <= left < rest[other] and last < most:
                waiting[last] = other
                last += 1
    value = np.empty(known)
    for i in range(known):
        q = reached[i]
        value[i] = mass[q] + restart * rest[q]  # what is left is counted where it lies
    for i in range(known):
        q = reached[i]
        rest[q] = mass[q] = 0.0
        for edge in range(indptr[q], indptr[q + 1]):
            rest[indices[edge]] = 0.0
    return reached[:known].copy(), value


class TermWalks:
    """Scores of all queries for the terms of a query. Walks are made when a term is first asked for."""

    def __init__(self, graph: QueryGraph, *, most_kept: int = MOST_KEPT) -> None:
        self.graph = graph
        self._uniform = walk_from(graph, np.arange(len(graph.queries)))
        self._walks: dict[str, tuple[Ints, Floats]] = {}
        self._most, self._kept = most_kept, 0
        self._scratch = scratch_of(graph)
        self._lock = Lock()  # of the scratch and of what is kept

    def prepare(self, terms: int) -> None:
        """Make the walks of the terms that most queries hold: they take longest."""
        for term in heapq.nlargest(terms, self.graph.terms, key=lambda term: len(self.graph.terms[term])):
            self.term(term)

    def term(self, term: str) -> tuple[Ints, Floats]:
        """The queries that a term leads to, in no order, and r_term of each."""
        with self._lock:
            walk = self._walks.pop(term) if term in self._walks else self._walk(term)
            self._walks[term] = walk
            while (
                self._kept > self._most and len(self._walks) > 1
            ):  # the one asked for longest ago is forgotten
                self._kept -= len(self._walks.pop(next(iter(self._walks)))[0])
        return walk

    def _walk(self, term: str) -> tuple[Ints, Floats]:
        starts = self.graph.terms.get(term)
        if starts is None:
            return np.zeros(0, np.int64), np.zeros(0)
        reached, mass = pushed(self.graph, starts, scratch=self._scratch)
        scores = mass / np.sqrt(self._uniform[reached])
        if len(reached) > KEPT:
            best = np.argpartition(-scores, KEPT)[:KEPT]
            reached, scores = reached[best], scores[best]
        self._kept += len(reached)
        return reached, scores

    def query(self, query: str, top: int = ANSWERED) -> list[tuple[str, float]]:
        """r_query: the geometric mean over the terms that the graph knows, made to sum to 1, best first.

        The mean instead of the product: queries of different lengths are added up later. A query that one of
        the known terms does not lead to has no score.
        """
        known = [term for term in dict.fromkeys(query.split()) if term in self.graph.terms]
        if not known:
            return []
        numbers, scores = self._shared(known)
        if not len(numbers):
            return []
        scores /= scores.sum()
        best = best_of(numbers, scores, top)
        return [(self.graph.queries[numbers[i]], float(scores[i])) for i in best]

    def _shared(self, terms: list[str]) -> tuple[Ints, Floats]:
        """The queries that every one of these terms leads to, and the geometric means of their scores."""
        if len(terms) == 1:
            numbers, scores = self.term(terms[0])
            return numbers, scores.copy()
        logs, times = np.zeros(len(self.graph.queries)), np.zeros(len(self.graph.queries), np.uint16)
        fewest = min((self.term(term)[0] for term in terms), key=len)
        for term in terms:
            _add_logs(logs, times, *self.term(term))
        shared: Ints = fewest[times[fewest] == len(terms)]
        return shared, np.exp(logs[shared] / len(terms))


@njit(cache=True, nogil=True)
def _add_logs(logs, times, numbers, scores):  # type: ignore[no-untyped-def]
    for i in range(len(numbers)):
        times[numbers[i]] += 1
        logs[numbers[i]] += np.log(scores[i])


def best_of(numbers: Ints, scores: Floats, top: int) -> Ints:
    """The places of the best scores, best first; of equal ones that of the smaller number."""
    chosen = np.arange(len(scores))
    if len(scores) > top:
        chosen = np.flatnonzero(scores >= np.partition(scores, len(scores) - top)[len(scores) - top])
    order = np.lexsort((numbers[chosen], -scores[chosen]))[:top]
    found: Ints = chosen[order]
    return found
