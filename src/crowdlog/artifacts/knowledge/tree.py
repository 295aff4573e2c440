"""A tree of categories, as numbers: the parent of each, how deep it lies, and the names it is found by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.artifacts.representations import STOP_WORDS, light, stem
from crowdlog.errors import InputError

Name = tuple[str, ...]  # stems of the words of a name, in order


@dataclass(frozen=True, repr=False)
class Tree:
    """Categories 0, 1, 2, …; a parent has a smaller number than its children.

    `depth` of a category is the size of T(c): its ancestors and itself (Erola 2013, §5.5.1.1); a root has 1.
    `named`: the categories of each name, the most significant first.
    """

    title: str  # where it comes from, for the label
    parent: NDArray[np.int32]  # −1 for a root
    depth: NDArray[np.int32]
    named: Mapping[Name, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        return f"Tree({self.title}, {len(self)} categories)"

    def at_level(self, level: int) -> NDArray[np.int32]:
        """For each category its ancestor, or itself, of this depth; −1 where it lies less deep."""
        found = np.where(self.depth == level, np.arange(len(self), dtype=np.int32), np.int32(-1))
        for deeper in range(level + 1, int(self.depth.max(initial=0)) + 1):
            there = np.flatnonzero(self.depth == deeper)
            found[there] = found[self.parent[there]]
        return found


def name_of(text: str) -> Name:
    """The stems of a name or phrase without its stop words, so that 'this water sports' is 'water sport'."""
    words = light(text.replace("_", " ").lower()).split()
    return tuple(stem(word) for word in words if word not in STOP_WORDS)


def tree_of_paths(title: str, paths: Iterable[tuple[tuple[str, ...], int]]) -> Tree:
    """Paths from a root down, each with a number: of two categories with one name the larger is more
    significant.

    Ancestors that are not listed themselves are added, with the number 0. The order of the paths does not
    matter.
    """
    weight: dict[tuple[str, ...], int] = {}
    for path, number in paths:
        for length in range(1, len(path)):
            weight.setdefault(path[:length], 0)
        weight[path] = weight.get(path, 0) + number
    if not weight:
        raise InputError(f"The tree of categories {title} is empty. Give lines such as Sports/Water Sports.")
    ordered = sorted(weight, key=lambda path: (len(path), path))
    number_of = {path: number for number, path in enumerate(ordered)}
    parent = [number_of.get(path[:-1], -1) for path in ordered]
    named: dict[Name, list[int]] = {}
    for path in sorted(ordered, key=lambda path: (-weight[path], len(path), path)):
        named.setdefault(name_of(path[-1]), []).append(number_of[path])
    named.pop((), None)
    depth = [len(path) for path in ordered]
    return Tree(title, _int32(parent), _int32(depth), {name: tuple(found) for name, found in named.items()})


def _int32(values: Any) -> NDArray[np.int32]:
    return np.array(values, np.int32)
