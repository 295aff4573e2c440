"""What lists of releases cost by the tight count: between the dearest of them and the sum."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.planning.budget import limit_of, to_come
from crowdlog.privacy.accounting import GaussianStep, TailStep, ledger_epsilon, pld_epsilon, step_from_json
from crowdlog.privacy.gaussian import gaussian_delta
from crowdlog.privacy.gaussian_filter import limits
from crowdlog.privacy.guarantee import approximate, compose
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_book import Entry, spent_parts

CHOSEN = [
    "AClick(epsilon=0.5, q_f=2, delta=1e-7)",
    "AClick(epsilon=0.5, q_f=1, delta=1e-7, mode='open')",
    "ASession(epsilon=1, delta=1e-7)",
    "ClosedDomain(epsilon=1, d=3, pool='ngrams')",
    "Crowd(epsilon=1, delta=1e-7)",
    "Crowd(epsilon=0.2, delta=1e-6, weight_clicks=0, weight_pairs=0)",
    "DPa(epsilon=1, delta=1e-7, d=3)",
    "DPu(epsilon=0.3, delta=1e-6, d=5)",
    "Keys(epsilon=1, delta=1e-7)",
    "Keys(epsilon=1, delta=1e-7, selection='policy', artifact='click')",
    "Keys(epsilon=1, delta=1e-7, selection='geometric')",
    "Korolova(epsilon=1, delta=1e-7, d=2, weight_suggestions=1)",
    "Ladder(epsilon=1, delta=1e-7)",
    "Nebula(epsilon=1, delta=1e-7, p=0.105, d=3, k=20)",
    "Zealous(epsilon=0.5, delta=1e-7, d=3)",
    "Zealous(epsilon=0.5, delta=1e-7, d=3, setting='probabilistic', users=1000)",
]
PROMISING = {name for name in MECHANISMS if parse(find(name).example).promise().guarantee.protects}
# A mechanism that nobody chose a spelling for is tried by the one in its documents.
OTHERS = PROMISING - {spelling.partition("(")[0] for spelling in CHOSEN}
SPELLINGS = [*CHOSEN, *(find(name).example for name in sorted(OTHERS))]
GRID = 1e-3  # the library's distributions have a grid of 1e-4 for each step


def entry(spelling: str) -> Entry:
    return to_come(parse(spelling))


ENTRIES = {spelling: entry(spelling) for spelling in SPELLINGS}


def test_every_mechanism_with_a_promise_tells_its_steps() -> None:
    assert all(one.steps for one in ENTRIES.values())
    assert {spelling.partition("(")[0] for spelling in SPELLINGS} == PROMISING


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_release_costs_about_its_promise(spelling: str) -> None:
    """At the promised δ the promised ε; with more δ less, but by the steps alone never more than the promise
    and the grid.
    """
    one = ENTRIES[spelling]
    promised, delta = one.guarantee.epsilon, one.guarantee.delta
    loose = 0.75 if spelling.startswith("Keys") else 0.99  # Keys promises the plain sum of two Gaussian steps
    assert loose * promised < ledger_epsilon([one], delta) <= promised
    # The library's distributions cut off tails: a δ that is the sampler's distance alone is too small for it.
    more = max(1.5 * delta, 1e-9)
    assert 0.9 * loose * promised < pld_epsilon(map(step_from_json, one.steps), more) <= promised + GRID


@pytest.mark.parametrize(("times", "factor"), [(1, 1.0), (10, 1.0), (10, 3.0)])
def test_releases_of_crowd_cost_no_less_than_the_exact_gaussian(times: int, factor: float) -> None:
    one = ENTRIES["Crowd(epsilon=1, delta=1e-7)"]
    noise, tail = map(step_from_json, one.steps)
    assert isinstance(noise, GaussianStep)
    assert isinstance(tail, TailStep)
    delta = factor * times * one.guarantee.delta
    epsilon = pld_epsilon([noise, tail] * times, delta)
    exact = gaussian_delta(epsilon, math.nextafter(noise.mu * math.sqrt(times), 0)) + times * tail.delta
    assert 0.999 * delta < exact <= delta


@given(st.lists(st.sampled_from(SPELLINGS), min_size=1, max_size=5), st.sampled_from([1.0, 1.3, 20.0]))
@settings(max_examples=25)
def test_releases_cost_at_most_the_sum_and_at_least_each(spellings: list[str], factor: float) -> None:
    listed = [ENTRIES[spelling] for spelling in spellings]
    total = compose(one.guarantee for one in listed)
    delta = factor * total.delta
    together = ledger_epsilon(listed, delta)
    assert together <= total.epsilon
    assert all(together >= ledger_epsilon([one], delta) * (1 - 1e-9) for one in listed)


def test_thirty_releases_cost_far_less_than_the_sum() -> None:
    assert ledger_epsilon([ENTRIES["Crowd(epsilon=1, delta=1e-7)"]] * 30, 2 * 30 * 1e-7) < 6


def test_squares_and_tails_are_rounded_against_us(tmp_path):
    """What is spent is never told as less, to the last bit, and the most of it never as more."""
    Ledger.create(tmp_path / "ledger.sqlite", "hash", "store")
    with Ledger.open(tmp_path / "ledger.sqlite", "hash", "store") as ledger:
        below, above = [], []
        for number in range(8):
            budget = (5.0 + number / 7, 1e-5)
            ledger.set_budget(*budget, "gaussian")
            told = limit_of(ledger)
            exact = [sum(each) for each in zip(*map(spent_parts, ledger.entries()), strict=True)] or [0, 0]
            most = limits(*budget)
            below += [Fraction(told.squares) - exact[0], Fraction(told.tails) - exact[1]]
            above += [most[0] - Fraction(told.most_squares), most[1] - Fraction(told.most_tails)]
            steps = [{"step": "gaussian", "mu": 0.1}, {"step": "tail", "delta": 1e-8}]
            ledger.charge(approximate(0.3, 1e-7), "Crowd", f"out{number}", steps=steps)
    assert min(below) >= 0
    assert min(above) >= 0
