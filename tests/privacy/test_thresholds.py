"""Thresholds: the exact ε and δ against every pair of neighbours of small settings, the roundings, and the
claims of the papers that fail.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.privacy.published import dp_a, zealous_indistinguishable, zealous_probabilistic
from crowdlog.privacy.thresholds import (
    Threshold,
    charge_sampler,
    laplace_epsilon,
    laplace_guarantee,
    smallest_threshold,
)


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """All ways to write the total as a falling sum of parts up to the largest."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in partitions(total - part, part):
            yield (part, *rest)


def outputs(threshold: Threshold, count: int, published: bool) -> NDArray[np.float64]:
    """P(nothing), P(K+1), P(K+2), … of one key with this true count; P(nothing), P(selected) if the value is
    not published.
    """
    noise, K = threshold.noise, threshold.K
    values = np.arange(K + 1, 3 * K + math.ceil(40 * threshold.scale))
    if count < threshold.at_least:
        return np.array([1.0, *np.zeros(len(values) if published else 1)])
    return np.array(
        [
            noise.tail(count - K - 1),
            *(np.exp(noise.log_pmf(values - count)) if published else [noise.tail(K - count)]),
        ]
    )


def divergence(left: list[NDArray[np.float64]], right: list[NDArray[np.float64]], epsilon: float) -> float:
    """The least δ with P_left(S) ≤ e^ε·P_right(S) + δ for every set S of joint outputs."""
    return float(
        np.maximum(
            reduce(np.multiply.outer, left) - math.exp(epsilon) * reduce(np.multiply.outer, right), 0
        ).sum()
    )


def worst_divergence(threshold: Threshold, published: bool) -> float:
    """Over all neighbours: every split of up to d units over keys, every number the others hold of each key,
    both directions.
    """
    worst = 0.0
    for total in range(1, threshold.d + 1):
        for added in partitions(total, threshold.largest):
            for others in itertools.product(range(threshold.K + 3), repeat=len(added)):
                without = [outputs(threshold, m, published) for m in others]
                with_her = [outputs(threshold, m + c, published) for m, c in zip(others, added, strict=True)]
                for pair in ((without, with_her), (with_her, without)):
                    worst = max(worst, divergence(*pair, threshold.epsilon))
    return worst


SMALL = [
    Threshold(0.5, 2, 2),
    Threshold(0.5, 3, 3),
    Threshold(1.0, 4, 3),
    Threshold(2.0, 3, 3),
    Threshold(2.0, 5, 2),
    Threshold(1.0, 2, 3, distinct=True),
    Threshold(2.0, 4, 2, distinct=True),
    Threshold(0.7, 4, 3, distinct=True, at_least=2),
    Threshold(1.5, 5, 2, at_least=3),
    Threshold(1.0, 1, 1),
    Threshold(9.0, 2, 2, distinct=True, at_least=2),
]


@pytest.mark.parametrize("threshold", SMALL, ids=repr)
def test_no_pair_of_neighbours_breaks_the_promise_and_one_needs_all_of_it(threshold: Threshold) -> None:
    assert worst_divergence(threshold, published=False) == pytest.approx(threshold.ideal_delta, rel=1e-9)


@pytest.mark.parametrize("threshold", [t for t in SMALL if t.d <= 2], ids=repr)
def test_publishing_the_same_noisy_value_costs_nothing_more(threshold: Threshold) -> None:
    assert worst_divergence(threshold, published=True) == pytest.approx(threshold.ideal_delta, rel=1e-9)


@pytest.mark.parametrize("threshold", SMALL, ids=repr)
def test_epsilon_is_the_largest_log_ratio_when_delta_is_left_aside(threshold: Threshold) -> None:
    """d keys that others hold too, or d keys that only she holds and that nobody saw: one of the two ratios
    is e^ε.
    """
    base = threshold.at_least + 20
    held = math.log(outputs(threshold, base, False)[0] / outputs(threshold, base + 1, False)[0]) * threshold.d
    alone = -math.log(outputs(threshold, threshold.at_least, False)[0]) * threshold.d
    assert max(held, alone) == pytest.approx(threshold.epsilon, rel=1e-9)


@given(d=st.integers(1, 12), room=st.integers(0, 40), scale=st.floats(0.2, 30), filtered=st.integers(1, 4))
def test_the_worst_split_is_one_of_two(d: int, room: int, scale: float, filtered: int) -> None:
    threshold = Threshold(scale, d + filtered - 1 + room, d, at_least=filtered)
    kept_hidden = [1.0] + [1 - float(threshold.shown(c)) for c in range(1, d + 1)]
    worst = max(1 - math.prod(kept_hidden[c] for c in split) for split in partitions(d, d))
    assert worst == pytest.approx(threshold.ideal_delta, rel=1e-6, abs=1e-14)


@settings(max_examples=40)
@given(
    epsilon=st.floats(0.05, 8),
    exponent=st.floats(2, 12),
    d=st.integers(1, 300),
    distinct=st.booleans(),
    at_least=st.integers(1, 6),
)
def test_the_smallest_threshold_holds_and_the_next_lower_does_not(
    epsilon: float, exponent: float, d: int, distinct: bool, at_least: int
) -> None:
    delta = 10.0**-exponent
    found = smallest_threshold(epsilon, delta, d, distinct=distinct, at_least=at_least)
    assert found.epsilon <= epsilon
    assert found.delta <= delta
    assert Fraction(found.scale) * Fraction(epsilon) >= d
    lower = found.K - 1
    if lower >= at_least - 1 + found.largest:
        tried = Threshold(found.scale, lower, d, distinct, at_least)
        assert tried.delta > delta or tried.epsilon > epsilon


