"""How many people hold each shown key: all tables in one vector, in two passes, the second with weights from
the first. Proof: proofs/ladder.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crowdlog.engine.holdings import beside
from crowdlog.mechanisms.rungs.climb import ShownKeys
from crowdlog.privacy import scaled_counts
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Floats, Ints

# Of a table: how much of a person's length its keys get, before the size of the table and of counts. Tuned on
# synthetic logs other than the reported ones; any value is equally private.
WORTH = {
    "words": 1.8,
    "queries": 2.8,
    "word_pairs": 1.4,
    "sites": 1.2,
    "query_sites": 1.8,
    "word_sites": 1.6,
    "pairs": 1.5,
}
# Of the privacy of counts: what finds the bounds of both passes at 1,000 people, and what measures the share
# that scaling leaves from 15,000 people on; less where there are more, because the noise matters less.
BOUNDS_SHARE, BOUNDS_AT = 0.18, 1000
KEPT_SHARE, MEASURED_FROM = 0.10, 15_000
FIRST_PASS = 0.3  # of the rest
KEPT, KEPT_SPREAD = 0.95, 0.055  # what scaling leaves where it is not measured, and how far keys differ
MEASURED_SPREAD = 0.035  # how far keys differ from a measured share
# Counts are never divided by less: where so little is left of long vectors, keys of short ones keep all.
LEAST_KEPT = 0.5
FLATTER = -0.7  # weights of the second pass follow this power of the first pass's counts
LEAST_COUNT = 0.7  # standard deviations of the first pass: smaller counts are taken for this
SURE = 1.96  # standard deviations of an interval that holds the truth in 95 of 100 cases


@dataclass(frozen=True)
class People:
    """Of each key: how many people, the standard deviation of the noise in that, and an interval."""

    count: Floats
    noise: Floats
    spread: Floats  # half of the interval


@dataclass(frozen=True)
class Pass:
    """What one pass finds. `unlike`: how far keys differ in what scaling leaves of them, as a share."""

    count: Floats
    noise: Floats
    unlike: float


def _bounds_part(people: int) -> float:
    return BOUNDS_SHARE * min(1.0, math.sqrt(BOUNDS_AT / people))


def _kept_part(people: int) -> float:
    return KEPT_SHARE * math.sqrt(MEASURED_FROM / people) if people >= MEASURED_FROM else 0.0


def smallest_mu(people: int) -> float:
    """What counts of so many people need: below it the noise that finds their bounds cannot be drawn."""
    return scaled_counts.smallest_mu() / math.sqrt(_bounds_part(people) / 2)


def count_people(
    shown: Mapping[str, ShownKeys], mu: float, people: int, randomness: Randomness
) -> tuple[dict[str, People], dict[str, float]]:
    """Every person once per key. μ of all passes and sums together. Also the kept share of each pass."""
    held = beside([each.held for each in shown.values()])
    bounds_part, kept_part = _bounds_part(people), _kept_part(people)
    # Where ε is so small that the measure's noise cannot be drawn the share is not measured.
    measured = mu * math.sqrt(kept_part / 2) >= scaled_counts.smallest_mu()
    table = np.concatenate([_table_weight(name, each.size) for name, each in shown.items()])
    passes, shares, wanted = [], [], table
    for part in (FIRST_PASS, 1 - FIRST_PASS):
        weights = scaled_counts.as_weights(wanted)
        squares = scaled_counts.squared_lengths(held, weights)
        longest = scaled_counts.longest_length(weights)
        part_mu = mu * math.sqrt(part * (1 - bounds_part - kept_part))
        found = scaled_counts.find_bound(squares, longest, mu * math.sqrt(bounds_part / 2), randomness)
        # At a small ε the bound is mostly noise, and may ask for more of it than can be drawn: after the
        # charge that would be an error, now and then.
        bound = min(found, scaled_counts.longest_bound(part_mu))
        counted = scaled_counts.noisy_people(held, weights, bound, part_mu, randomness)
        kept = KEPT, KEPT, KEPT_SPREAD
        if measured:
            looked = scaled_counts.kept_share(squares, bound, mu * math.sqrt(kept_part / 2), randomness)
            kept = _kept(*looked)
        share, surely, unlike = (1.0, 1.0, 0.0) if bound >= longest else kept
        passes.append(Pass(counted.people / share, counted.noise / surely, unlike))
        shares.append(share)
        wanted = table * np.maximum(passes[0].count, LEAST_COUNT * passes[0].noise) ** FLATTER
    whole = _together(*passes)
    return _by_table(shown, whole), {f"kept share, pass {n + 1}": share for n, share in enumerate(shares)}


def _table_weight(name: str, size: int) -> Floats:
    return np.full(size, WORTH[name] / max(size, 1) ** 0.25)


def _kept(measured: float, noise: float) -> tuple[float, float, float]:
    """The kept share by a noisy measure and by what it usually is, for counts and for their noise, and how
    far keys lie from it. Below LEAST_KEPT noise is divided by the share itself, and keys lie so far from it
    that intervals reach from nobody to what the share itself would say.
    """
    weight = KEPT_SPREAD**2 / (KEPT_SPREAD**2 + noise**2)
    share = weight * measured + (1 - weight) * KEPT
    left = math.sqrt(weight) * noise
    if share < LEAST_KEPT:
        surely = max(share, left)
        return LEAST_KEPT, surely, LEAST_KEPT / surely
    share = min(1.0, share)
    return share, share, math.hypot(MEASURED_SPREAD, left)


def _together(first: Pass, second: Pass) -> People:
    """By inverse variance; what keys differ in is the same in both passes, so it does not average out."""
    precision = first.noise**-2 + second.noise**-2
    weight: Floats = first.noise**-2 / precision
    count = weight * first.count + (1 - weight) * second.count
    unlike = weight * first.unlike + (1 - weight) * second.unlike
    noise = precision**-0.5
    return People(count, noise, SURE * np.sqrt(noise**2 + (unlike * count) ** 2))


def _by_table(shown: Mapping[str, ShownKeys], whole: People) -> dict[str, People]:
    ends = np.cumsum([each.size for each in shown.values()])
    parts: dict[str, People] = {}
    for (name, each), end in zip(shown.items(), ends, strict=True):
        own: Ints = np.arange(end - each.size, end)
        parts[name] = People(whole.count[own], whole.noise[own], whole.spread[own])
    return parts
