"""Which mechanism, ε, δ and budget for whom: advice from the answers to four questions, never from the log.

The rules are written down in docs/choosing.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from crowdlog.mechanisms.ladder import Ladder
from crowdlog.planning.budget import to_come
from crowdlog.planning.expected_rows import expectation
from crowdlog.privacy.gaussian_filter import refusal
from crowdlog.release.meaning import meaning_for_one_person, right_guesses

# For whom: the most ε that all releases of a year may spend together, and why (docs/choosing.md).
AUDIENCES = {
    "public": (3.0, "anybody may read it, for ever, with whatever else becomes known"),
    "partner": (6.0, "readers signed a contract, and what leaks can be taken back from them"),
    "inside": (8.0, "readers work for you and could see the log itself"),
}
# How often: releases of one year.
RHYTHMS = {"once": 1, "yearly": 1, "monthly": 12, "weekly": 52, "daily": 365}
# What for: times the usual share of the privacy for clicked sites and for next queries (0: not published).
PURPOSES = {
    "queries": (0.0, 0.0),
    "clicks": (1.0, 0.0),
    "suggestions": (0.0, 1.0),
    "everything": (1.0, 1.0),
}
_LITTLE = 10  # rows that are not worth a release; queries that are not worth the name
# Tried from the top: the largest that fits the budget as often as asked.
_EPSILONS = (
    3.0,
    2.5,
    2.0,
    1.5,
    1.0,
    0.8,
    0.6,
    0.5,
    0.4,
    0.3,
    0.25,
    0.2,
    0.15,
    0.1,
    0.08,
    0.06,
    0.05,
    0.04,
    0.03,
)


@dataclass(frozen=True)
class Needs:
    """What the owner answered. `people`: about how many are in the log."""

    people: int
    rhythm: str = "once"
    audience: str = "public"
    purpose: str = "everything"


@dataclass(frozen=True)
class OtherEpsilon:
    """One ε beside others: what it means and what to expect for it."""

    epsilon: float
    certainty: float  # how often somebody who thought 50 % is right at most
    odds: float  # by how much odds can change: e^ε
    expected: str


@dataclass(frozen=True)
class Advice:
    """A mechanism and a budget. `instead` says what to do where little is to be expected of it (`empty`:
    nothing).
    """

    mechanism: str
    epsilon: float
    delta: float
    budget_epsilon: float
    budget_delta: float
    releases: int
    meaning: str
    expected: str
    empty: bool
    instead: str
    choices: tuple[OtherEpsilon, ...]
    reasons: tuple[str, ...]


def advise(needs: Needs) -> Advice:
    """The advice for these needs."""
    total, why = AUDIENCES[needs.audience]
    times = RHYTHMS[needs.rhythm]
    budget_delta = _delta(needs.people)
    mechanism = _largest_that_fits(needs, total, budget_delta, times)
    told = expectation(mechanism, needs.people)
    guarantee = mechanism.promise().guarantee
    empty = bool(told and told[1])
    sure = math.ceil(100 * right_guesses(total, budget_delta))
    return Advice(
        repr(mechanism),
        mechanism.epsilon,
        mechanism.delta,
        total,
        budget_delta,
        times,
        meaning_for_one_person(guarantee),
        told[0] if told else "",
        empty,
        _instead(needs, mechanism.rows_to_expect(needs.people)),
        tuple(_choice(epsilon, mechanism, needs) for epsilon in (0.5, 1.0, 2.0, 3.0, 5.0)),
        (
            f"The budget of ε = {total:g} for a year: {why}.",
            f"The budget of δ = {budget_delta:g} is a tenth of one over the number of people, or less: so "
            "small that it is unlikely to fail even one of them. Half of it is left for what else comes up.",
            f"{times} releases a year share it. Their costs are added up by the rule that is tight for "
            "this noise (the sum of μ², --gaussian), which leaves each of them more than an equal share. "
            f"Who sees all of them guesses right in at most {sure} % of cases."
            if times > 1
            else "One release may spend all of it.",
        ),
    )


def _delta(people: int) -> float:
    """The power of ten that is at most a tenth of one over the number of people."""
    return float(f"1e-{math.ceil(math.log10(max(people, 2))) + 1}")


def _ladder(epsilon: float, delta: float, needs: Needs) -> Ladder:
    clicks, pairs = PURPOSES[needs.purpose]
    return Ladder(epsilon=epsilon, delta=delta, people=needs.people, weight_clicks=clicks, weight_pairs=pairs)


def _largest_that_fits(needs: Needs, total: float, delta: float, times: int) -> Ladder:
    each = float(f"{delta / (2 * times):.0e}".replace("+", ""))
    each = each if each * times <= delta / 2 else each / 2
    tried = _ladder(_EPSILONS[-1], each, needs)
    for epsilon in _EPSILONS:
        tried = _ladder(epsilon, each, needs)
        if epsilon <= total and refusal([to_come(tried).steps] * times, total, delta) is None:
            return tried
    return tried


def _choice(epsilon: float, like: Ladder, needs: Needs) -> OtherEpsilon:
    told = expectation(_ladder(epsilon, like.delta, needs), needs.people)
    return OtherEpsilon(
        epsilon, right_guesses(epsilon, like.delta), math.exp(epsilon), told[0] if told else ""
    )


def _instead(needs: Needs, rows: Mapping[str, float]) -> str:
    """What to do where little is to be expected; empty where enough is."""
    if sum(rows.values()) < _LITTLE:
        few = "With so few people hardly a word is typed by enough of them."
    elif rows.get("queries", 0.0) < _LITTLE:
        few = "With so few people hardly a whole query is typed by enough of them: expect words, not queries."
    else:
        return ""
    fewer = " Release less often, so that each release may spend more." if RHYTHMS[needs.rhythm] > 1 else ""
    return f"{few}{fewer} Collect a longer period, or publish together with others who have such a log."