@settings(max_examples=30)
@given(n=st.integers(2, 9), d=st.integers(1, 40), distinct=st.booleans())
def test_a_raw_filter_raises_the_threshold_by_one_less_than_itself(n: int, d: int, distinct: bool) -> None:
    plain = smallest_threshold(1.0, 1e-6, d, distinct=distinct)
    filtered = smallest_threshold(1.0, 1e-6, d, distinct=distinct, at_least=n)
    raised = filtered.K - plain.K
    assert raised == n - 1


def test_a_raw_filter_that_is_not_charged_turns_1e_5_into_a_tenth() -> None:
    plain = smallest_threshold(math.log(10), 1e-5, 1)
    filtered = Threshold(plain.scale, plain.K, 1, at_least=5)
    assert filtered.delta / plain.delta == pytest.approx(1e4)
    assert filtered.delta > 0.09


@pytest.mark.parametrize("d", [1, 5, 10, 20, 40, 80, 160])
def test_the_exact_threshold_is_below_the_published_one(d: int) -> None:
    published = dp_a(math.log(10), 1e-5, d).k
    assert published > smallest_threshold(math.log(10), 1e-5, d).K


def test_epsilon_of_one_unit_has_the_papers_two_terms() -> None:
    """ln α = max(1/b, ln(1 + 1/((1+q)·q^-K − 1))) with q = e^(−1/b)."""
    for scale, K in ((2.0, 10), (10.0, 2)):
        q = math.exp(-1 / scale)
        expected = max(1 / scale, math.log(1 + 1 / ((1 + q) * q**-K - 1)))
        assert Threshold(scale, K, 1).epsilon == pytest.approx(expected, rel=1e-12)


def test_zealous_as_printed_is_not_what_it_claims() -> None:
    """With b = 2d/ε and k = d(1 − ln(2δ/d)/ε) the δ is about √(dδ/2), a thousand times the claim."""
    printed = zealous_indistinguishable(1.0, 1e-6, 5)
    real_valued = 1 - (1 - 0.5 * math.exp((printed.k_raw + 1 - printed.k) / printed.b)) ** 5
    discrete = Threshold(printed.b, math.ceil(printed.k), 5, distinct=True, at_least=printed.k_raw + 1)
    assert real_valued > 1000 * 1e-6
    assert discrete.ideal_delta > 1000 * 1e-6


def test_zealous_probabilistic_setting_is_ample_as_approximate_privacy_and_a_hair_short_as_claimed() -> None:
    printed = zealous_probabilistic(1.0, 1e-6, 1, 100_000)
    discrete = Threshold(printed.b, math.floor(printed.k), 1, distinct=True, at_least=printed.k_raw + 1)
    assert discrete.delta < 1e-10
    assert 1e-6 < discrete.probabilistic(100_000).delta < 1.5e-6
    one_higher = Threshold(printed.b, math.floor(printed.k) + 1, 1, distinct=True, at_least=printed.k_raw + 1)
    assert one_higher.probabilistic(100_000).delta < 1e-6


def test_probabilistic_privacy_holds_output_by_output() -> None:
    """Outputs without the key of exactly at_least people have ratios within e^±ε for every neighbour; that
    key is as rare as promised.
    """
    threshold = Threshold(1.5, 6, 1, distinct=True, at_least=3)
    for count in range(9):
        here = outputs(threshold, count, True)
        for neighbour in (outputs(threshold, max(count - 1, 0), True), outputs(threshold, count + 1, True)):
            told = slice(0, 1) if count <= threshold.at_least else slice(None)
            assert np.abs(np.log(here[told] / neighbour[told])).max() <= threshold.epsilon + 1e-9
    users = 10
    at_risk = users // 3
    shown = 1 - outputs(threshold, 3, True)[0]
    assert threshold.probabilistic(users).delta == pytest.approx(1 - (1 - shown) ** at_risk, rel=1e-9)


def test_probabilistic_privacy_is_refused_for_impressions() -> None:
    with pytest.raises(InputError, match="people"):
        Threshold(1.0, 5, 2).probabilistic(10)


def test_sampler_and_laplace_counts_are_charged_and_rounded_up() -> None:
    assert laplace_epsilon(1, 3.0) * Fraction(3) >= 1
    assert laplace_guarantee(20, 10.0).epsilon == 2.0
    assert 0 < laplace_guarantee(20, 10.0).delta < 1e-30
    assert charge_sampler(0.0, 1000.0, Fraction(1, 1 << 120)) == 1.0
    assert charge_sampler(0.5, 0.0, Fraction(1, 4)) == 1.0
    threshold = smallest_threshold(1.0, 1e-6, 5)
    assert threshold.delta >= threshold.ideal_delta
    assert threshold.guarantee().kind == "approximate DP"


@pytest.mark.parametrize(
    "bad",
    [
        {"scale": 1.0, "K": 4, "d": 5},
        {"scale": 1.0, "K": 4, "d": 0},
        {"scale": 1.0, "K": 4, "d": 2, "at_least": 0},
        {"scale": 1.0, "K": 5, "d": 5, "at_least": 2},
        {"scale": 1.0, "K": 4.5, "d": 2},
    ],
)
def test_bad_thresholds_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError, match="threshold"):
        Threshold(**bad)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.0, 1e-6), (1.0, 0.0), (1.0, 1.0), (math.inf, 0.1), (math.nan, 0.1), (200.0, 1e-6)],
)
def test_impossible_promises_are_refused(epsilon: float, delta: float) -> None:
    with pytest.raises(InputError, match="δ"):
        smallest_threshold(epsilon, delta, 2)
