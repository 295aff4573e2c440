"""Social graphs: who knows whom, as arrays.

`PowerLaw` draws degrees from 1 to 10 with probability proportional to degree^−exponent and joins half-edges
at random (the configuration model), without self-loops and double edges. `read_edges` takes a file instead.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.forwarding.random_stream import advanced, below, stream
from crowdlog.types import Ints

EXPONENT = 1.3  # gives the seed's 3.59 hops: docs/forwarding.md
MOST_NEIGHBOURS = 10  # §4.7
MOST_EXPONENT = 10.0  # either way; at 10 one user in a thousand has two neighbours
MOST_USERS = 2**31 - 1
_SWAPS = 100  # rounds of mending before a bad pair is dropped: small graphs of many neighbours need it
_DEGREES, _SHUFFLE, _MEND = 1, 2, 3  # parts of the random stream

Edges = NDArray[np.int32]


@dataclass(frozen=True)
class UserGraph:
    """Directed edges sorted by their sender: those of user u are `start[u] … start[u + 1] − 1`.

    `target[e]` is where edge e leads, `reverse[e]` the edge that leads back, `degree[e]` how many neighbours
    the target has.
    """

    start: Ints
    target: Edges
    reverse: Edges
    degree: Edges

    @property
    def users(self) -> int:
        return len(self.start) - 1

    @property
    def degrees(self) -> Ints:
        return np.diff(self.start)

    def neighbours(self, user: int) -> Edges:
        return self.target[self.start[user] : self.start[user + 1]]

    def pairs(self) -> list[tuple[int, int]]:
        """Return each edge once, as two users."""
        sender = np.repeat(np.arange(self.users), self.degrees)
        once = sender < self.target
        return list(zip(sender[once].tolist(), self.target[once].tolist(), strict=True))


def power_law(
    users: int, *, exponent: float = EXPONENT, seed: int = 1, most: int = MOST_NEIGHBOURS
) -> UserGraph:
    """Return a random graph whose degrees lie between 1 and `most`."""
    if not 2 <= users <= MOST_USERS // (2 * most):
        raise InputError(f"A graph has 2 to {MOST_USERS // (2 * most):,} users. Got {users:,}.")
    if users <= most:
        raise InputError(
            f"With up to {most} neighbours each there must be more than {most} users. Got {users}."
        )
    if not -MOST_EXPONENT <= exponent <= MOST_EXPONENT:  # NaN is neither
        raise InputError(
            f"'exponent' must lie between -{MOST_EXPONENT:g} and {MOST_EXPONENT:g}. Got {exponent:g}."
        )
    shares = np.arange(1, most + 1, dtype=np.float64) ** -exponent
    # cumulative shares as 32-bit integers: the same degrees on every machine
    bars = np.round(np.cumsum(shares / shares.sum()) * 2**32).astype(np.int64)
    half_edges = _shuffled_half_edges(_drawn_degrees(users, bars, seed), seed)
    kept = _mended(half_edges, users, seed)
    return from_pairs(half_edges[0::2][kept], half_edges[1::2][kept], users)


def from_pairs(first: Edges, second: Edges, users: int) -> UserGraph:
    """Return the graph of these undirected edges, each given once."""
    start, target, reverse = _adjacency(first, second, users)
    degree = np.diff(start).astype(np.int32)[target]
    return UserGraph(start, target, reverse, degree)


def read_edges(path: Path) -> UserGraph:
    """Read a file with two user numbers a line; blank lines and lines that begin with # are skipped.

    Numbers may be anything: users are renumbered by size. Self-loops and repeated edges count once or not at
    all.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # an empty file is refused below
            pairs = np.loadtxt(path, dtype=np.int64, comments="#", ndmin=2)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or 'no such file'}.") from error
    except ValueError as error:
        raise _not_an_edge(path) from error
    if pairs.size and pairs.shape[1] != 2:
        raise _not_an_edge(path)
    if not pairs.size:
        raise InputError(f"{path} has no edge; write two whole numbers a line.")
    _names, numbers = np.unique(pairs, return_inverse=True)
    ends = np.sort(numbers.reshape(-1, 2).astype(np.int32), axis=1)
    once = np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)
    if not len(once):
        raise InputError(f"{path} has no edge between two different users.")
    return from_pairs(once[:, 0].copy(), once[:, 1].copy(), int(numbers.max()) + 1)


