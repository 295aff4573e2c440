"""The steps of the ladder in small worlds, sampled. `python benchmarks/ladder_worlds.py --worlds 400000`

Nobody at all: how many rows does noise invent? One lone user with an open key, a cell of a grid and a word of
a public list, alone or behind a crowd that holds the same: do the two logs keep the promise, and how often is
a membership game won? All privacy is in one selection with (ε, δ) = (1, 0.1). An event of the outcomes (which
of the three are shown) is learnt on one half of the worlds and confirmed on the other, with Clopper and
Pearson's bounds at 10⁻⁴.
Then games on numbers of people and on tables over public values, each with all privacy (μ of ε = 1, δ =
0.07): the attacker knows everybody else and guesses by the likelihood, which is the best there is.

People of different worlds share no key and noise is drawn for each key, so that all worlds of one run are
independent runs of the step.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math

import numpy as np

from crowdlog.measure.intervals import clopper_pearson
from crowdlog.mechanisms.rungs.choice import CellGrid, Classes, Column, choose
from crowdlog.privacy import scaled_counts
from crowdlog.privacy.divided import divided, noisy_cells
from crowdlog.privacy.gaussian import largest_mu
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.graded import Graded
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Ints

EPSILON, DELTA, TAIL = 1.0, 0.1, 0.3
CHANCE = 0.02  # how often noise alone may show one cell, or one word of the list
SURE = 0.9998  # of both bounds together
CROWDS = (1, 3)  # others who hold the same three keys


def outcomes(worlds: int, crowd: int, present: bool) -> Ints:
    """Of each world: 1 if the open key is shown, 2 if the cell is, 4 if the listed word is, added up. Every
    world has a crowd, and one person more if she is present.
    """
    size, people = worlds, crowd + present
    graded = Graded(AdaptiveGaussian(items_per_user=3), largest_mu(EPSILON, (1 - TAIL) * DELTA))
    bar = graded.method.threshold(graded.mu, TAIL * DELTA, EPSILON)
    own = np.repeat(np.arange(worlds, dtype=np.int32), people)
    held = Incidence(np.arange(len(own) + 1), own, size)
    kind = np.zeros(size, np.int32)
    columns = [
        Column("sites", held, -1 - np.arange(size), kind, Classes.of((0.0, False))),
        Column(
            "queries",
            held,
            np.arange(size),
            kind,
            Classes.of((CHANCE, False)),
            1.0,
            [CellGrid(size, CHANCE * size, lambda cell: cell)],
        ),
        Column("words", held, np.arange(size), kind, Classes.of((CHANCE, True))),
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


def won(present: Ints, absent: Ints) -> tuple[int, int]:
    """Membership games won of so many: the guess for each outcome is learnt on one half."""
    half = len(present) // 2
    seen, other = (np.bincount(side[:half], minlength=8) for side in (present, absent))
    yes = seen > other
    return int(yes[present[half:]].sum() + (~yes[absent[half:]]).sum()), 2 * (len(present) - half)


def of_people(worlds: int, mu: float) -> tuple[int, int]:
    """Games on scaled numbers of people: ten others and she hold three keys of each world, and she alone is
    as long as the bound.
    """
    weights = np.full(3 * worlds, scaled_counts.UNIT, np.int64)
    bound = math.isqrt(3 * scaled_counts.UNIT**2)
    sums = {}
    for people in (10, 11):
        first = np.repeat(3 * np.arange(worlds, dtype=np.int32), people)
        items = (first[:, None] + np.arange(3, dtype=np.int32)).ravel()
        held = Incidence(3 * np.arange(len(first) + 1), items, 3 * worlds)
        drawn = scaled_counts.noisy_people(held, weights, bound, mu, SystemRandomness())
        sums[people] = drawn.people.reshape(worlds, 3).sum(axis=1)
    middle = 3 * (10 + 11) / 2
    return int((sums[11] > middle).sum() + (sums[10] <= middle).sum()), 2 * worlds


def of_cells(worlds: int, mu: float) -> tuple[int, int]:
    """Games on tables over public values: her searches all lie in one cell."""
    right = 0
    for present in (False, True):
        users = np.arange(worlds) if present else np.zeros(0, np.int64)
        (cells,) = noisy_cells([divided(users, users, worlds)], mu, SystemRandomness())
        right += int(((cells > 0.5) == present).sum())
    return right, 2 * worlds


def told(step: str, games: tuple[int, int], most: float) -> None:
    """How many games were won, and how many may be, at most."""
    low, high = clopper_pearson(*games, SURE)
    line = {"membership": step, "games": games[1], "won": games[0] / games[1], "surely": [low, high]}
    print(json.dumps({**line, "at most": most, "alarm": low > most}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=400_000)
    worlds = parser.parse_args().worlds
    absent, present = outcomes(worlds, 0, present=False), outcomes(worlds, 0, present=True)
    for name, bit in (("cells", 2), ("listed words", 4)):
        shown = int((absent & bit > 0).sum())
        line = {"noise only": name, "allowed": CHANCE * worlds, "invented": shown, "worlds": worlds}
        print(json.dumps(line))
    most = (math.exp(EPSILON) + DELTA) / (1 + math.exp(EPSILON))
    for crowd in (0, *CROWDS):
        if crowd:
            absent, present = (outcomes(worlds // 4, crowd, present=side) for side in (False, True))
        for name, pair in (("present, absent", (present, absent)), ("absent, present", (absent, present))):
            surely, estimate = certified(*pair)
            line = {"one user behind": crowd, "of": name, "delta": DELTA, "estimate": estimate}
            print(json.dumps({**line, "certified": surely, "alarm": surely > DELTA}), flush=True)
        told(f"choice, one behind {crowd}", won(present, absent), most)
    mu = largest_mu(EPSILON, (1 - TAIL) * DELTA)
    most = (math.exp(EPSILON) + (1 - TAIL) * DELTA) / (1 + math.exp(EPSILON))
    told("numbers of people", of_people(worlds // 4, mu), most)
    told("public values", of_cells(worlds, mu), most)


if __name__ == "__main__":
    main()
