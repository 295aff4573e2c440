"""One selection over the candidates of several tables: held ones, public ones and cells that nobody holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crowdlog.engine.holdings import beside
from crowdlog.mechanisms.rungs.known_keys import taken_keys
from crowdlog.privacy.grid import EmptyCells
from crowdlog.privacy.normal_quantile import upper_quantiles
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.graded import HALF, Graded, Grades
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
class Classes:
    """What all candidates of a class have in common. `allowed`: how often noise alone may show one of them; 0
    for open keys, whose bar protects keys of one person. `public`: they take part whether or not they are
    held.
    """

    allowed: Floats
    public: Bools

    @classmethod
    def of(cls, *each: tuple[float, bool]) -> Classes:
        return cls(np.array([allowed for allowed, _ in each]), np.array([public for _, public in each]))


@dataclass(frozen=True)
class Column:
    """The candidates of one table. Item i has the key `key[i]`, unique in the table, and is of the class
    `kind[i]`.
    """

    table: str
    held: Incidence
    key: Ints
    kind: NDArray[np.int32]
    classes: Classes
    prior: float = 1.0
    grids: Sequence[CellGrid] = field(default_factory=tuple)

    @property
    def allowed(self) -> Floats:
        """For each item, how often noise alone may show an item of its class."""
        return self.classes.allowed[self.kind]

    @property
    def public(self) -> Bools:
        """For each item, whether its class of keys is public."""
        return self.classes.public[self.kind]

    @cached_property
    def invented(self) -> float:
        """Rows that noise may show in this table, on average, at most."""
        items = np.bincount(self.kind, minlength=len(self.classes.allowed))
        listed = float((items * self.classes.allowed)[self.classes.public].sum())
        return listed + sum(grid.allowed for grid in self.grids)

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
    grades, held = _grades(graded, columns, open_bar), _marks(bounded)
    # Whoever is held after bounding, and what is public: everything else in a closed class is an empty cell.
    public = np.concatenate([column.classes.public for column in columns])
    grades.kind[~(held | public[grades.kind])] = -1
    found = graded.select(bounded, grades, randomness)
    chosen, first = {}, 0
    for column in columns:
        last = first + len(column.key)
        own = (found.items >= first) & (found.items < last)
        items = found.items[own] - first
        empty = _empty(graded, column, grades.kind[first:last], randomness)
        item = np.concatenate([items, *(np.full(len(key), -1) for key, _z, _a in empty)])
        key = np.concatenate([column.key[items], *(key for key, _z, _a in empty)])
        weight = np.concatenate([found.weights[own], *(weights for _key, weights, _a in empty)])
        each = column.classes.allowed[column.kind[items]]
        chance = np.concatenate([each, *(rare for _key, _z, rare in empty)])
        people = at_least(graded, weight, chance / max(column.invented, 1e-9), open_bar)
        chosen[column.table] = Chosen(item, key, people)
        first = last
    return chosen


def _grades(graded: Graded, columns: Sequence[Column], open_bar: float) -> Grades:
    """The classes of all tables, one table's behind the other's."""
    sizes = [len(column.classes.allowed) for column in columns]
    firsts = np.append(0, np.cumsum(sizes))
    kind = np.concatenate(
        [column.kind + np.int32(first) for column, first in zip(columns, firsts, strict=False)]
    )
    allowed = np.concatenate([column.classes.allowed for column in columns])
    bars = np.where(allowed > 0, graded.bar(quantile(allowed)), open_bar)
    return Grades(kind, bars, np.repeat([column.prior for column in columns], sizes))


def _marks(held: Incidence) -> Bools:
    """Which items somebody holds."""
    found = np.zeros(held.size, bool)
    found[held.items] = True
    return found


def _empty(
    graded: Graded, column: Column, kind: NDArray[np.int32], randomness: Randomness
) -> list[tuple[Ints, Floats, Floats]]:
    """Cells of each grid that pass though nobody holds them: key, weight, how often one cell may. `kind`: of
    each candidate, negative if it takes no part.
    """
    passed = []
    for grid in column.grids:
        each = grid.allowed / max(grid.cells, 1)
        bar = float(graded.bar(quantile(np.array([each])))[0])
        found = EmptyCells(graded, grid.cells, bar).passing(randomness)
        passed.append((grid.key(found.items), found.weights, each))
    known = np.unique(np.concatenate([np.zeros(0, np.int64), *(key for key, _weights, _each in passed)]))
    # once for all grids: there are many candidates
    held = np.append(known[taken_keys(known, column.key, kind)], NOT_A_CELL)
    real = [~np.isin(key, held) for key, _weights, _each in passed]
    return [
        (key[own], weights[own], np.full(int(own.sum()), each))
        for (key, weights, each), own in zip(passed, real, strict=True)
    ]


def quantile(allowed: Floats) -> Floats:
    """z with P(N ≥ z) = allowed, never below 0; what is open gets 0 here and a bar of its own."""
    z: Floats = np.maximum(0.0, upper_quantiles(np.where(allowed > 0, np.minimum(allowed, 0.5), 0.5)))
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
