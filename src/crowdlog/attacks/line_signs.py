"""The signs in what a party sees on its own line: who called when, what arrived in which order and company.

Each sign is a small number (learned_odds.py). Differences and times are put into bins by their logarithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdlog.attacks.learned_odds import BINS
from crowdlog.types import Floats, Ints

Callers = Sequence[tuple[float, int]]  # moment, and who called, by number
_NEVER = BINS - 1
_STEPS_PER_SECOND = 16  # the shortest times that are told apart
_EIGHTHS = 8  # of all people: how finely their order is looked at


@dataclass(frozen=True)
class Sending:
    """One call in which a member sends: when, who (by number), how many envelopes and bytes, and the number
    of the first one's slot.
    """

    moment: float
    who: int
    envelopes: int
    size: int
    slot: int


@dataclass(frozen=True)
class Arrivals:
    """Envelopes in the order in which they arrived: when, in which batch, and at which place of it."""

    names: list[str]
    moments: list[float]
    batches: Ints
    places: Ints

    @classmethod
    def of(cls, batches: Sequence[tuple[float, Sequence[str]]], known: set[str]) -> Arrivals:
        """Those of the batches that are members', with the place among all that came."""
        rows = [
            (one, moment, number, place)
            for number, (moment, part) in enumerate(batches)
            for place, one in enumerate(part)
            if one in known
        ]
        names, moments, numbers, places = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(list(names), list(moments), np.array(numbers, int), np.array(places, int))


def sender_signs(arrivals: Arrivals, callers: Callers, people: int) -> Ints:
    """For each report and each person: how many others called since she last did before it arrived, how long
    ago that was, how many calls she made since the batch before, whether her place among those who called is
    the report's place in its batch, and whether her place among those who joined is its place among all.
    """
    signs = np.full((len(arrivals.names), people, 5), _NEVER, int)
    everybody = np.arange(people)
    before = -np.inf
    for batch in np.unique(arrivals.batches):
        rows = np.flatnonzero(arrivals.batches == batch)
        moment = arrivals.moments[rows[0]]
        last = _last_calls(callers, moment, people)
        recent = np.argsort(np.argsort(-last))
        called = np.isfinite(last)
        since = np.bincount([who for at, who in callers if before < at < moment], minlength=people)
        signs[rows, :, 0] = np.where(called, _logarithm(recent), _NEVER)
        signs[rows, :, 1] = np.where(
            called, _logarithm(_STEPS_PER_SECOND * (moment - np.where(called, last, moment))), _NEVER
        )
        signs[rows, :, 2] = np.minimum(since, BINS - 1)
        in_batch = len(rows) - 1 - arrivals.places[rows]
        signs[rows, :, 3] = np.where(called, _logarithm(np.abs(in_batch[:, None] - recent)), _NEVER)
        joined = np.abs(rows[:, None] / len(arrivals.names) - everybody / people)
        signs[rows, :, 4] = (joined * (BINS - 1)).astype(int)
        before = moment
    return signs


def _last_calls(callers: Callers, moment: float, people: int) -> Floats:
    """When each person called last before this moment; −∞ for who never did."""
    last = np.full(people, -np.inf)
    for at, who in callers:
        if at < moment:
            last[who] = at
    return last


def pair_signs(arrivals: Arrivals) -> Ints:
    """For each two envelopes: how many batches, places and moments lie between them."""
    moments = np.array(arrivals.moments)
    batches = np.abs(arrivals.batches[:, None] - arrivals.batches)
    places = np.abs(arrivals.places[:, None] - arrivals.places)
    near = np.where(batches == 0, _logarithm(places), _NEVER)
    apart = _logarithm(_STEPS_PER_SECOND * np.abs(moments[:, None] - moments))
    return np.stack([_logarithm(batches), near, apart], axis=-1)


def sending_signs(calls: Sequence[Sending], people: int) -> Ints:
    """What the first mix sees of each person who sends: how many envelopes in how many calls and bytes, when
    first and last, with which slot first, and when she joined.
    """
    signs = np.zeros((people, 7), int)
    moments: list[list[float]] = [[] for _ in range(people)]
    for call in calls:
        if not moments[call.who]:
            signs[call.who, 3] = call.slot
        moments[call.who].append(call.moment)
        signs[call.who, :3] += (call.envelopes, 1, call.size)
    sizes = np.unique(signs[:, 2], return_inverse=True)[1]
    signs[:, 2] = sizes * (BINS - 1) // max(1, sizes.max())
    first = np.argsort(np.argsort([min(own, default=np.inf) for own in moments]))
    last = np.argsort(np.argsort([max(own, default=np.inf) for own in moments]))
    for column, ranks in enumerate((first, last, np.arange(people)), start=4):
        signs[:, column] = ranks * _EIGHTHS // people
    return np.minimum(signs, BINS - 1)


def _logarithm(values: Floats | Ints) -> Ints:
    """Bins that double in width: 0, 1, 2–3, 4–7, …"""
    bins: Ints = np.minimum(np.floor(np.log2(np.maximum(values, 0.5))) + 1, BINS - 2).astype(int)
    return bins
