"""A mechanism run on neighbouring logs of every shape: what the ε audit and the δ audit both look at."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.audit.declared import (
    OF_SHOWN,
    critical_crowds,
    edges,
    first_table,
    kept_keys,
    key_tables,
    queries_per_key,
    thresholds,
    units,
    words_of,
)
from crowdlog.audit.events import Halves, codings
from crowdlog.audit.neighbours import Shape, at_threshold, exposed_edges, injected, unique, well_known
from crowdlog.audit.sampling import Effort, Shown, sample
from crowdlog.audit.shrink import Variant, variants
from crowdlog.audit.synthetic_logs import WorldLayout
from crowdlog.errors import InputError
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import Noise
from crowdlog.privacy.noise import DiscreteLaplace

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
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
        """Every shape in both directions: name, and for each way to look at the outcomes samples of the
        likely and of the unlikely log.
        """
        about = "" if self.variant.focus == "all" else f"most privacy on {self.variant.focus}, "
        for number, shape in enumerate(self.shapes):
            ways = codings(self.without, self.with_person, number)
            yield f"{about}{shape.name}, person added", [(present, absent) for absent, present in ways]
            yield f"{about}{shape.name}, person removed", ways


def exposed_trials(mechanism: Mechanism) -> list[tuple[Variant, tuple[Shape, ...]]]:
    """The situations in which δ is spent. They are run one after the other: small worlds can be many."""
    trials: list[tuple[Variant, tuple[Shape, ...]]] = []
    for variant in (variant for variant in variants(mechanism) if variant.focus != "counts"):
        further = edges(variant.mechanism)
        if variant.focus == "edges" and further is not None and isinstance(further.candidates, OF_SHOWN):
            trials.append((variant, exposed_edges(kept_keys(further), known_crowd(variant.mechanism))))
        else:
            d = kept_keys(first_table(variant.mechanism))
            trials += [(variant, unique(d)), (variant, injected(d))]
    return trials


def crowded_trials(
    mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness
) -> list[tuple[Variant, tuple[Shape, ...]]]:
    """The situations in which ε is spent."""
    return [(variant, _crowded(variant, logs, randomness)) for variant in variants(mechanism)]


def _crowded(variant: Variant, logs: SyntheticLogs, randomness: Randomness) -> tuple[Shape, ...]:
    mechanism, focus = variant.mechanism, variant.focus
    first = first_table(mechanism)
    d = kept_keys(first)
    shapes: tuple[Shape, ...] = ()
    if focus in ("all", "keys") and first.selection is not None:
        shapes += at_threshold(d, critical_crowds(first.selection.crossing, units(first)))
    if focus in ("all", "counts"):
        shapes += well_known(
            d, far_crowd(mechanism, crowds_at_threshold(mechanism, logs, randomness), USUALLY)
        )
    further = edges(mechanism)
    if focus == "edges" and further is not None:
        known = known_crowd(mechanism) if isinstance(further.candidates, OF_SHOWN) else 0
        sizes = (
            (known,)
            if further.selection is None
            else critical_crowds(further.selection.crossing, units(further))
        )
        shapes += at_threshold(kept_keys(further), sizes, known)
    return shapes


def run_trial(
    variant: Variant,
    shapes: tuple[Shape, ...],
    logs: SyntheticLogs,
    randomness: Randomness,
    effort: Effort,
) -> Trial:
    """Both sides of these shapes."""
    layout = effort.layout(variant.mechanism, shapes, whole_sessions=True)
    without, with_person = sample(variant.mechanism, logs, layout, randomness, effort, sides=(False, True))
    tables = [plan.name for plan in key_tables(variant.mechanism)]
    sides = ({name: side[name] for name in tables} for side in (without, with_person))
    return Trial(variant, layout.shapes, *sides)


def crowds_at_threshold(mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness) -> tuple[int, ...]:
    """For each table a crowd of which about half are shown: as declared, or where people divide weights tried
    on a ladder of crowds.
    """
    bars = thresholds(mechanism)
    if bars:
        return tuple(sorted({max(1, bar.K) for bar in bars.values()}))
    steps = tuple(Shape(str(crowd), crowd, 1, 0, 0) for crowd in LADDER)
    layout = WorldLayout(
        steps, LADDER_WORLDS, queries_per_key(mechanism, whole_sessions=False), words_of(mechanism)
    )
    (seen,) = sample(mechanism, logs, layout, randomness, Effort(runs=1), sides=(False,))
    found_keys = [seen[plan.name].keys.sum(axis=(0, 2)) for plan in key_tables(mechanism)]
    half = [np.flatnonzero(keys * 2 >= LADDER_WORLDS) for keys in found_keys]
    if not any(map(len, half)):
        raise InputError(
            f"{mechanism!r} shows nothing of a crowd of {LADDER[-1]} people, the largest the audit tries. "
            "Choose a larger ε or δ."
        )
    return tuple(sorted({LADDER[found[0]] for found in half if len(found)}))


def far_crowd(mechanism: Mechanism, centres: tuple[int, ...], sure: float = SURE) -> int:
    """A crowd that is practically always shown, and whose noisy count is practically never negative."""
    noises: list[Noise] = [plan.noise for plan in key_tables(mechanism) if plan.noise is not None]
    noises += [bar.noise for bar in thresholds(mechanism).values()]
    return max(centres) + max(
        [max(centres) if sure == SURE else 0, *(margin(noise, sure) for noise in noises)]
    )


def known_crowd(mechanism: Mechanism) -> int:
    """How many people must ask a query for it to be shown usually."""
    first = first_table(mechanism)
    if first.selection is None:
        raise TypeError("the main table has a selection")
    crossing = first.selection.crossing
    by_counts = isinstance(first.selection, NoisyThreshold)
    margins = [margin(DiscreteLaplace(crossing.sd), USUALLY) if by_counts else round(4 * crossing.sd)]
    if first.least is not None and first.noise is not None:
        margins.append(margin(first.noise, USUALLY))
    # who asks two queries gives each less weight
    shared = 1 if by_counts else queries_per_key(mechanism, whole_sessions=False)
    return shared * (max(1, round(crossing.centre)) + max(margins))


def margin(noise: Noise, sure: float) -> int:
    """What the noise practically never exceeds."""
    step = 1
    while noise.tail(step) > sure:
        step *= 2
    return step // 2 + bisect_left(range(step // 2, step), True, key=lambda t: noise.tail(t) <= sure)
