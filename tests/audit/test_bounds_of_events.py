"""The lower bounds on ε and δ against mechanisms whose ε and δ are known: randomised response, and one that
fails openly.
"""

import math

import numpy as np

from crowdlog.audit.delta import delta_bound
from crowdlog.audit.epsilon import epsilon_bound
from crowdlog.audit.events import Halves


def response(true: int, epsilon: float, seed: int, n: int = 40_000) -> Halves:
    honest = np.random.default_rng(seed).random(n) < math.exp(epsilon) / (1 + math.exp(epsilon))
    told = np.where(honest, true, 1 - true)
    return Halves(told[: n // 2], told[n // 2 :])


def test_epsilon_of_randomised_response_is_found_and_not_exceeded():
    bounds = [
        epsilon_bound([(response(1, 1.5, seed), response(0, 1.5, seed + 100))], 0, 1e-6) for seed in range(10)
    ]
    assert max(bounds) <= 1.5
    assert min(bounds) > 1.3


def test_delta_of_an_open_failure_is_found_and_not_exceeded():
    def failing(seed: int, chance: float) -> Halves:
        told = np.where(
            np.random.default_rng(seed).random(40_000) < chance,
            2,
            np.random.default_rng(seed + 50).integers(0, 2, 40_000),
        )
        return Halves(told[:20_000], told[20_000:])

    bounds = [delta_bound([(failing(seed, 0.05), failing(seed + 100, 0))], 1.0, 1e-6) for seed in range(10)]
    assert max(bounds) <= 0.05
    assert min(bounds) > 0.03


def test_equal_logs_differ_by_nothing():
    assert epsilon_bound([(response(1, 1.0, 1), response(1, 1.0, 2))], 0, 1e-6) < 0.1
    assert delta_bound([(response(1, 1.0, 1), response(1, 1.0, 2))], 0.0, 1e-6) < 0.05


def test_the_most_telling_way_to_look_is_taken():
    blind = response(1, 0.0, 5), response(1, 0.0, 6)
    telling = response(1, 1.5, 7), response(0, 1.5, 8)
    assert epsilon_bound([blind, telling], 0, 1e-6) == epsilon_bound([telling], 0, 1e-6) > 1.3
