"""From what people hold to the candidates of each table: keys, who holds them, and how often noise may show
them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.distinct_cells import distinct_cells
from crowdlog.engine.holdings import Holdings, follow, sets_of
from crowdlog.mechanisms.rungs.addresses import places_of
from crowdlog.mechanisms.rungs.choice import NOT_A_CELL, CellGrid, Classes, Column
from crowdlog.mechanisms.rungs.classes import ShownWords
from crowdlog.mechanisms.rungs.known_keys import known_keys
from crowdlog.mechanisms.rungs.word_cells import pair_cells
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Ints

# Parts of a table's allowance of invented rows, by class.
LISTED_PAIR, ANY_PAIR = 0.2, 0.6
WORD_SITE, TWO_WORD_SITE, LISTED_SITE = 0.4, 0.3, 0.3
NAMED, ALIKE = 0.4, 0.7  # cells that are called alike; the rest of the table's allowance is the others'
WORTH = {"queries": 1.0, "word_pairs": 0.2, "sites": 0.3}  # of a key in the second step
RANK = 500  # allowances of words fall like 1/(rank + RANK)


def with_public(held: Incidence, key: Ints, public: Ints) -> tuple[Incidence, Ints, Bools]:
    """Public keys (in rising order) that nobody holds behind the held ones; and which of all are public."""
    known, met = known_keys(public, key)
    whole = np.append(key, public[~met])
    is_public = np.append(known, np.ones(int((~met).sum()), bool))
    return resized(held, len(whole)), whole, is_public


def resized(held: Incidence, size: int) -> Incidence:
    """The same incidence for a larger number of items; nobody holds the additional ones."""
    return held if size == held.size else Incidence(held.offsets, held.items, size)


def word_column(
    holdings: Holdings, listed: tuple[str, ...], invented: float
) -> tuple[Column, pa.StringArray]:
    """Words of the log and of the public list, and the text of each: an item is a word."""
    words = holdings.words
    public: pa.StringArray = pa.array(listed, pa.string())
    rank = places_of(words.texts, public)
    missing = np.ones(len(listed), bool)
    missing[rank[rank >= 0]] = False
    texts = pa.concat_arrays([words.texts, public.filter(pa.array(missing))])
    chance = 1.0 / (np.arange(len(listed)) + RANK)
    allowed = np.append(0.0, chance * (invented / max(chance.sum(), 1e-300)))
    kind = np.append(rank, np.flatnonzero(missing)).astype(np.int32) + np.int32(1)
    held = follow(holdings.queries, words.offsets, words.word, len(texts))
    return Column(
        "words", held, np.arange(len(texts)), kind, Classes(allowed, np.arange(len(allowed)) > 0)
    ), texts


def pair_column(
    holdings: Holdings, word_place: Ints, shown: ShownWords, listed: Ints, invented: float
) -> Column:
    """Two released words, one right after the other."""
    begins, cell = pair_cells(holdings.words, word_place, shown.size)
    key, numbers = distinct_cells(cell, shown.size**2)
    held = follow(holdings.queries, begins, numbers, len(key))
    held, key, known = with_public(held, key, listed)
    classes = Classes.of(
        (invented * ANY_PAIR / max(shown.size**2, 1), False),
        (invented * LISTED_PAIR / max(len(listed), 1), True),
    )
    grid = grid_of(0, shown.size**2, invented * ANY_PAIR, listed)
    return Column("word_pairs", held, key, known.astype(np.int32), classes, WORTH["word_pairs"], [grid])


def site_column(holdings: Holdings, shown: ShownWords, invented: float) -> Column:
    """Sites called by released words or words of the list; others are open. An item is a site of the log."""
    key = shown.site_keys(holdings.sites.texts)
    cells = shown.site_classes
    parts = np.array([WORD_SITE, TWO_WORD_SITE, LISTED_SITE]) * invented
    starts = np.append(0, np.cumsum(cells))
    kind = np.searchsorted(starts, key, side="right").astype(np.int32)  # 0: open
    key = np.where(key == NOT_A_CELL, -1 - np.arange(len(key)), key)
    each = parts / np.maximum(cells, 1)
    classes = Classes(np.append(0.0, each), np.zeros(4, bool))
    held = sets_of(holdings.rows.click_starts, holdings.click_sites(), len(key))
    grids = [_site_grid(shown, int(starts[i]), cells[i], float(parts[i])) for i in range(3)]
    return Column("sites", held, key, kind, classes, WORTH["sites"], grids)


def _site_grid(shown: ShownWords, first: int, cells: int, allowed: float) -> CellGrid:
    return CellGrid(cells, allowed, lambda cell: shown.canonical_sites(first + cell))


def edge_column(
    table: str, starts: Ints, code: Ints, size: tuple[int, int], called: Ints, invented: float
) -> Column:
    """Cells of a product of two released sets. `code[starts[u]:starts[u + 1]]`: those of a person (−1: not a
    cell). `called`: cells whose site is called like the query, or whose two queries are alike.
    """
    cells = size[0] * size[1]
    part = invented * (ALIKE if table == "pairs" else NAMED)
    key, numbers = distinct_cells(code, cells)
    incidence, key, known = with_public(sets_of(starts, numbers, len(key)), key, called)
    classes = Classes.of(((invented - part) / max(cells, 1), False), (part / max(len(called), 1), True))
    grid = grid_of(0, cells, invented - part, called)
    if table == "pairs":  # no query is followed by itself
        grid = _off_diagonal(grid, size[0])
    return Column(table, incidence, key, known.astype(np.int32), classes, 1.0, [grid])


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
