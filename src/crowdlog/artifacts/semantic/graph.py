"""The graph of affine vectors as adjacency lists, in memory or, beyond the memory allowed, in a temporary
file of vector numbers.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit

from crowdlog.artifacts.semantic.affinity import Block
from crowdlog.artifacts.semantic.vectors import Ints, Longs


@dataclass(frozen=True, repr=False)
class Graph:
    """The neighbours of vector v are `neighbour[start[v]:start[v+1]]`, in no order; v itself is not among
    them.
    """

    start: Longs
    neighbour: Ints

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def edges(self) -> int:
        """How many pairs are affine."""
        return len(self.neighbour) // 2

    def of(self, v: int) -> Ints:
        """The neighbours of v."""
        return self.neighbour[self.start[v] : self.start[v + 1]]


@njit(cache=True)
def _count(degree: Longs, first: int, count: Ints, neighbours: Ints) -> None:
    for i in range(len(count)):
        degree[first + i] += count[i]
    for y in neighbours:
        degree[y] += 1


@njit(cache=True)
def _place(at: Longs, neighbour: Ints, first: int, count: Ints, neighbours: Ints) -> None:
    n = 0
    for i in range(len(count)):
        x = first + i
        for y in neighbours[n : n + count[i]]:
            neighbour[at[x]] = y
            at[x] += 1
            neighbour[at[y]] = x
            at[y] += 1
        n += count[i]


class _Held:
    """Blocks waiting to be placed: in memory up to a limit, beyond it in a temporary file that has no name
    and holds vector numbers only.
    """

    def __init__(self, memory: float) -> None:
        self._memory = memory
        # first, count, the neighbours or how many of them are in the file
        self._blocks: list[tuple[int, Ints, Ints | int]] = []
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as this object
        self.size = 0

    def add(self, block: Block) -> None:
        self.size += block.neighbours.nbytes
        if self.size <= self._memory:
            self._blocks.append((block.first, block.count, block.neighbours))
        else:
            block.neighbours.tofile(self._file)
            self._blocks.append((block.first, block.count, len(block.neighbours)))

    def take(self) -> Iterator[Block]:
        """Give the blocks back in their order, forgetting each."""
        self._file.seek(0)
        self._blocks.reverse()
        while self._blocks:
            first, count, neighbours = self._blocks.pop()
            yield Block(
                first,
                count,
                np.fromfile(self._file, np.int32, neighbours) if isinstance(neighbours, int) else neighbours,
            )
        self._file.close()


def build_graph(n: int, blocks: Iterable[Block], memory: int | None = None) -> Graph:
    """Collect streamed pairs into adjacency lists within `memory` bytes (about 8 per pair); what is beyond
    lives in temporary files.
    """
    limit = float("inf") if memory is None else float(memory)
    degree, held = np.zeros(n, np.int64), _Held(limit / 3)
    for block in blocks:
        _count(degree, block.first, block.count, block.neighbours)
        held.add(block)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(degree)])
    neighbour = np.empty(start[-1], np.int32) if 2 * held.size <= limit else _file_of(int(start[-1]))
    at = start[:-1].copy()
    for block in held.take():
        _place(at, neighbour, block.first, block.count, block.neighbours)
    return Graph(start, neighbour)


def _file_of(n: int) -> Ints:
    """An array of n numbers in a file without a name: it vanishes with the array."""
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.int32, "w+", shape=n)
