"""On which logs policy Gaussian, DP-SIPS and MAD2R keep more keys than weighted Gaussian: `python -m
benchmarks.keys_data`, two minutes.

All save what weighted Gaussian spends on queries that pass anyway. The table says, for logs with more and
fewer one-off queries, how large that part is and how many keys each method keeps relative to weighted
Gaussian (mean of three runs, ε = ln 10, δ = 1e-5).
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.keys import MARGINS, SPLITS, read_log
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.dp_sips import DPSIPS
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.mad2r import MAD2R
from crowdlog.privacy.selection.policy_gaussian import PolicyGaussian
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian

EPSILON, DELTA, RUNS = math.log(10), 1e-5, 3
USERS, WORDS, MEAN = 50_000, 200_000, 25
ZIPF = ((1.2, 0.0), (1.0, 0.0), (0.8, 0.0), (1.0, 0.3), (1.0, 0.6))  # exponent, share of one-off queries


def zipf_log(exponent: float, one_off: float, seed: int = 1) -> Incidence:
    """Users with log-normally many queries; a share of them nobody else asks,
    the others by rank^−exponent.
    """
    rng = np.random.default_rng(seed)
    sizes = np.maximum(1, rng.lognormal(math.log(MEAN) - 0.5, 1.0, USERS)).astype(np.int64)
    chances = np.cumsum(np.arange(1, WORDS + 1) ** -exponent)
    items = np.searchsorted(chances / chances[-1], rng.random(sizes.sum())).clip(max=WORDS - 1)
    alone = rng.random(len(items)) < one_off
    items[alone] = WORDS + np.arange(alone.sum())
    return Histories.from_rows(np.repeat(np.arange(USERS), sizes), items, WORDS + int(alone.sum())).distinct()


def kept(method: Selection, log: Incidence) -> float:
    return float(
        np.mean([len(method.select(log, EPSILON, DELTA, SystemRandomness()).items) for _ in range(RUNS)])
    )


def row(name: str, log: Incidence, most: int = 200) -> str:
    named = np.zeros(log.size, bool)
    named[WeightedGaussian(most).select(log, EPSILON, DELTA, SystemRandomness()).items] = True
    base = kept(WeightedGaussian(most), log)
    policy = max(kept(PolicyGaussian(most, margin), log) for margin in MARGINS)
    sips = max(kept(DPSIPS(most, rounds, ratio), log) for rounds, ratio in SPLITS)
    rerouted = kept(MAD2R(most), log)
    ours = kept(AdaptiveGaussian(most), log)
    alone, passed = (log.holders()[log.items] == 1).mean(), named[log.items].mean()
    return (
        f"| {name} | {100 * alone:.0f} % | {100 * passed:.0f} % | {base:,.0f} | {policy / base:.2f} | "
        f"{sips / base:.2f} | {rerouted / base:.2f} | {ours / base:.2f} |"
    )


def main() -> None:
    print(
        "| log | held by one user | passes anyway | weighted Gaussian | policy Gaussian | DP-SIPS | MAD2R "
        "| adaptive |\n|---|---|---|---|---|---|---|---|"
    )
    for exponent, one_off in ZIPF:
        print(row(f"Zipf {exponent}, {100 * one_off:.0f} % one-off", zipf_log(exponent, one_off)), flush=True)
    log = read_log(11, USERS)[0].distinct()
    for most in (200, 20):
        print(row(f"synthetic log, {most} items per user", log, most), flush=True)


if __name__ == "__main__":
    main()
