"""CPU seconds for 10 million draws of noise, tables included, beside numpy (floats, not safe) and OpenDP.

Run: python benchmarks/noise.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import opendp.prelude as dp

from crowdlog.privacy.noise import DiscreteGaussian, DiscreteLaplace, _gaussian_table, _laplace_tables
from crowdlog.privacy.randomness import SystemRandomness

DRAWS = 10_000_000
OPENDP_DRAWS = 200_000  # measured and scaled up: 10 million take minutes


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def ours(noise: DiscreteLaplace | DiscreteGaussian) -> float:
    _laplace_tables.cache_clear()
    _gaussian_table.cache_clear()
    return cpu_seconds(lambda: noise.draw(DRAWS, SystemRandomness()))


def opendp(noise: DiscreteLaplace | DiscreteGaussian) -> float:
    domain = dp.vector_domain(dp.atom_domain(T=int))
    if isinstance(noise, DiscreteLaplace):
        measurement = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=noise.scale)
    else:
        measurement = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=noise.sigma)
    zeros = [0] * OPENDP_DRAWS
    return cpu_seconds(lambda: measurement(zeros)) * DRAWS / OPENDP_DRAWS


def numpys(noise: DiscreteLaplace | DiscreteGaussian) -> float:
    generator = np.random.default_rng(1)
    if isinstance(noise, DiscreteLaplace):
        return cpu_seconds(lambda: np.rint(generator.laplace(0.0, noise.scale, DRAWS)).astype(np.int64))
    return cpu_seconds(lambda: np.rint(generator.normal(0.0, noise.sigma, DRAWS)).astype(np.int64))


def main() -> None:
    dp.enable_features("contrib")
    # touches the memory once, so that the first row is not charged for it
    DiscreteLaplace(1.0).draw(DRAWS, SystemRandomness())
    print(
        "| 10 M draws, CPU s | crowdlog (exact) | numpy, rounded (floats, not safe) | OpenDP (exact) "
        "|\n|---|---|---|---|"
    )
    laplace = [DiscreteLaplace(scale) for scale in (1.0, 8.69, 100.0, 1000.0, 1e6)]
    for noise in (*laplace, *(DiscreteGaussian(sigma) for sigma in (1.8, 100.0, 1000.0, 2000.0))):
        print(f"| {noise} | {ours(noise):.2f} | {numpys(noise):.2f} | {opendp(noise):.0f} |", flush=True)


if __name__ == "__main__":
    main()
