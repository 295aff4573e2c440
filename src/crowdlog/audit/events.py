"""Which outcomes tell the two logs apart best: learnt on one half of the samples, to be confirmed on the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crowdlog.audit.sampling import Shown

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
BINS = 10  # of the sum of counts of one table


@dataclass(frozen=True)
class Halves:
    """One shape's samples from one log as small numbers: outcomes of the first half of the runs, and of the second."""

    first: Ints
    second: Ints


def halves(without: Mapping[str, Shown], with_person: Mapping[str, Shown], shape: int) -> tuple[Halves, Halves]:
    """Outcomes of both logs. Two outcomes are the same if each table shows equally many keys with sums in the same bin (bins from the first half)."""
    codes = [np.zeros(_of(side, next(iter(side)), shape)[0].size, np.int64) for side in (without, with_person)]
    middle = codes[0].size // 2
    for name in without:
        sides = [_of(side, name, shape) for side in (without, with_person)]
        edges = np.unique(np.quantile(np.concatenate([total[:middle] for _keys, total in sides]), np.linspace(0, 1, BINS + 1)[1:-1]))
        width = int(max(keys.max(initial=0) for keys, _total in sides)) + 1
        for i, (keys, total) in enumerate(sides):
            codes[i] = (codes[i] * width + keys) * (BINS + 1) + np.searchsorted(edges, total, side="left")
    known = np.unique(np.concatenate(codes), return_inverse=True)[1]
    both = known[: len(codes[0])], known[len(codes[0]) :]
    return Halves(both[0][:middle], both[0][middle:]), Halves(both[1][:middle], both[1][middle:])


def _of(side: Mapping[str, Shown], name: str, shape: int) -> tuple[Ints, Ints]:
    return side[name].keys[:, shape].ravel(), side[name].total[:, shape].ravel()


def nested(likely: Halves, unlikely: Halves) -> tuple[Ints, Ints, Ints, Ints]:
    """Ever larger events, most telling outcome first: how often each happened in (likely first, unlikely first, likely second, unlikely second)."""
    size = int(max(part.max(initial=0) for half in (likely, unlikely) for part in (half.first, half.second))) + 1
    counts = [np.bincount(part, minlength=size) for part in (likely.first, unlikely.first, likely.second, unlikely.second)]
    order = np.argsort(-(counts[0] + 0.5) / (counts[1] + 0.5), kind="stable")
    sums = [np.cumsum(count[order]) for count in counts]
    return sums[0], sums[1], sums[2], sums[3]
