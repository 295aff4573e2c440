"""Shapes of neighbouring logs: who else asks what the one person asks, and how much she asks.

A shape is repeated in many *worlds* with people and keys of their own. What is published of one world depends
on this world alone, so one run of a mechanism on a log of N worlds gives N independent samples of what it
publishes about one person.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

STRIDE = 64  # keys that a world may have


@dataclass(frozen=True)
class Shape:
    """A crowd in which everybody asks each of the `shared` keys once, and a person who asks the first `asked`
    keys, each `repeats` times.

    `readers` ask the shared keys too, but click nothing and ask nothing else in that session: they make
    queries known, not clicks or pairs. `pooled`: the keys are in the public pool, where a mechanism has one.
    """

    name: str
    crowd: int
    shared: int
    asked: int
    repeats: int
    readers: int = 0
    pooled: bool = True

    @property
    def rows(self) -> int:
        return (self.crowd + self.readers) * self.shared + self.asked * self.repeats

    @property
    def keys(self) -> int:
        return max(self.shared, self.asked)


def unique(d: int) -> tuple[Shape, ...]:
    """Keys of the person alone: where δ is spent. She asks more than the d keys that count."""
    more = min(3 * d, STRIDE)
    # she does nothing: a control, and without it the log without her would be empty
    nobody = Shape("somebody else's key", 1, 1, 0, 0)
    return Shape("unique keys", 0, 0, more, 1), Shape("one unique heavy key", 0, 0, 1, more), nobody


def injected(d: int) -> tuple[Shape, ...]:
    """Keys of the person and of a few others, who may be invented."""
    return tuple(Shape(f"{fakes} injected users", fakes, d, d, 1) for fakes in (1, 2, 4, 8))


def exposed_edges(d: int, known: int) -> tuple[Shape, ...]:
    """Clicks or reformulations of the person alone, for queries that so many others ask."""
    return (
        Shape("unique clicks or pairs of known queries", 0, d, d, 1, readers=known),
        Shape("a unique heavy click or pair", 0, 1, 1, min(3 * d, STRIDE), readers=known),
        Shape("clicks or pairs of 1 injected user", 1, d, d, 1, readers=known),
    )


def at_threshold(d: int, crowds: Iterable[int], readers: int = 0) -> tuple[Shape, ...]:
    """Keys of crowds that are shown sometimes: where the ε of a selection is spent."""
    more = min(3 * d, STRIDE)
    return tuple(
        shape
        for crowd in crowds
        for shape in (
            Shape(f"keys of a crowd of {crowd}", crowd, d, d, 1, readers),
            Shape(f"one heavy key of a crowd of {crowd}", crowd, 1, 1, more, readers),
        )
    )


def well_known(d: int, far: int) -> tuple[Shape, ...]:
    """Keys that are practically always shown: where the ε of counts is spent."""
    return Shape("one heavy key", far, 1, 1, max(4, min(3 * d, STRIDE))), Shape(
        "all heavy keys", far, d, d, 1
    )
