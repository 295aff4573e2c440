"""How far one person moves the counts of a table: each bound against every way to spend it."""

from __future__ import annotations

import math
import typing
from itertools import product

import pytest

from crowdlog.plan.bounds import (
    Bound,
    DividedPerson,
    FirstKeys,
    FirstOccurrences,
    RandomKeys,
    RandomOccurrences,
    Reach,
    SessionCut,
    SquaredBudget,
    Unbounded,
)

SESSIONS = "sessions of each person, 8 sequences at most"
KEYS = 4  # keys that one person may have at most, in the searches below


def spent(fits, most):
    """Everything that one person may add to the counts of a few keys."""
    return [added for added in product(range(most + 1), repeat=KEYS) if fits(added)]


def farthest(additions):
    """The largest sum, sum of squares and single change among them."""
    return Reach(
        max(sum(added) for added in additions),
        max(sum(count**2 for count in added) for added in additions),
        max(max(added) for added in additions),
    )


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_occurrences_may_all_fall_on_one_key(d):
    of_impressions = farthest(spent(lambda added: sum(added) <= d, d))
    of_people = farthest(spent(lambda added: sum(added) <= d, 1))
    for bound in (FirstOccurrences(d), RandomOccurrences(d), SessionCut(1, 2, d)):
        assert bound.reach("impressions") == of_impressions == Reach(d, d * d, d)
        assert bound.reach("users") == of_people == Reach(d, d, 1)
        assert bound.keys == d


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_different_keys_count_once_whatever_is_counted(d):
    once = farthest(spent(lambda added: sum(added) <= d, 1))
    for bound in (FirstKeys(d), RandomKeys(d)):
        assert bound.reach("users") == bound.reach("impressions") == once == Reach(d, d, 1)
        assert bound.keys == d


@pytest.mark.parametrize("budget", [1, 2, 5, 9])
def test_a_squared_budget_bounds_the_squares(budget):
    found = farthest(spent(lambda added: sum(count**2 for count in added) <= budget, budget))
    reach = SquaredBudget(budget, KEYS).reach("impressions")
    assert found.squares == reach.squares == budget
    assert found.each == math.isqrt(budget) <= reach.each == math.sqrt(budget)
    assert found.total <= reach.total


def test_nothing_bounds_everything():
    for counts in ("impressions", "users"):
        assert Unbounded().reach(counts) == Reach(math.inf, math.inf, math.inf)
    assert Unbounded().keys == math.inf


def test_who_draws_lots_says_so():
    assert all(bound.by_lot for bound in (RandomOccurrences(2), RandomKeys(2), SquaredBudget(4, 2)))
    first = (FirstOccurrences(2), FirstKeys(2), SessionCut(1, 2, 1), Unbounded())
    assert not any(bound.by_lot for bound in first)


def test_first_and_random_are_different_bounds():
    """Classes that inherit must not be taken for each other: a plan would say the wrong thing."""
    assert FirstOccurrences(2) != RandomOccurrences(2)
    assert FirstKeys(2) != RandomKeys(2)
    assert FirstOccurrences(2) != FirstKeys(2)


@pytest.mark.parametrize(
    ("bound", "said"),
    [
        (FirstOccurrences(3), "the first 3 of each person"),
        (RandomOccurrences(3), "3 of each person, chosen by lot"),
        (FirstKeys(3), "the first 3 different ones of each person"),
        (RandomKeys(3), "3 different ones of each person, chosen by lot"),
        (SessionCut(2, 3, 8), f"the first 3 queries of the first 2 {SESSIONS}"),
        (DividedPerson(24), "each person once, divided among the values by her searches"),
        (Unbounded(), "everything"),
    ],
)
def test_a_bound_in_words(bound, said):
    assert str(bound) == said


def test_no_bound_is_a_kind_of_another():
    """So that the order of the cases of a `match` cannot matter."""
    kinds = typing.get_args(Bound)
    assert len(kinds) == 9
    assert not [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)]
