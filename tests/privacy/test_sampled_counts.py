"""People who take part by lot: δ against exact fractions, the published bound, and the draws themselves."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from crowdlog.errors import InputError
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.sampled_counts import (
    MILLION,
    SampledCount,
    draw_participants,
    published_delta,
    sampled_delta,
    smallest_sampled_threshold,
)


def law(n: int, p: Fraction, K: int, top: int) -> list[Fraction]:
    """Of what is shown: nothing, K, K + 1, … top."""
    shown = [
        math.comb(n, s) * p**s * (1 - p) ** (n - s) if s <= n else Fraction(0) for s in range(K, top + 1)
    ]
    return [1 - sum(shown), *shown]


def exact(p: Fraction, K: int, epsilon: float, most: int, d: int = 1) -> float:
    """The hockey-stick divergence in fractions, the worst of all numbers of others up to `most`."""
    factor = Fraction(math.exp(epsilon))
    worst = Fraction(0)
    for n in range(most):
        for one, other in itertools.permutations([law(n + 1, p, K, n + 1), law(n, p, K, n + 1)]):
            likely, unlikely = [Fraction(1)], [Fraction(1)]
            for _ in range(d):
                likely = [a * b for a in likely for b in one]
                unlikely = [a * b for a in unlikely for b in other]
            pairs = zip(likely, unlikely, strict=True)
            worst = max(worst, sum((a - factor * b for a, b in pairs if a > factor * b), Fraction(0)))
    return float(worst)


@pytest.mark.parametrize(
    ("millionths", "K", "epsilon"),
    [
        (105_000, 20, 1.0),
        (105_000, 5, 1.0),
        (300_000, 3, 1.0),
        (500_000, 4, 0.3),
        (105_000, 2, 0.05),
        (10, 2, 1.0),
    ],
)
def test_delta_of_one_key_is_the_exact_worst_case(millionths, K, epsilon):
    found = SampledCount(millionths, K).delta(epsilon)
    wanted = exact(Fraction(millionths, MILLION), K, epsilon, 60)
    assert wanted <= found
    # at a small ε the worst number of others lies beyond those that fractions can be summed for
    assert epsilon < 0.1 or found <= wanted * (1 + 1e-6)


def test_the_published_numbers_of_nebula():
    """K = 20 and p = 0.105 are published with ε = 1 and δ = 1e-8 for one value; the exact δ is smaller."""
    assert published_delta(0.105, 20, 1.0) == pytest.approx(7.18e-9, rel=1e-2)
    assert published_delta(0.105, 20, 1.0) <= 1e-8
    assert SampledCount(105_000, 20).delta(1.0) == pytest.approx(6.48e-15, rel=1e-2)
    assert SampledCount(105_000, 20).delta(0.32) <= 1e-8 < SampledCount(105_000, 20).delta(0.30)
    assert published_delta(0.7, 20, 1.0) == 1.0
    # what the aggregation server sees besides: sizes of groups from two on
    assert SampledCount(105_000, 2).delta(1.0) == pytest.approx(0.011025, rel=1e-6)
    assert sampled_delta(105_000, 2, 5, 1.0) == pytest.approx(0.055, abs=0.001)


@settings(max_examples=30, deadline=None)
@given(st.integers(10_000, 600_000), st.integers(2, 12), st.floats(0.1, 3.0))
def test_the_published_bound_is_never_smaller_than_the_exact_delta_where_it_promises(millionths, K, epsilon):
    p = millionths / MILLION
    if -math.log1p(-p) <= epsilon:
        assert SampledCount(millionths, K).delta(epsilon) <= published_delta(p, K, epsilon) * (1 + 1e-6)


@pytest.mark.parametrize("d", [2, 3])
def test_several_keys_cost_at_least_the_exact_product_and_less_than_the_sum(d):
    epsilon, count = 1.0, SampledCount(300_000, 3)
    composed = sampled_delta(300_000, 3, d, epsilon)
    assert composed >= exact(Fraction(3, 10), 3, epsilon, 7 if d == 2 else 5, d)
    assert composed <= 1.25 * d * count.delta(epsilon)  # δ alone adds up where ε is not used up by one key
    assert sampled_delta(105_000, 20, 20, 1.0) < 1e-9


def test_more_keys_smaller_thresholds_and_larger_probabilities_cost_more():
    assert sampled_delta(105_000, 10, 1, 1.0) < sampled_delta(105_000, 10, 4, 1.0)
    assert sampled_delta(105_000, 10, 4, 1.0) < sampled_delta(105_000, 6, 4, 1.0)
    assert sampled_delta(105_000, 10, 4, 1.0) < sampled_delta(300_000, 10, 4, 1.0)


def test_a_person_who_was_probably_not_drawn_is_missed_by_nobody():
    """Without her nothing is 1/(1 − p) times as likely."""
    count = SampledCount(105_000, 5)
    assert count.without_her(-math.log1p(-0.105) + 1e-9) == 0.0
    assert count.without_her(0.05) > 0


@pytest.mark.parametrize(("millionths", "K"), [(0, 5), (MILLION, 5), (-1, 5), (5, 1)])
def test_what_is_no_sampling_is_refused(millionths, K):
    with pytest.raises(InputError):
        SampledCount(millionths, K)


def test_draws_follow_the_binomial_law_and_few_people_are_not_drawn():
    from scipy.stats import binom, chisquare

    people = np.repeat([4, 50], [100, 20_000])
    drawn = draw_participants(people, 105_000, 5, SeededRandomness(5))
    assert not drawn[:100].any()
    observed = np.bincount(drawn[100:], minlength=13)
    expected = 20_000 * binom.pmf(np.arange(13), 50, 0.105)
    assert (
        chisquare(
            [*observed[:12], observed[12:].sum()], [*expected[:12], 20_000 - expected[:12].sum()]
        ).pvalue
        > 1e-4
    )


def test_draws_in_parts_are_draws_of_everybody(monkeypatch):
    monkeypatch.setattr("crowdlog.privacy.sampled_counts._DRAWN_TOGETHER", 100)
    people = np.arange(200)
    drawn = draw_participants(people, 999_999, 1, SeededRandomness(1))
    assert (drawn >= people - 1).all()
    assert (drawn <= people).all()


@pytest.mark.parametrize("epsilon", [5e-324, 1e-309, 1e-30, 1e-6])
def test_an_epsilon_that_nothing_reaches_is_answered_at_once(epsilon):
    """Not by a search over all numbers of people, nor by a grid of losses whose step is zero."""
    assert sampled_delta(105_000, 20, 3, epsilon) == 1
    with pytest.raises(InputError, match="No threshold up to"):
        smallest_sampled_threshold(105_000, 3, epsilon, 1e-8)


@pytest.mark.parametrize(
    ("millionths", "K", "epsilon"), [(50_000, 3, 0.001), (300_000, 20, 0.01), (900_000, 5, 0.1)]
)
@pytest.mark.parametrize("sign", [1, -1])
def test_no_number_of_others_beyond_those_looked_at_costs_more_than_the_bound(millionths, K, epsilon, sign):
    """δ⁺ₙ and δ⁻ₙ as the proof has them, at 3,000 n behind each of three; and the bound falls with n."""
    one = SampledCount(millionths, K)
    edge = 1 - (1 - one.p) * math.exp(-sign * epsilon)
    bounds = []
    for start in (200, 5_000, 100_000):
        n = np.arange(start, start + 3_000)
        if sign > 0:
            t = np.maximum(K, np.floor((n + 1) * edge) + 1)
            found = one.p * binom.pmf(t - 1, n, one.p) - math.expm1(epsilon) * binom.sf(t - 1, n, one.p)
        else:
            u = np.maximum(K - 1, np.ceil((n + 1) * edge) - 1)
            gained = math.exp(epsilon) * one.p * binom.pmf(u, n, one.p)
            found = gained - math.expm1(epsilon) * binom.cdf(u, n, one.p)
        bounds.append(one._beyond(start, edge) / (1 - one.p if sign < 0 else 1))
        assert found.max() <= bounds[-1]
    assert bounds == sorted(bounds, reverse=True)


def test_a_small_epsilon_needs_few_numbers_of_others():
    """Chernoff's bound alone took a million of them for each of a hundred points of a curve."""
    one, edge = SampledCount(50_000, 48), 1 - 0.95 * math.exp(-0.001)
    assert one._beyond(20_000, edge) < one.with_her(0.001) < 0.01
