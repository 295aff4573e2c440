"""The choice of the ladder in two kinds of world, sampled: nobody at all (how many rows does noise invent?),
and one lone user with an open key, a cell of a grid and a word of a public list (do the two logs keep the
promise?). `python benchmarks/ladder_worlds.py --worlds 400000`

All privacy is in one selection with (ε, δ) = (1, 0.1). An event of the outcomes (which of the three are
shown) is learnt on one half of the worlds and confirmed on the other, with Clopper and Pearson's bounds at
10⁻⁴.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math

import numpy as np

from crowdlog.measure.intervals import clopper_pearson
from crowdlog.mechanisms.rungs.choice import CellGrid, Column, choose
from crowdlog.privacy.gaussian import largest_mu
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.graded import Graded
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Ints

EPSILON, DELTA, TAIL = 1.0, 0.1, 0.3
CHANCE = 0.02  # how often noise alone may show one cell, or one word of the list
SURE = 0.9998  # of both bounds together


def outcomes(worlds: int, present: bool) -> Ints:
    """Of each world: 1 if the open key is shown, 2 if the cell is, 4 if the listed word is, added up."""
    size = worlds
    graded = Graded(AdaptiveGaussian(items_per_user=3), largest_mu(EPSILON, (1 - TAIL) * DELTA))
    bar = graded.method.threshold(graded.mu, TAIL * DELTA, EPSILON)
    nobody = Incidence(np.zeros(worlds + 1, np.int64), np.zeros(0, np.int32), size)
    everybody = Incidence(np.arange(worlds + 1), np.arange(worlds, dtype=np.int32), size)
    held = everybody if present else nobody
    each, no, yes = np.full(size, CHANCE), np.zeros(size, bool), np.ones(size, bool)
    columns = [
        Column("sites", held, -1 - np.arange(size), np.zeros(size), no),
        Column(
            "queries",
            held,
            np.arange(size),
            each,
            no,
            1.0,
            [CellGrid(size, CHANCE * size, lambda cell: cell)],
        ),
        Column("words", held, np.arange(size), each, yes),
    ]
    chosen = choose(graded, columns, bar, SystemRandomness())
    found = np.zeros(worlds, np.int64)
    found[-1 - chosen["sites"].key] += 1
    found[chosen["queries"].key] += 2
    found[chosen["words"].key] += 4
    return found


def certified(likely: Ints, unlikely: Ints) -> tuple[float, float]:
    """The largest δ that is surely needed at this ε, and its estimate."""
    half = len(likely) // 2
    events = [set(event) for n in range(1, 9) for event in itertools.combinations(range(8), n)]

    def shares(samples: Ints, event: set[int]) -> Bools:
        return np.isin(samples, list(event))

    best = max(
        events,
        key=lambda e: shares(likely[:half], e).mean() - math.exp(EPSILON) * shares(unlikely[:half], e).mean(),
    )
    seen, other = (shares(side[half:], best) for side in (likely, unlikely))
    low = clopper_pearson(int(seen.sum()), len(seen), SURE)[0]
    high = clopper_pearson(int(other.sum()), len(other), SURE)[1]
    return low - math.exp(EPSILON) * high, float(seen.mean() - math.exp(EPSILON) * other.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=400_000)
    worlds = parser.parse_args().worlds
    absent, present = outcomes(worlds, present=False), outcomes(worlds, present=True)
    for name, bit in (("cells", 2), ("listed words", 4)):
        shown = int((absent & bit > 0).sum())
        line = {"noise only": name, "allowed": CHANCE * worlds, "invented": shown, "worlds": worlds}
        print(json.dumps(line))
    for name, pair in (("present, absent", (present, absent)), ("absent, present", (absent, present))):
        surely, estimate = certified(*pair)
        print(json.dumps({"lone user": name, "delta": DELTA, "estimate": estimate, "certified": surely}))


if __name__ == "__main__":
    main()
