"""From what people hold to the candidates of each table: keys, who holds them, and how often noise may show
them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from crowdlog.engine.holdings import Holdings, follow, follow_one
from crowdlog.mechanisms.rungs.choice import NOT_A_CELL, CellGrid, Column
from crowdlog.mechanisms.rungs.classes import ShownWords
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Ints

# Parts of a table's allowance of invented rows, by class.
LISTED_PAIR, ANY_PAIR = 0.2, 0.6
WORD_SITE, TWO_WORD_SITE, LISTED_SITE = 0.4, 0.3, 0.3
NAMED, OTHER = 0.4, 0.6
WORTH = {"queries": 1.0, "word_pairs": 0.2, "sites": 0.3}  # of a key in the second step
RANK = 500  # allowances of words fall like 1/(rank + RANK)


def with_public(held: Incidence, key: Ints, public: Ints) -> tuple[Incidence, Ints, Bools]:
    """Further keys that nobody holds behind the held ones; and which of all are public."""
    missing = np.setdiff1d(public, key)
    whole = np.append(key, missing)
    size = len(whole)
    return Incidence(held.offsets, held.items, size), whole, np.isin(whole, public)


def word_column(
    holdings: Holdings, listed: tuple[str, ...], invented: float
) -> tuple[Column, pa.StringArray]:
    """Words of the log and of the public list, and the text of each: an item is a word."""
    words = holdings.words
    missing = pa.array(sorted(set(listed) - set(words.texts.to_pylist())), pa.string())
    texts = pa.concat_arrays([words.texts, missing])
    rank = pa.compute.index_in(texts, value_set=pa.array(listed, pa.string()))
    place = rank.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    chance = np.where(place >= 0, 1.0 / (np.maximum(place, 0) + RANK), 0.0)
    allowed = chance * (invented / max(chance.sum(), 1e-300))
    held = follow(holdings.queries, words.offsets, words.word, len(texts))
    return Column("words", held, np.arange(len(texts)), allowed, place >= 0), texts


def pair_column(
    holdings: Holdings, word_place: Ints, shown: ShownWords, listed: Ints, invented: float
) -> Column:
    """Two released words, one right after the other."""
    offsets, word = holdings.words.offsets, word_place[holdings.words.word]
    length = np.diff(offsets)
    query = np.repeat(np.arange(len(length)), length)
    near = np.flatnonzero(query[1:] == query[:-1])
    both = (word[near] >= 0) & (word[near + 1] >= 0)
    cell = np.where(both, word[near] * shown.size + word[near + 1], -1)
    held, key = _by_code(holdings.queries, np.append(0, np.cumsum(np.maximum(length - 1, 0))), cell)
    held, key, known = with_public(held, key, listed)
    allowed = np.full(len(key), invented * ANY_PAIR / max(shown.size**2, 1))
    allowed[known] = invented * LISTED_PAIR / max(len(listed), 1)
    grid = grid_of(0, shown.size**2, invented * ANY_PAIR, listed)
    return Column("word_pairs", held, key, allowed, known, WORTH["word_pairs"], [grid])


def site_column(holdings: Holdings, shown: ShownWords, invented: float) -> Column:
    """Sites called by released words or words of the list; others are open. An item is a site of the log."""
    texts = holdings.sites.to_pylist()
    found = [shown.site_key(text) for text in texts]
    key = np.array([-1 - i if k is None else k for i, k in enumerate(found)], np.int64)
    cells = shown.site_classes
    parts = np.array([WORD_SITE, TWO_WORD_SITE, LISTED_SITE]) * invented
    starts = np.append(0, np.cumsum(cells))
    kind = np.searchsorted(starts, key, side="right") - 1
    each = parts / np.maximum(cells, 1)
    allowed = np.where(key >= 0, each[np.clip(kind, 0, 2)], 0.0)
    held = follow_one(holdings.clicks, holdings.click_site, len(texts))
    grids = [_site_grid(shown, int(starts[i]), cells[i], float(parts[i])) for i in range(3)]
    return Column("sites", held, key, allowed, np.zeros(len(key), bool), WORTH["sites"], grids)


def _site_grid(shown: ShownWords, first: int, cells: int, allowed: float) -> CellGrid:
    return CellGrid(cells, allowed, lambda cell: shown.canonical_sites(first + cell))


def edge_column(
    table: str, held: tuple[Incidence, Ints, Ints], size: tuple[int, int], called: Ints, invented: float
) -> Column:
    """Cells of a product of two released sets. `held`: items, where each one's codes begin, and codes (−1:
    not a cell). `called`: cells whose site is called like the query.
    """
    cells = size[0] * size[1]
    incidence, key = _by_code(*held)
    incidence, key, known = with_public(incidence, key, called)
    allowed = np.full(len(key), invented * OTHER / max(cells, 1))
    allowed[known] = invented * NAMED / max(len(called), 1)
    grid = grid_of(0, cells, invented * OTHER, called)
    if table == "pairs":  # no query is followed by itself
        grid = _off_diagonal(grid, size[0])
    return Column(table, incidence, key, allowed, known, 1.0, [grid])


def _by_code(held: Incidence, offsets: Ints, code: Ints) -> tuple[Incidence, Ints]:
    """Who holds which codes, as items; and the code of each item."""
    key, numbers = np.unique(code, return_inverse=True)
    none = int(len(key) > 0 and key[0] < 0)
    return follow(held, offsets, numbers - none, len(key) - none), key[none:]


def grid_of(first: int, cells: int, allowed: float, others: Ints) -> CellGrid:
    """Cells whose keys begin at `first`; those among `others` belong to another class."""

    def key(cell: Ints) -> Ints:
        keys = first + cell
        return np.where(np.isin(keys, others), NOT_A_CELL, keys)

    return CellGrid(cells, allowed, key)


def _off_diagonal(grid: CellGrid, size: int) -> CellGrid:
    """Without the cells of a thing with itself."""
    return CellGrid(
        grid.cells,
        grid.allowed,
        lambda cell: np.where(cell // max(size, 1) == cell % max(size, 1), NOT_A_CELL, grid.key(cell)),
    )


def total_allowed(column: Column) -> float:
    """Invented rows that noise may show in this table, on average, at most."""
    return float(column.allowed[column.public].sum()) + sum(grid.allowed for grid in column.grids)
