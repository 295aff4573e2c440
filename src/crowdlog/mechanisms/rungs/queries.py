"""The candidates of the table of queries: cells that released words name, and open queries."""

from __future__ import annotations

import numpy as np

from crowdlog.engine.holdings import Holdings, follow_one
from crowdlog.mechanisms.rungs.choice import CellGrid, Column
from crowdlog.mechanisms.rungs.classes import ShownWords
from crowdlog.mechanisms.rungs.columns import WORTH, grid_of, with_public
from crowdlog.types import Ints

# Parts of the table's allowance of invented rows, by class.
WORDS_IN_QUERY = {1: 0.3, 2: 0.15, 3: 0.1}
ADDRESS, LISTED_TWO = 0.3, 0.15
THREE_WORDS = WORDS_IN_QUERY[3]


def query_column(
    holdings: Holdings, word_place: Ints, shown: ShownWords, listed: Ints, invented: float, longest: int
) -> tuple[Column, Ints]:
    """All queries; and the query id of each item, −1 where the log has none. Queries of released words and
    addresses of one are cells of a grid, others are open.

    `listed`: cells of two words that a public list holds. `longest`: queries of more words are open.
    """
    length = np.diff(holdings.words.offsets)
    ids = np.flatnonzero(length > 0)
    key = _keys(holdings, word_place, shown, ids, longest)
    target = np.full(len(length), -1, np.int64)
    target[ids] = np.arange(len(ids))
    public = shown.first(2) + listed
    held, key, known = with_public(follow_one(holdings.queries, target, len(ids)), key, public)
    allowed, grids = np.zeros(len(key)), []
    for first, grid in _grids(shown, public, invented, longest):
        own = (key >= first) & (key < first + grid.cells)
        allowed[own] = grid.allowed / max(grid.cells, 1)
        grids.append(grid)
    allowed[known] = invented * LISTED_TWO / max(len(listed), 1)
    column = Column("queries", held, key, allowed, known, WORTH["queries"], grids)
    return column, np.append(ids, np.full(len(key) - len(ids), -1))


def _grids(shown: ShownWords, public: Ints, invented: float, longest: int) -> list[tuple[int, CellGrid]]:
    """The first key of each class, and its cells."""
    grids = []
    for words in range(1, longest + 1):
        first, cells = shown.first(words), shown.size**words
        grids.append((first, grid_of(first, cells, invented * WORDS_IN_QUERY[words], public)))
    addresses = CellGrid(shown.addresses, invented * ADDRESS, shown.canonical_addresses)
    return [*grids, (shown.first(4), addresses)]


def _keys(holdings: Holdings, word_place: Ints, shown: ShownWords, ids: Ints, longest: int) -> Ints:
    """The key of each query: its cell, or −1 − its number among the queries where it is open."""
    offsets, word = holdings.words.offsets, word_place[holdings.words.word]
    length = np.diff(offsets)
    inside = np.append(0, np.cumsum(word >= 0))
    released = (inside[offsets[1:]] - inside[offsets[:-1]] == length)[ids]
    key = -1 - ids
    for words in range(1, longest + 1):
        own = released & (length[ids] == words)
        start = offsets[ids[own]]
        cell = np.zeros(len(start), np.int64)
        for place in range(words):
            cell = cell * shown.size + word[start + place]
        key[own] = shown.first(words) + cell
    alone = ~released & (length[ids] == 1)
    address = shown.address_keys(holdings.words.texts)[holdings.words.word[offsets[ids[alone]]]]
    key[alone] = np.where(address >= 0, address, key[alone])
    return key
