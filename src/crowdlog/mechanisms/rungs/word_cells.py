"""Which candidates queries stand for. A candidate is a sequence of released words, numbered as a cell of the
grid of all such sequences.

Compiled passes over the words of all queries: there are tens of millions, and arrays of that size, one for
each step, would not fit. What they fill is made by numpy, which asks for large pages.
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
    key: Ints = np.empty(len(words.offsets) - 1, np.int64)
    _query_keys(words.offsets, words.word, place, size, np.array(firsts, np.int64), address, key)
    return key


def pair_cells(words: Words, place: Ints, size: int) -> tuple[Ints, Ints]:
    """Where the neighbours of each query begin, and their cells, −1 where one of both is not released."""
    begins: Ints = np.zeros(len(words.offsets), np.int64)
    _pair_begins(words.offsets, begins)
    cells: Ints = np.empty(begins[-1], np.int64)
    _pair_cells(words.offsets, words.word, place, size, cells)
    return begins, cells


def clicked_cells(
    starts: Ints, query: Any, site: Any, words: Words, place: Ints, sites: int
) -> tuple[Ints, Ints]:
    """Every released word of a clicked query with the site, where that is released: where each person's cells
    begin, and the cells word · sites + site. `site`: of each click, −1 if it is not released.
    """
    offsets, word = words.offsets, words.word
    bounds = _clicked_begins(starts, query, site, offsets)
    cells: Ints = np.empty(bounds[-1], np.int64)
    _clicked_cells(starts, query, site, (offsets, word, place), sites, cells)
    return bounds, cells


def clicked_queries(query: Any, site: Any, place: Any, sites: int) -> Ints:
    """Of each click the cell query · sites + site, −1 where one of both is not released. `place`: of each
    query among the released. `site`: of each click.
    """
    cells: Ints = np.empty(len(query), np.int64)
    _clicked_queries(query, site, place, sites, cells)
    return cells


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
def _query_keys(offsets: Any, word: Any, place: Any, size: int, firsts: Any, address: Any, key: Any) -> None:
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


@njit(cache=True)
def _pair_cells(offsets: Any, word: Any, place: Any, size: int, cells: Any) -> None:
    n = 0
    for query in range(len(offsets) - 1):
        for at in range(offsets[query] + 1, offsets[query + 1]):
            first, second = place[word[at - 1]], place[word[at]]
            cells[n] = first * size + second if first >= 0 and second >= 0 else -1
            n += 1


@njit(cache=True)
def _pair_begins(offsets: Any, begins: Any) -> None:
    for query in range(len(offsets) - 1):
        begins[query + 1] = begins[query] + max(offsets[query + 1] - offsets[query] - 1, 0)


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
def _clicked_cells(starts: Any, query: Any, site: Any, words: Any, sites: int, cells: Any) -> None:
    offsets, word, place = words
    n = 0
    for click in range(starts[-1]):
        if site[click] >= 0:
            for at in range(offsets[query[click]], offsets[query[click] + 1]):
                first = place[word[at]]
                cells[n] = first * sites + site[click] if first >= 0 else -1
                n += 1


@njit(cache=True)
def _clicked_queries(query: Any, site: Any, place: Any, sites: int, cells: Any) -> None:
    for click in range(len(query)):
        first = np.int64(place[query[click]])
        cells[click] = first * sites + site[click] if first >= 0 and site[click] >= 0 else -1
