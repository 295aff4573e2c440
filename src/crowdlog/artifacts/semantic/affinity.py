"""All pairs of vectors with cosine ≥ Θ, exactly, as a stream: prefix, mass and position filters over an
inverted index of the rarest concepts.

With overlap(x, y) the mass of the shared concepts, x and y are affine when
overlap ≥ Θ·√(mass x · mass y). Hence (proofs/semantic.md):
- mass filter: the smaller mass is at least Θ² times the larger;
- prefix filter: going from the rarest concept on, the smaller vector is indexed until less than Θ of its
  mass remains, the larger one looks concepts up until less than Θ² of its mass remains; affine vectors meet
  in at least one of these;
- position filter: where they meet first, the mass from there on must suffice in both.
Filters use floats with a margin on the safe side; what passes is decided in integers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.artifacts.semantic.theta import Theta, is_affine
from crowdlog.artifacts.semantic.vectors import Ints, Longs, Vectors
from crowdlog.progress import Advance

_SAFE = 1 - 1e-9  # float bounds are loosened by this; their rounding error is below 1e-14
_TASK = 1 << 26  # postings looked at per task: about a second
_ROOM = 1 << 22  # neighbours a task holds before it hands them on: 16 MB


@dataclass(frozen=True, repr=False)
class Index:
    """Postings of every concept, by ascending vector: the vector, where the concept stands in it, its mass
    from there on.
    """

    start: Longs
    vector: Ints
    place: Ints
    rest: Longs


@dataclass(frozen=True, repr=False)
class Block:
    """Affine vectors of `first`, `first + 1`, …: `count` of each, one after the other in `neighbours`."""

    first: int
    count: Ints
    neighbours: Ints


@njit(cache=True)
def key_lengths(start: Longs, item: Ints, mass: Longs, total: Longs, share: float) -> Ints:
    """How many of the rarest concepts to take until surely less than `share` of the mass remains."""
    keys = np.zeros(len(total), np.int32)
    for v in range(len(total)):
        rest, bar = total[v], share * _SAFE * total[v]
        for i in range(start[v], start[v + 1]):
            rest -= mass[item[i]]
            keys[v] += 1
            if rest < bar:
                break
    return keys


@njit(cache=True)
def _fill_index(
    start: Longs, item: Ints, mass: Longs, total: Longs, keys: Ints
) -> tuple[Longs, Ints, Ints, Longs]:
    first = np.zeros(len(mass) + 1, np.int64)
    for v in range(len(total)):
        for i in range(start[v], start[v] + keys[v]):
            first[item[i] + 1] += 1
    for c in range(len(mass)):
        first[c + 1] += first[c]
    at = first[:-1].copy()
    vector, place, rest = (
        np.empty(first[-1], np.int32),
        np.empty(first[-1], np.int32),
        np.empty(first[-1], np.int64),
    )
    for v in range(len(total)):
        left = total[v]
        for i in range(start[v], start[v] + keys[v]):
            p = at[item[i]]
            at[item[i]] += 1
            vector[p], place[p], rest[p] = v, i, left
            left -= mass[item[i]]
    return first, vector, place, rest


def build_index(vectors: Vectors, share: float) -> Index:
    """Index the rarest concepts of every vector until less than `share` of its mass remains."""
    parts = (vectors.start, vectors.item, vectors.mass, vectors.total)
    return Index(*_fill_index(*parts, key_lengths(*parts, share)))


@njit(cache=True, inline="always")
def _position(vector: Ints, begin: int, end: int, bar: int) -> int:
    """The first posting of begin … end whose vector is at least bar."""
    while begin < end:
        middle = (begin + end) >> 1
        if vector[middle] < bar:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True)
def _work(start: Longs, item: Ints, keys: Ints, low: Longs, first: Longs, vector: Ints) -> Longs:
    """How many postings each vector has to look at."""
    work = np.zeros(len(keys), np.int64)
    for x in range(len(keys)):
        for i in range(start[x], start[x] + keys[x]):
            begin = _position(vector, first[item[i]], first[item[i] + 1], low[x])
            work[x] += _position(vector, begin, first[item[i] + 1], x) - begin
    return work


@njit(cache=True, nogil=True)
def shared_mass(
    item: Ints, mass: Longs, a: int, a_end: int, a_rest: int, b: int, b_end: int, b_rest: int, need: float
) -> int:
    """Mass of the concepts in both item[a:a_end] and item[b:b_end], or anything below `need` once it cannot
    be reached.
    """
    overlap = 0
    while a < a_end and b < b_end:
        if item[a] == item[b]:
            m = mass[item[a]]
            overlap += m
            a_rest -= m
            b_rest -= m
            a += 1
            b += 1
        elif item[a] < item[b]:
            a_rest -= mass[item[a]]
            a += 1
            if overlap + a_rest < need:
                return overlap
        else:
            b_rest -= mass[item[b]]
            b += 1
            if overlap + b_rest < need:
                return overlap
    return overlap


@njit(cache=True, nogil=True)
def neighbours_of(
    x: int, low: int, high: int, keys: int, theta: float, num: int, den: int,
    start: Longs, item: Ints, mass: Longs, total: Longs, root: NDArray[np.float64],
    first: Longs, vector: Ints, place: Ints, rest: Longs, out: Ints, n: int,
) -> int:  # fmt: skip
    """Write the vectors of low … high − 1 affine to x (never x itself) to out[n:]; return the new n."""
    x_rest, need_x = total[x], theta * root[x] * _SAFE
    for i in range(start[x], start[x] + keys):
        c = item[i]
        for p in range(_position(vector, first[c], first[c + 1], low), first[c + 1]):
            y = vector[p]
            need = need_x * root[y]
            if y >= high or x_rest < need:  # masses grow along the list: nothing further can do
                break
            if rest[p] < need or y == x:
                continue
            overlap = shared_mass(item, mass, i, start[x + 1], x_rest, place[p], start[y + 1], rest[p], need)
            if overlap < need or not is_affine(overlap, total[x], total[y], num, den):
                continue
            # else met at a rarer concept
            if shared_mass(item, mass, start[x], i, total[x], start[y], place[p], total[y], 0.0) == 0:
                out[n] = y
                n += 1
        x_rest -= mass[c]
    return n


@njit(cache=True, nogil=True)
def _smaller_neighbours(
    begin: int, end: int, low: Longs, keys: Ints, work: Longs, theta: float, num: int, den: int,
    start: Longs, item: Ints, mass: Longs, total: Longs, root: NDArray[np.float64],
    first: Longs, vector: Ints, place: Ints, rest: Longs, out: Ints, count: Ints,
) -> int:  # fmt: skip
    """Fill `out` with the smaller neighbours of begin, begin + 1, … while there is room; return where it
    stopped.
    """
    n = 0
    for x in range(begin, end):
        if n + work[x] > len(out):
            return x
        before = n
        n = neighbours_of(
            x,
            low[x],
            x,
            keys[x],
            theta,
            num,
            den,
            start,
            item,
            mass,
            total,
            root,
            first,
            vector,
            place,
            rest,
            out,
            n,
        )
        count[x - begin] = n - before
    return end


class AllPairs:
    """The affine pairs (x, y), y < x, of all vectors: the work to do is known before it starts, so a progress
    bar can tell the truth.
    """

    def __init__(self, vectors: Vectors, theta: Theta) -> None:
        self._vectors, self._theta = vectors, theta
        square = float(theta) ** 2
        parts = (vectors.start, vectors.item, vectors.mass, vectors.total)
        self._index = build_index(vectors, float(theta))
        self._keys = key_lengths(*parts, square)
        self._root = np.sqrt(vectors.total.astype(np.float64))
        self._low = np.searchsorted(vectors.total, square * _SAFE * vectors.total).astype(np.int64)
        self.work = _work(
            vectors.start, vectors.item, self._keys, self._low, self._index.start, self._index.vector
        )

    def _task(self, begin: int, end: int) -> list[Block]:
        blocks: list[Block] = []
        v, i, theta = self._vectors, self._index, self._theta
        while begin < end:
            room = max(min(_ROOM, int(self.work[begin:end].sum())), int(self.work[begin]))
            out, count = np.empty(room, np.int32), np.zeros(end - begin, np.int32)
            stop = _smaller_neighbours(
                begin, end, self._low, self._keys, self.work, float(theta), theta.num, theta.den,
                v.start, v.item, v.mass, v.total, self._root, i.start, i.vector, i.place, i.rest, out, count,
            )  # fmt: skip
            count = count[: stop - begin].copy()
            blocks.append(Block(begin, count, out[: count.sum()].copy()))
            begin = stop
        return blocks

    def blocks(self, threads: int = 2, advance: Advance | None = None) -> Iterator[Block]:
        """Yield the pairs in order of x; `advance` is told the postings looked at (their sum is
        `work.sum()`).
        """
        done = np.cumsum(self.work)
        n_tasks = int(done[-1]) // _TASK + 1 if len(done) else 0
        cuts = (
            np.searchsorted(done, np.arange(1, n_tasks) * _TASK, side="right")
            if n_tasks > 1
            else np.empty(0, np.int64)
        )
        bounds = np.unique(np.concatenate([[0], cuts, [len(done)]])).tolist()
        with ThreadPoolExecutor(threads) as pool:
            waiting: deque[tuple[int, int, Future[list[Block]]]] = deque()
            for begin, end in pairwise(bounds):
                waiting.append((begin, end, pool.submit(self._task, begin, end)))
                if len(waiting) > 2 * threads:  # bounds what is held when the reader is slow
                    yield from self._finished(*waiting.popleft(), advance)
            while waiting:
                yield from self._finished(*waiting.popleft(), advance)

    def _finished(
        self, begin: int, end: int, task: Future[list[Block]], advance: Advance | None
    ) -> Iterator[Block]:
        yield from task.result()
        if advance is not None:
            advance(int(self.work[begin:end].sum()))
