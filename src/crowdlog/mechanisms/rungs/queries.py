"""The candidates of the table of queries: cells that released words name, and open queries."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.engine.holdings import Holdings, follow_one
from crowdlog.mechanisms.rungs.choice import CellGrid, Classes, Column
from crowdlog.mechanisms.rungs.classes import ShownWords
from crowdlog.mechanisms.rungs.columns import WORTH, grid_of, with_public
from crowdlog.mechanisms.rungs.word_cells import query_keys
from crowdlog.privacy.selection.incidence import Incidence
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
    ids = np.flatnonzero(np.diff(holdings.words.offsets) > 0).astype(np.int32)
    key = _keys(holdings, word_place, shown, ids, longest)
    public = shown.first(2) + listed
    held, key, known = with_public(_of_words(holdings, ids), key, public)
    kind, grids = np.zeros(len(key), np.int32), []
    each = [(0.0, False)]
    for first, grid in _grids(shown, public, invented, longest):
        grids.append(grid)
        kind[(key >= first) & (key < first + grid.cells)] = len(grids)
        each.append((grid.allowed / max(grid.cells, 1), False))
    kind[known] = len(each)
    each.append((invented * LISTED_TWO / max(len(listed), 1), True))
    column = Column("queries", held, key, kind, Classes.of(*each), WORTH["queries"], grids)
    return column, np.append(ids, np.full(len(key) - len(ids), -1, np.int32))


def _of_words(holdings: Holdings, ids: Any) -> Incidence:
    """Who holds these queries, which have words: all but those of blanks."""
    queries = holdings.queries
    if len(ids) == queries.size:
        return queries
    target = np.full(queries.size, -1, np.int32)
    target[ids] = np.arange(len(ids), dtype=np.int32)
    return follow_one(queries, target, len(ids))


def _grids(shown: ShownWords, public: Ints, invented: float, longest: int) -> list[tuple[int, CellGrid]]:
    """The first key of each class, and its cells."""
    grids = []
    for words in range(1, longest + 1):
        first, cells = shown.first(words), shown.size**words
        grids.append((first, grid_of(first, cells, invented * WORDS_IN_QUERY[words], public)))
    addresses = CellGrid(shown.addresses, invented * ADDRESS, shown.canonical_addresses)
    return [*grids, (shown.first(4), addresses)]


def _keys(holdings: Holdings, word_place: Ints, shown: ShownWords, ids: Any, longest: int) -> Ints:
    """The key of each query: its cell, or −1 − its number among the queries where it is open."""
    words = holdings.words
    firsts = [shown.first(size) for size in range(1, longest + 1)]
    key = query_keys(words, word_place, shown.size, firsts, shown.address_keys(words.texts))
    return key if len(ids) == len(key) else key[ids]
