"""Many short lists of ids in two arrays: list i is items[offsets[i] : offsets[i + 1]]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.measure.draws import mix
from crowdlog.types import Bools, Ints


@dataclass(frozen=True)
class Lists:
    """Lists of ids."""

    offsets: Ints
    items: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Ints:
        return self.items[self.offsets[index] : self.offsets[index + 1]]

    def __repr__(self) -> str:
        return f"Lists({len(self)} lists, {len(self.items)} items)"

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets)

    @property
    def rows(self) -> Ints:
        """For each item the list it is in."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, which: Ints) -> Lists:
        """Some of the lists, in the order asked for."""
        lengths = self.lengths[which]
        places = np.repeat(self.offsets[which], lengths) + counting(lengths)
        return Lists(_offsets(lengths), self.items[places])


def from_rows(rows: Any, items: Any, n: int) -> Lists:
    """Lists from the ascending list number of each item."""
    return Lists(_offsets(np.bincount(rows, minlength=n)), np.asarray(items, np.int64))


def one_each(items: Any) -> Lists:
    """A list with a single item for each."""
    return Lists(np.arange(len(items) + 1), np.asarray(items, np.int64))


def joined_lists(parts: Sequence[Lists]) -> Lists:
    """The lists of several collections, one after the other."""
    lengths = [np.zeros(0, np.int64), *(part.lengths for part in parts)]
    return Lists(
        _offsets(np.concatenate(lengths)),
        np.concatenate([np.zeros(0, np.int64), *(part.items for part in parts)]),
    )


def counting(lengths: Ints) -> Ints:
    """0, 1, … for each length in turn: lengths 2, 3 give 0 1 0 1 2."""
    ends = np.cumsum(lengths)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)


def best_of_rows(matrix: Any, depth: int) -> Lists:
    """The columns of the largest entries of each row of a sparse matrix, best first.

    Ties are broken by a fixed hash: ids come from the log in order of appearance, which would favour what is
    popular there.
    """
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    candidates = _near_the_top(matrix, depth)
    rows, columns, values = rows[candidates], matrix.indices[candidates], matrix.data[candidates]
    order = np.lexsort((mix(columns), -values, rows))
    rows, columns = rows[order], columns[order]
    kept = counting(np.bincount(rows, minlength=matrix.shape[0])) < depth
    return from_rows(rows[kept], columns[kept], matrix.shape[0])


def _near_the_top(matrix: Any, depth: int) -> Bools:
    """Marks a few entries of each row, the largest `depth` among them: cheaper than sorting long rows."""
    kept = np.ones(len(matrix.data), bool)
    for row in np.flatnonzero(np.diff(matrix.indptr) > 4 * depth):
        values = matrix.data[matrix.indptr[row] : matrix.indptr[row + 1]]
        kept[matrix.indptr[row] : matrix.indptr[row + 1]] = values >= np.partition(values, -depth)[-depth]
    return kept


def _offsets(lengths: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
