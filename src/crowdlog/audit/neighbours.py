"""Shapes of neighbouring logs: who else asks what the one person asks, and how much she asks.

A shape is repeated in many *worlds* with people and keys of their own. What is published of one world depends on this world alone, so one run of a
mechanism on a log of N worlds gives N independent samples of what it publishes about one person.
"""

from __future__ import annotations

from dataclasses import dataclass

STRIDE = 64  # keys that a world may have


@dataclass(frozen=True)
class Shape:
    """A crowd in which everybody asks each of the `shared` keys once, and a person who asks the first `asked` keys, each `repeats` times."""

    name: str
    crowd: int
    shared: int
    asked: int
    repeats: int

    @property
    def rows(self) -> int:
        return self.crowd * self.shared


def exposed(d: int) -> tuple[Shape, ...]:
    """Keys of the person alone, or of her and a few others (who may be invented): where δ is spent. She asks more than the d keys that count."""
    more = min(3 * d, STRIDE)
    return (
        Shape("unique keys", 0, 0, more, 1),
        Shape("one unique heavy key", 0, 0, 1, more),
        *(Shape(f"{fakes} injected users", fakes, d, d, 1) for fakes in (1, 2, 4, 8)),
    )


def crowded(d: int, centres: tuple[int, ...], far: int) -> tuple[Shape, ...]:
    """Keys of a crowd: where ε is spent. `centres`: crowds of which about half are shown; `far`: a crowd that is always shown."""
    more = min(3 * d, STRIDE)
    return (
        *(Shape(f"keys at the threshold {centre}", centre, d, d, 2) for centre in centres),
        *(Shape(f"one heavy key at the threshold {centre}", centre, 1, 1, more) for centre in centres),
        Shape("one heavy key", far, 1, 1, more),
        Shape("all heavy keys", far, d, d, 1),
    )
