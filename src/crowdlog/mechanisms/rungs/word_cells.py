"""Which candidates queries stand for. A candidate is a sequence of released words, numbered as a cell of the
grid of all such sequences.

Compiled passes over the words of all queries: there are tens of millions, and arrays of that size, one for
each step, would not fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.artifacts.parts import Words
from crowdlog.types import Bools, Ints


def query_keys(words: Words, place: Ints, size: int, firsts: list[int], address: Ints) -> Ints:
    """Of each query: its cell among those of as many released words, whose keys begin at `firsts[words − 1]`;
    or the address of its only word; or −1 − its number. `place`: of each word among the released, −1 if it is
    not. `address`: the key of each word, negative if it is none.
    """
    key: Ints = _query_keys(words.offsets, words.word, place, size, np.array(firsts, np.int64), address)
    return key


def pair_cells(words: Words, place: Ints, size: int) -> tuple[Ints, Ints]:
    """Where the neighbours of each query begin, and their cells, −1 where one of both is not released."""
    begins = _pair_begins(words.offsets)
    return begins, _pair_cells(words.offsets, words.word, place, size, begins)


def clicked_cells(
    starts: Ints, query: Any, site: Any, words: Words, place: Ints, sites: int
) -> tuple[Ints, Ints]:
    """Every released word of a clicked query with the site, where that is released: where each person's cells
    begin, and the cells word · sites + site. `site`: of each click, −1 if it is not released.
    """
    offsets, word = words.offsets, words.word
    bounds = _clicked_begins(starts, query, site, offsets)
    return bounds, _clicked_cells(bounds, starts, query, site, (offsets, word, place), sites)


def all_released(words: Words, place: Ints) -> Bools:
    """Which queries have released words only."""
    found: Bools = _all_released(words.offsets, words.word, place)
    return found


def first_mark(words: Words, mark: Ints, none: int) -> Ints:
    """For each query, the mark of its first word whose mark is not `none`."""
    found: Ints = _first_mark(words.offsets, words.word, mark, none)
    return found


@njit(cache=True)
def _first_mark(offsets: Any, word: Any, mark: Any, none: int) -> Any:
    found = np.full(len(offsets) - 1, none, np.int64)
    for query in range(len(found)):
        for at in range(offsets[query], offsets[query + 1]):
            if mark[word[at]] != none:
                found[query] = mark[word[at]]
                break
    return found


@njit(cache=True)
def _all_released(offsets: Any, word: Any, place: Any) -> Any:
    found = np.ones(len(offsets) - 1, np.bool_)
    for query in range(len(found)):
        for at in range(offsets[query], offsets[query + 1]):
            found[query] &= place[word[at]] >= 0
    return found


@njit(cache=True)
def _query_keys(offsets: Any, word: Any, place: Any, size: int, firsts: Any, address: Any) -> Any:
    key = np.empty(len(offsets) - 1, np.int64)
    for query in range(len(key)):
        key[query] = -1 - query
        length = offsets[query + 1] - offsets[query]
        if 1 <= length <= len(firsts):
            cell, inside = 0, True
            for at in range(offsets[query], offsets[query + 1]):
                inside &= place[word[at]] >= 0
                cell = cell * size + place[word[at]]
            if inside:
                key[query] = firsts[length - 1] + cell
            elif length == 1 and address[word[offsets[query]]] >= 0:
                key[query] = address[word[offsets[query]]]
    return key


@njit(cache=True)
def _pair_cells(offsets: Any, word: Any, place: Any, size: int, begins: Any) -> Any:
    cells = np.full(begins[-1], -1, np.int64)
    for query in range(len(offsets) - 1):
        n = begins[query]
        for at in range(offsets[query] + 1, offsets[query + 1]):
            first, second = place[word[at - 1]], place[word[at]]
            if first >= 0 and second >= 0:
                cells[n] = first * size + second
            n += 1
    return cells


@njit(cache=True)
def _pair_begins(offsets: Any) -> Any:
    begins = np.zeros(len(offsets), np.int64)
    for query in range(len(offsets) - 1):
        begins[query + 1] = begins[query] + max(offsets[query + 1] - offsets[query] - 1, 0)
    return begins


@njit(cache=True)
def _clicked_begins(starts: Any, query: Any, site: Any, offsets: Any) -> Any:
    bounds = np.zeros(len(starts), np.int64)
    for user in range(len(starts) - 1):
        n = bounds[user]
        for click in range(starts[user], starts[user + 1]):
            if site[click] >= 0:
                n += offsets[query[click] + 1] - offsets[query[click]]
        bounds[user + 1] = n
    return bounds


@njit(cache=True)
def _clicked_cells(bounds: Any, starts: Any, query: Any, site: Any, words: Any, sites: int) -> Any:
    offsets, word, place = words
    cells = np.full(bounds[-1], -1, np.int64)
    n = 0
    for click in range(starts[-1]):
        if site[click] >= 0:
            for at in range(offsets[query[click]], offsets[query[click] + 1]):
                if place[word[at]] >= 0:
                    cells[n] = place[word[at]] * sites + site[click]
                n += 1
    return cells
