"""Which outcomes tell the two logs apart best: learnt on one half of the samples, to be confirmed on the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from crowdlog.audit.sampling import Shown
from crowdlog.types import Floats, Ints

# Where the sums of counts of one table are cut: finer in the tails, where Gaussian noise tells most.
CUTS = (0.005, 0.01, 0.02, 0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95, 0.98, 0.99, 0.995)


@dataclass(frozen=True)
class Halves:
    """One shape's samples from one log as small numbers: outcomes of the first half of the runs, and of the
    second.
    """

    first: Ints
    second: Ints


def codings(
    without: Mapping[str, Shown], with_person: Mapping[str, Shown], shape: int
) -> list[tuple[Halves, Halves]]:
    """Outcomes of both logs as small numbers, in several ways: each table on its own, then all together."""
    single = [_coded(without, with_person, shape, name) for name in without]
    ways = [single[number : number + 1] for number in range(len(single))] + (
        [single] if len(single) > 1 else []
    )
    return [_halves(way) for way in ways]


def _coded(
    without: Mapping[str, Shown], with_person: Mapping[str, Shown], shape: int, name: str
) -> list[Ints]:
    """Two outcomes of one table are the same if it shows equally many keys with sums in the same bin (bins
    from the first half).
    """
    sides = [_of(side, name, shape) for side in (without, with_person)]
    middle = sides[0][0].size // 2
    edges = np.unique(np.quantile(np.concatenate([total[:middle] for _keys, total in sides]), CUTS))
    return [keys * (len(CUTS) + 1) + np.searchsorted(edges, total, side="left") for keys, total in sides]


def _halves(parts: list[list[Ints]]) -> tuple[Halves, Halves]:
    """The joint outcomes of these parts, numbered anew, for both logs."""
    codes = [np.concatenate(part) for part in parts]
    joint = codes[0]
    for code in codes[1:]:
        joint = np.unique(joint, return_inverse=True)[1] * (int(code.max(initial=0)) + 1) + code
    known = np.unique(joint, return_inverse=True)[1].astype(np.int64)
    size = len(parts[0][0])
    absent, present = known[:size], known[size:]
    return Halves(absent[: size // 2], absent[size // 2 :]), Halves(
        present[: size // 2], present[size // 2 :]
    )


def _of(side: Mapping[str, Shown], name: str, shape: int) -> tuple[Ints, Ints]:
    return side[name].keys[:, shape].ravel(), side[name].total[:, shape].ravel()


@dataclass(frozen=True)
class Event:
    """How often the chosen event happened in the second half of the runs: of how many samples of the likely
    and of the unlikely log.
    """

    likely: int
    of_likely: int
    unlikely: int
    of_unlikely: int


# of events: times in likely samples, their number, times in unlikely ones, their number
Score = Callable[[Ints, int, Ints, int], Floats]


def best_event(ways: list[tuple[Halves, Halves]], score: Score) -> Event:
    """The event of the highest score in the first half, of all ways to look; what the second half says of it
    is free of that choice.
    """
    best, found = -np.inf, Event(0, 1, 0, 1)
    for likely, unlikely in ways:
        seen, other, seen_again, other_again = nested(likely, unlikely)
        scores = score(seen, len(likely.first), other, len(unlikely.first))
        at = int(np.argmax(scores))
        if scores[at] > best:
            best, found = (
                float(scores[at]),
                Event(int(seen_again[at]), len(likely.second), int(other_again[at]), len(unlikely.second)),
            )
    return found


def nested(likely: Halves, unlikely: Halves) -> tuple[Ints, Ints, Ints, Ints]:
    """Ever larger events, most telling outcome first: how often each happened in (likely first, unlikely
    first, likely second, unlikely second).
    """
    size = (
        int(max(part.max(initial=0) for half in (likely, unlikely) for part in (half.first, half.second))) + 1
    )
    counts = [
        np.bincount(part, minlength=size)
        for part in (likely.first, unlikely.first, likely.second, unlikely.second)
    ]
    order = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5), kind="stable")
    sums = [np.cumsum(count[order]) for count in counts]
    return sums[0], sums[1], sums[2], sums[3]
