"""One selection over the candidates of several tables: held ones, public ones and cells that nobody holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

from crowdlog.engine.holdings import beside
from crowdlog.privacy.grid import EmptyCells
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.graded import HALF, Graded
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Floats, Ints

FALSE = 0.05  # statements "at least n people" of one table that are wrong, on average, at most
NOT_A_CELL = np.iinfo(np.int64).min  # the key of a cell whose text belongs to another class


@dataclass(frozen=True)
class CellGrid:
    """Cells 0 … cells − 1 of one class, of which noise alone may show `allowed`; `key` gives their keys, or
    NOT_A_CELL where the text belongs to another class.
    """

    cells: int
    allowed: float
    key: Callable[[Ints], Ints]


@dataclass(frozen=True)
class Column:
    """The candidates of one table. Item i has the key `key[i]`, unique in the table.

    `allowed[i]`: how often noise alone may show it; 0 for open keys, whose bar protects keys of one person.
    `public[i]`: it takes part whether or not it is held.
    """

    table: str
    held: Incidence
    key: Ints
    allowed: Floats
    public: Bools
    prior: float = 1.0
    grids: Sequence[CellGrid] = field(default_factory=tuple)

    def __repr__(self) -> str:
        return f"Column({self.table})"


@dataclass(frozen=True)
class Chosen:
    """The keys of one table that may be seen, in no particular order, with their noisy weights.

    `item`: the number among the candidates, −1 for a cell that nobody holds: never published. `people`: at
    least so many, or 0.
    """

    item: Ints
    key: Ints
    people: Ints

    def taken(self, order: Ints) -> Chosen:
        return Chosen(self.item[order], self.key[order], self.people[order])

    def __repr__(self) -> str:
        return f"Chosen({len(self.key)} keys)"


def choose(
    graded: Graded, columns: Sequence[Column], open_bar: float, randomness: Randomness
) -> dict[str, Chosen]:
    """All tables of one step: one unit of length for each person and round."""
    bounded = beside([column.held for column in columns]).bounded(graded.method.items_per_user, randomness)
    allowed, public = (
        np.concatenate([getattr(column, name) for column in columns]) for name in ("allowed", "public")
    )
    prior = np.concatenate([np.full(len(column.key), column.prior) for column in columns])
    # Whoever is held after bounding, and what is public: everything else in a closed class is an empty cell.
    part = np.flatnonzero((bounded.holders() > 0) | public)
    bars = np.where(allowed > 0, graded.bar(quantile(allowed)), open_bar)
    found = graded.select(bounded.only(part), bars[part], prior[part], randomness)
    items, chosen, first = part[found.items], {}, 0
    for column in columns:
        last = first + len(column.key)
        own = (items >= first) & (items < last)
        inside = part[(part >= first) & (part < last)] - first
        empty = [_empty(graded, grid, column.key[inside], randomness) for grid in column.grids]
        item = np.concatenate([items[own] - first, *(np.full(len(key), -1) for key, _z, _a in empty)])
        key = np.concatenate([column.key[items[own] - first], *(key for key, _z, _a in empty)])
        weight = np.concatenate([found.weights[own], *(weights for _key, weights, _a in empty)])
        chance = np.concatenate([column.allowed[items[own] - first], *(rare for _key, _z, rare in empty)])
        whole = column.allowed[column.public].sum() + sum(grid.allowed for grid in column.grids)
        people = at_least(graded, weight, chance / max(whole, 1e-9), open_bar)
        chosen[column.table] = Chosen(item, key, people)
        first = last
    return chosen


def _empty(
    graded: Graded, grid: CellGrid, taking: Ints, randomness: Randomness
) -> tuple[Ints, Floats, Floats]:
    """Cells of the grid that pass though nobody holds them: key, weight, how often one cell may."""
    each = grid.allowed / max(grid.cells, 1)
    bar = float(graded.bar(quantile(np.array([each])))[0])
    found = EmptyCells(graded, grid.cells, bar).passing(randomness)
    key = grid.key(found.items)
    real = (key != NOT_A_CELL) & ~np.isin(key, taking)
    return key[real], found.weights[real], np.full(int(real.sum()), each)


def quantile(allowed: Floats) -> Floats:
    """z with P(N ≥ z) = allowed, never below 0; what is open gets 0 here and a bar of its own."""
    z: Floats = np.maximum(0.0, -ndtri(np.where(allowed > 0, np.minimum(allowed, 0.5), 0.5)))
    return z


def at_least(graded: Graded, weight: Floats, share: Floats, open_bar: float) -> Ints:
    """So many people hold the key: nobody adds more than 1 to its weight, and noise alone is as large as what
    is taken off in FALSE cases of a table, whatever is shown.

    `share`: of the table's allowance that is this key's; 0 for open keys, from which their whole bar is
    taken.
    """
    less = np.where(share > 0, HALF + quantile(FALSE * share) / graded.mu, open_bar)
    people = np.ceil(weight - less).astype(np.int64)
    return np.where(people >= 2, people, 0)
