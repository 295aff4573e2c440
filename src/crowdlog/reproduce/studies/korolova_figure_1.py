"""Figure 1: the chance that a query is released, by its frequency."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import rises
from crowdlog.reproduce.studies.korolova_release import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

D, K, B = 20, 140, 8.69
FREQUENCIES = tuple(range(80, 201, 5))
VIRTUALLY = 0.02  # of certainty: our reading
NOISES = 10_000  # drawn for each frequency
SETUP = (
    "Nothing of a log is needed: a query is released when its count plus noise exceeds K. The exact chance "
    f"follows from the noise; beside it stands the share of {NOISES:,} draws."
)


def run(bench: Bench) -> Result:
    noise = DiscreteLaplace(B)
    exact = {frequency: noise.tail(K - frequency) for frequency in FREQUENCIES}
    drawn = drawn_shares(noise, bench.seed)
    points = [Point(x, y, name) for name, of in (("exact", exact), ("drawn", drawn)) for x, y in of.items()]
    panel = Panel(
        f"d = {D}, K = {K}, b = {B}",
        ["frequency", "chance, exact", "share of draws"],
        [[frequency, exact[frequency], drawn[frequency]] for frequency in FREQUENCIES],
        curves(points, x="frequency of the query", y="chance of release"),
        "The figure's values are only drawn in the paper.",
    )
    return Result([panel], claims(exact, drawn), SETUP)


def drawn_shares(noise: DiscreteLaplace, seed: int) -> dict[int, float]:
    randomness = SeededRandomness(seed)
    return {f: float(np.mean(noise.draw(NOISES, randomness) > K - f)) for f in FREQUENCIES}


def claims(exact: Mapping[int, float], drawn: Mapping[int, float]) -> list[Claim]:
    high, low = min(exact[f] for f in exact if f >= 170), max(exact[f] for f in exact if f <= 110)
    apart = max(abs(exact[f] - drawn[f]) for f in exact)
    between = [exact[f] for f in exact if 110 < f < 170]
    return [
        Claim(
            f"Queries asked 170 times and more are virtually guaranteed to be released (within {VIRTUALLY}).",
            high >= 1 - VIRTUALLY,
            f"the chance is {high:.4f} at 170",
        ),
        Claim(
            f"Queries asked 110 times and less are virtually guaranteed not to be (within {VIRTUALLY}).",
            low <= VIRTUALLY,
            f"the chance is {low:.4f} at 110",
        ),
        Claim(
            "Between them chance decides: the curve rises from one to the other.",
            rises(between) and between[0] < 0.1 and between[-1] > 0.9,
            f"from {between[0]:.3f} to {between[-1]:.3f}",
        ),
        Claim(
            "Drawn noise has the exact chances (within .02).",
            apart <= 0.02,
            f"they are {apart:.4f} apart",
        ),
    ]


STUDY = Study("korolova-figure-1", f"{PAPER}, Figure 1", "The chance of release by frequency", run)
