"""A plan that contradicts itself or its promise is refused before anything is read; no correct one is, for
every mechanism of the table at many parameters.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.plan.agreement import contradictions
from crowdlog.plan.bounds import FirstOccurrences, SquaredBudget, Unbounded
from crowdlog.plan.candidates import OfTheLog, PublicValues
from crowdlog.plan.selections import (
    AtLeast,
    GradedRounds,
    KeySelection,
    NoisyThreshold,
    SampledThreshold,
    WeightedRounds,
)
from crowdlog.plan.table import RowNoise
from crowdlog.privacy.guarantee import anonymity
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from tests.mechanisms.test_every_mechanism import EXAMPLES, PROTECTING
from tests.support.parameters import mechanisms

FIRST = [spellings[0] for spellings in EXAMPLES.values()]
PEOPLE = "k-anonymity of queries"


def promised(mechanism):
    """Its promise. Parameters that do not go together are refused with another error."""
    try:
        return mechanism.promise()
    except InputError:
        return None


def drawn(data, spelling):
    try:
        found = promised(data.draw(mechanisms(spelling)))
    except InputError:
        found = None
    assume(found is not None)
    return found


def louder(plan):
    """The same counts with much less noise."""
    less = 30 if isinstance(plan.artifact, Breakdown) else 3
    match plan.noise:
        case DiscreteLaplace(scale):
            yield replace(plan, noise=DiscreteLaplace(scale / less))
        case RoundedGaussian(sigma):
            yield replace(plan, noise=RoundedGaussian(sigma / less))
        case RowNoise(mu):
            yield replace(plan, noise=RowNoise(less * mu))


def looser(plan, *, probabilistic):
    """The same selection with less noise, or with a lower threshold."""
    match plan.selection:
        case NoisyThreshold(scale=scale, K=K, public=public) as chosen:
            yield replace(plan, selection=replace(chosen, scale=scale / 3))
            lowest = chosen.at_least - 1 + (1 if chosen.on == "users" else chosen.d)
            if not (public or probabilistic) and lowest < K:
                yield replace(plan, selection=replace(chosen, K=K - 1))
        case SampledThreshold(K=K) as chosen:
            yield replace(plan, selection=replace(chosen, K=K // 2))
            yield replace(plan, selection=replace(chosen, epsilon=3 * chosen.epsilon))
        case WeightedRounds(mu=mu, threshold=bar) as chosen:
            yield replace(plan, selection=replace(chosen, mu=3 * mu))
            yield replace(plan, selection=replace(chosen, threshold=bar / 2))
        case GradedRounds(mu=mu, threshold=bar, tail=tail) as chosen:
            yield replace(plan, selection=replace(chosen, mu=3 * mu))
            if tail > 0:
                yield replace(plan, selection=replace(chosen, threshold=bar / 2))
        case KeySelection(epsilon=epsilon) as chosen:
            yield replace(plan, selection=replace(chosen, epsilon=3 * epsilon))
        case AtLeast(k=k, on="users") as chosen:
            yield replace(plan, selection=replace(chosen, k=k - 1))


def wider(plan):
    """Three times as much of each person."""
    bound = plan.bound
    if isinstance(bound, SquaredBudget):
        if plan.noise is not None:
            yield replace(plan, bound=replace(bound, budget=9 * bound.budget))
        yield replace(plan, bound=replace(bound, keys=3 * bound.keys))
    elif hasattr(bound, "d"):
        yield replace(plan, bound=replace(bound, d=3 * bound.d))


def unhidden(plan):
    """Exact counts, or keys that no noise hides."""
    if not isinstance(plan.selection, SampledThreshold):
        yield replace(plan, noise=None, names_only=False)
    yield replace(plan, selection=None, candidates=OfTheLog())
    yield replace(plan, selection=AtLeast(5, "users"), candidates=OfTheLog())


def faulty(promise):
    """Every plan with one declaration changed for the worse."""
    probabilistic = promise.guarantee.kind == "probabilistic DP"
    for place, plan in enumerate(promise.tables):
        changed = [*looser(plan, probabilistic=probabilistic)]
        if promise.guarantee.protects:
            changed += [*louder(plan), *wider(plan), *unhidden(plan)]
        for wrong in changed:
            yield (*promise.tables[:place], wrong, *promise.tables[place + 1 :])


@pytest.mark.parametrize("spelling", FIRST)
@settings(max_examples=8)
@given(data=st.data())
def test_no_mechanism_is_refused_and_every_changed_plan_is(spelling, data):
    promise = drawn(data, spelling)
    assert contradictions(promise.tables, promise.guarantee) == ()
    if promise.guarantee.protects or promise.guarantee.kind == PEOPLE:
        for tables in faulty(promise):
            with pytest.raises(PrivacyRefusal, match="contradicts itself"):
                replace(promise, tables=tables)


@pytest.mark.parametrize("spelling", PROTECTING)
def test_what_every_plan_costs_is_what_is_promised(spelling):
    """A hundredth less of ε, or half of δ, would be refused."""
    promise = parse(spelling).promise()
    own = promise.guarantee
    for less in (replace(own, epsilon=0.99 * own.epsilon), replace(own, delta=own.delta / 2)):
        if less.kind != "probabilistic DP" or less.epsilon < own.epsilon:
            with pytest.raises(PrivacyRefusal, match="The plan costs at least"):
                replace(promise, guarantee=less)


def plan(**changed):
    return replace(parse("DPa(epsilon=2, delta=1e-6, d=3)").plan[0], **changed)


@pytest.mark.parametrize(
    ("changed", "where"),
    [
        ({"bound": FirstOccurrences(4)}, "bound of queries"),
        ({"bound": Unbounded()}, "bound of queries"),
        ({"reuses_noise": True}, "noise of queries"),
        ({"noise": None}, "noise of queries"),
        ({"selection": None}, "keys of queries"),
        ({"selection": NoisyThreshold(9.0, 90, 3, public=True)}, "keys of queries"),
        ({"noise": DiscreteLaplace(1.0)}, "ε promised"),
        ({"selection": NoisyThreshold(3.0, 20, 3)}, "δ promised"),
    ],
)
def test_a_contradiction_says_where_it_is(changed, where):
    found = contradictions((plan(**changed),), parse("DPa(epsilon=2, delta=1e-6, d=3)").promise().guarantee)
    assert [one.where for one in found] == [where]
    assert found[0].sentence.endswith(".")


def test_public_values_need_no_selection():
    public = plan(selection=None, candidates=PublicValues(9))
    assert contradictions((public,), parse("DPa(epsilon=2, delta=1e-6, d=3)").promise().guarantee) == ()


def test_unbounded_counts_with_noise_promise_nothing():
    counted = plan(bound=Unbounded(), selection=None, candidates=PublicValues(9)).guarantees()
    assert [math.isinf(part.epsilon) for part in counted] == [True]


@pytest.mark.parametrize("on", ["users", "impressions"])
def test_k_anonymity_needs_k_people_behind_every_key(on):
    table = replace(parse("FTu(k=5)").plan[0], selection=AtLeast(5, on))
    assert [one.where for one in contradictions((table,), anonymity(5))] == (
        [] if on == "users" else ["people of queries"]
    )
    assert [one.where for one in contradictions((table,), anonymity(6))] == ["people of queries"]
