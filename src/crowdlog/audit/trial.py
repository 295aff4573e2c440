"""A mechanism run on neighbouring logs of every shape: what the ε audit and the δ audit both look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.audit.declared import EDGES, Noise, declared, main_table, units
from crowdlog.audit.events import Halves, codings
from crowdlog.audit.laboratory import Layout
from crowdlog.audit.neighbours import Shape, at_threshold, exposed_edges, injected, unique, well_known
from crowdlog.audit.sampling import Effort, Shown, queries_of, sample
from crowdlog.audit.small import Variant, kept_edges, kept_keys, variants
from crowdlog.errors import InputError
from crowdlog.privacy.noise import DiscreteLaplace

if TYPE_CHECKING:
    from crowdlog.audit.laboratory import Laboratory
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

LADDER = tuple(round(2 ** (step / 3)) for step in range(3, 28))  # crowds of 2 … 512, by factors of 1.26
LADDER_WORLDS = 40
SURE = 1e-9  # "always": a crowd so much above the threshold is left out at most so often
USUALLY = 1e-3  # the same where being left out now and then does no harm


@dataclass(frozen=True)
class Trial:
    """The samples of both sides, [run, shape, world] by table."""

    variant: Variant
    shapes: tuple[Shape, ...]
    without: Mapping[str, Shown]
    with_person: Mapping[str, Shown]

    def comparisons(self) -> Iterator[tuple[str, list[tuple[Halves, Halves]]]]:
        """Every shape in both directions: name, and for each way to look at the outcomes samples of the likely and of the unlikely log."""
        about = "" if self.variant.focus == "all" else f"most privacy on {self.variant.focus}, "
        for number, shape in enumerate(self.shapes):
            ways = codings(self.without, self.with_person, number)
            yield f"{about}{shape.name}, person added", [(present, absent) for absent, present in ways]
            yield f"{about}{shape.name}, person removed", ways


def exposed_trials(mechanism: Mechanism) -> list[tuple[Variant, tuple[Shape, ...]]]:
    """The situations in which δ is spent. They are run one after the other: small worlds can be many."""
    trials: list[tuple[Variant, tuple[Shape, ...]]] = []
    for variant in (variant for variant in variants(mechanism) if variant.focus != "counts"):
        d = kept_keys(variant.mechanism)
        if variant.focus == "edges" and main_table(mechanism) == "queries":
            trials.append((variant, exposed_edges(kept_edges(variant.mechanism), known_crowd(variant.mechanism))))
        else:
            trials += [(variant, unique(d)), (variant, injected(d))]
    return trials


def crowded_trials(mechanism: Mechanism, laboratory: Laboratory, randomness: Randomness) -> list[tuple[Variant, tuple[Shape, ...]]]:
    """The situations in which ε is spent."""
    return [(variant, _crowded(variant, laboratory, randomness)) for variant in variants(mechanism)]


def _crowded(variant: Variant, laboratory: Laboratory, randomness: Randomness) -> tuple[Shape, ...]:
    mechanism, focus, about = variant.mechanism, variant.focus, declared(variant.mechanism)
    main, d = main_table(mechanism), kept_keys(mechanism)
    shapes: tuple[Shape, ...] = ()
    if focus in ("all", "keys"):
        crossing = about.crossings.get(main)
        shapes += at_threshold(d, crossing.crowds(units(mechanism, main)) if crossing else crowds_at_threshold(mechanism, laboratory, randomness))
    if focus in ("all", "counts"):
        shapes += well_known(d, far_crowd(mechanism, crowds_at_threshold(mechanism, laboratory, randomness), USUALLY))
    if focus == "edges":
        edges = next((name for name in EDGES if name in about.noise), main)
        crossing, known = about.crossings.get(edges), known_crowd(mechanism) if main == "queries" else 0
        shapes += at_threshold(kept_edges(mechanism), crossing.crowds(units(mechanism, edges)) if crossing else (known,), known)
    return shapes


def run_trial(variant: Variant, shapes: tuple[Shape, ...], laboratory: Laboratory, randomness: Randomness, effort: Effort) -> Trial:
    """Both sides of these shapes."""
    layout = effort.layout(variant.mechanism, shapes, whole_sessions=True)
    without, with_person = sample(variant.mechanism, laboratory, layout, randomness, effort, sides=(False, True))
    return Trial(variant, layout.shapes, without, with_person)


def crowds_at_threshold(mechanism: Mechanism, laboratory: Laboratory, randomness: Randomness) -> tuple[int, ...]:
    """For each table a crowd of which about half are shown: as declared, or tried on a ladder of crowds."""
    bars = declared(mechanism).bars
    if bars:
        return tuple(sorted({max(1, bar.K) for bar in bars.values()}))
    steps = tuple(Shape(str(crowd), crowd, 1, 0, 0) for crowd in LADDER)
    layout = Layout(steps, LADDER_WORLDS, queries_of(mechanism, whole_sessions=False))
    (seen,) = sample(mechanism, laboratory, layout, randomness, Effort(runs=1), sides=(False,))
    half = [np.flatnonzero(shown.keys.sum(axis=(0, 2)) * 2 >= LADDER_WORLDS) for shown in seen.values()]
    if not any(map(len, half)):
        raise InputError(f"{mechanism!r} shows nothing of a crowd of {LADDER[-1]} people, the largest the audit tries. Choose a larger ε or δ.")
    return tuple(sorted({LADDER[found[0]] for found in half if len(found)}))


def far_crowd(mechanism: Mechanism, centres: tuple[int, ...], sure: float = SURE) -> int:
    """A crowd that is practically always shown, and whose noisy count is practically never negative."""
    about = declared(mechanism)
    noises: list[Noise] = [*about.noise.values(), *(DiscreteLaplace(bar.scale) for bar in about.bars.values())]
    return max(centres) + max([max(centres) if sure == SURE else 0, *(_margin(noise, sure) for noise in noises)])


def known_crowd(mechanism: Mechanism) -> int:
    """How many people must ask a query for it to be shown usually."""
    about = declared(mechanism)
    crossing = about.crossings["queries"]
    margins = [round(4 * crossing.sd) if crossing.gaussian else _margin(DiscreteLaplace(crossing.sd), USUALLY)]
    if about.least is not None:
        margins.append(_margin(about.noise["queries"], USUALLY))
    shared = queries_of(mechanism, whole_sessions=False) if crossing.gaussian else 1  # who asks two queries gives each less weight
    return shared * (max(1, round(crossing.centre)) + max(margins))


def _margin(noise: Noise, sure: float) -> int:
    """What the noise practically never exceeds."""
    step = 1
    while noise.tail(step) > sure:
        step *= 2
    return next(t for t in range(step // 2, step + 1) if noise.tail(t) <= sure)
