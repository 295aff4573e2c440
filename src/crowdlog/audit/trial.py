"""A mechanism run on neighbouring logs of every shape: what the ε audit and the δ audit both look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.audit.declared import Noise, declared, kept_keys
from crowdlog.audit.events import Halves, halves
from crowdlog.audit.laboratory import Layout
from crowdlog.audit.neighbours import Shape, crowded, exposed
from crowdlog.audit.sampling import Effort, Shown, sample
from crowdlog.errors import InputError
from crowdlog.privacy.noise import DiscreteLaplace

if TYPE_CHECKING:
    from crowdlog.audit.laboratory import Laboratory
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

LADDER = tuple(round(2 ** (step / 3)) for step in range(3, 28))  # crowds of 2 … 512, by factors of 1.26
LADDER_WORLDS = 40
SURE = 1e-9  # "always": a crowd so much above the threshold is left out at most so often


@dataclass(frozen=True)
class Trial:
    """The samples of both sides, [run, shape, world] by table."""

    mechanism: Mechanism
    shapes: tuple[Shape, ...]
    without: Mapping[str, Shown]
    with_person: Mapping[str, Shown]

    def comparisons(self) -> Iterator[tuple[str, Halves, Halves]]:
        """Every shape in both directions: name, samples of the log that makes the event likely, samples of the other."""
        for number, shape in enumerate(self.shapes):
            absent, present = halves(self.without, self.with_person, number)
            yield f"{shape.name}, person added", present, absent
            yield f"{shape.name}, person removed", absent, present


def exposed_trial(mechanism: Mechanism, laboratory: Laboratory, randomness: Randomness, effort: Effort) -> Trial:
    """Both sides of the shapes in which δ is spent."""
    return _run(mechanism, exposed(kept_keys(mechanism)), laboratory, randomness, effort)


def crowded_trial(mechanism: Mechanism, laboratory: Laboratory, randomness: Randomness, effort: Effort) -> Trial:
    """Both sides of the shapes in which ε is spent."""
    centres = crowds_at_threshold(mechanism, laboratory, randomness)
    return _run(mechanism, crowded(kept_keys(mechanism), centres, far_crowd(mechanism, centres)), laboratory, randomness, effort)


def _run(mechanism: Mechanism, shapes: tuple[Shape, ...], laboratory: Laboratory, randomness: Randomness, effort: Effort) -> Trial:
    layout = Layout(shapes, effort.worlds(sum(shape.rows for shape in shapes)), getattr(mechanism, "artifact", "query"))
    without, with_person = sample(mechanism, laboratory, layout, randomness, effort, sides=(False, True))
    return Trial(mechanism, shapes, without, with_person)


def crowds_at_threshold(mechanism: Mechanism, laboratory: Laboratory, randomness: Randomness) -> tuple[int, ...]:
    """For each table a crowd of which about half are shown: as declared, or tried on a ladder of crowds."""
    bars = declared(mechanism).bars
    if bars:
        return tuple(sorted({bar.K for bar in bars.values()}))
    steps = tuple(Shape(str(crowd), crowd, 1, 0, 0) for crowd in LADDER)
    layout = Layout(steps, LADDER_WORLDS, getattr(mechanism, "artifact", "query"))
    (seen,) = sample(mechanism, laboratory, layout, randomness, Effort(runs=1), sides=(False,))
    half = [np.flatnonzero(shown.keys.sum(axis=(0, 2)) * 2 >= LADDER_WORLDS) for shown in seen.values()]
    if not any(map(len, half)):
        raise InputError(f"{mechanism!r} shows nothing of a crowd of {LADDER[-1]} people, the largest the audit tries. Choose a larger ε or δ.")
    return tuple(sorted({LADDER[found[0]] for found in half if len(found)}))


def far_crowd(mechanism: Mechanism, centres: tuple[int, ...]) -> int:
    """A crowd that is practically always shown, and whose noisy count is practically never negative."""
    about = declared(mechanism)
    noises: list[Noise] = [*about.noise.values(), *(DiscreteLaplace(bar.scale) for bar in about.bars.values())]
    return max(centres) + max([max(centres), *map(_margin, noises)])


def _margin(noise: Noise) -> int:
    """What the noise practically never exceeds."""
    step = 1
    while noise.tail(step) > SURE:
        step *= 2
    return next(t for t in range(step // 2, step + 1) if noise.tail(t) <= SURE)