def _not_an_edge(path: Path) -> InputError:
    """Say which line is the first that is no edge; it is not quoted."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            words = line.split(b"#")[0].split()
            if words and (len(words) != 2 or not all(_is_number(word) for word in words)):
                return InputError(f"Line {number} of {path} is not an edge; write two whole numbers a line.")
    return InputError(f"{path} is not an edge list; write two whole numbers a line.")


def _is_number(word: bytes) -> bool:
    try:
        return -(2**63) <= int(word) < 2**63
    except ValueError:
        return False


@njit(cache=True)
def _drawn_degrees(users: int, bars: Ints, seed: int) -> Edges:
    degrees = np.empty(users, np.int32)
    total = 0
    for user in range(users):
        drawn = below(stream(seed, user, _DEGREES), 1 << 32)
        degree = 0
        while drawn >= bars[degree]:
            degree += 1
        degrees[user] = degree + 1
        total += degree + 1
    if total % 2:  # half-edges come in pairs
        degrees[0] += 1 if degrees[0] == 1 else -1
    return degrees


@njit(cache=True)
def _shuffled_half_edges(degrees: Edges, seed: int) -> Edges:
    half = np.empty(degrees.sum(), np.int32)
    place = 0
    for user in range(len(degrees)):
        half[place : place + degrees[user]] = user
        place += degrees[user]
    state = stream(seed, 0, _SHUFFLE)
    for i in range(len(half) - 1, 0, -1):
        state = advanced(state)
        j = below(state, i + 1)
        half[i], half[j] = half[j], half[i]
    return half


def _mended(half: Edges, users: int, seed: int) -> NDArray[np.bool_]:
    """Swap ends until no pair is a self-loop or stands twice; return which pairs can be kept.

    Only a handful of pairs are bad, however many users there are: degrees are bounded.
    """
    kept = np.ones(len(half) // 2, np.bool_)
    for attempt in range(_SWAPS):
        start, target, _reverse = _adjacency(half[0::2], half[1::2], users)
        bad = _bad_pairs(start, target, half)
        if not len(bad):
            return kept
        _swap_ends(half, bad, seed, attempt)
    start, target, _reverse = _adjacency(half[0::2], half[1::2], users)
    kept[_bad_pairs(start, target, half)] = False
    return kept


@njit(cache=True)
def _bad_pairs(start: Ints, target: Edges, half: Edges) -> Ints:
    """Self-loops, and all but the first of equal pairs."""
    doubtful = set()
    for user in range(len(start) - 1):
        for e in range(start[user], start[user + 1]):
            for f in range(start[user], e):
                if target[e] == target[f]:
                    doubtful.add((min(user, target[e]), max(user, target[e])))
    bad = []
    met = set()
    for pair in range(len(half) // 2):
        a, b = np.int64(half[2 * pair]), np.int64(half[2 * pair + 1])
        ends = (min(a, b), max(a, b))
        if a == b or ends in met:
            bad.append(pair)
        elif len(doubtful) and ends in doubtful:
            met.add(ends)
    return np.array(bad, np.int64)


@njit(cache=True)
def _swap_ends(half: Edges, bad: Ints, seed: int, attempt: int) -> None:
    state = stream(seed, attempt, _MEND)
    for pair in bad:
        state = advanced(state)
        other = below(state, len(half) // 2)
        mine, theirs = 2 * pair + 1, 2 * other + 1
        half[mine], half[theirs] = half[theirs], half[mine]


@njit(cache=True)
def _adjacency(first: Edges, second: Edges, users: int) -> tuple[Ints, Edges, Edges]:
    start = np.zeros(users + 1, np.int64)
    for i in range(len(first)):
        start[first[i] + 1] += 1
        start[second[i] + 1] += 1
    for user in range(users):
        start[user + 1] += start[user]
    place = start[:-1].copy()
    target = np.empty(2 * len(first), np.int32)
    reverse = np.empty(2 * len(first), np.int32)
    for i in range(len(first)):
        a, b = first[i], second[i]
        there = place[a]
        place[a] += 1
        back = place[b]
        place[b] += 1
        target[there], reverse[there] = b, back
        target[back], reverse[back] = a, there
    return start, target, reverse
