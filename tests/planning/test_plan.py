"""What a release would promise and cost: typed, and as JSON that every reader takes."""

import json
import math

import pytest

from crowdlog.json_safe import json_safe
from crowdlog.mechanisms import parse
from crowdlog.planning.budget import Amount, budget_of
from crowdlog.planning.plan import plan_release
from crowdlog.release.publish import open_ledger
from tests.mechanisms.test_every_mechanism import SPELLINGS
from tests.support.logs import crowd_rows, make_log


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_mechanism_has_a_plan_that_json_takes(spelling):
    plan = plan_release(parse(spelling))
    stored = json.loads(json.dumps(json_safe(plan), allow_nan=False))
    assert stored["mechanism"] == repr(parse(spelling))
    assert stored["epsilon"] == (None if math.isinf(plan.epsilon) else plan.epsilon)
    assert [step["name"] for step in stored["steps"]] == [step.name for step in plan.steps]
    assert (stored["budget"], stored["synthetic"]) == (None, None)


def test_the_odds_are_those_of_the_threshold():
    mechanism = parse("Korolova(epsilon=4, delta=1e-9, d=2)")
    selection = mechanism.plan[0].selection
    for odds in plan_release(mechanism).odds:
        # the noise is discrete, its quantiles here are not: one step of the count either way
        assert (
            selection.shown(math.floor(odds.count) - 1)
            < odds.chance
            < selection.shown(math.ceil(odds.count) + 1)
        )
    assert plan_release(parse("FTu(k=5)")).odds == ()


def test_a_release_fits_what_is_left(tmp_path):
    log = make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None)
    mechanism = parse("DPu(epsilon=1, delta=1e-6, d=2)")
    assert not plan_release(mechanism, log=log).budget.fits  # it needs a budget first
    assert plan_release(mechanism, log=log).budget.left is None
    for epsilon, fits in ((1.5, True), (0.5, False)):
        with open_ledger(log) as ledger:
            ledger.set_budget(epsilon, 1e-5)
            budget = budget_of(ledger, mechanism)
        check = plan_release(mechanism, log=log).budget
        assert (check.spent, check.left, check.fits) == (Amount(0.0, 0.0), Amount(epsilon, 1e-5), fits)
        assert budget.next.fits == fits


def test_it_is_tried_on_a_synthetic_log():
    found = plan_release(parse("FTu(k=3)"), users=200).synthetic
    assert found.users == 200
    assert 0 < found.kept["queries"] < found.distinct_queries


def test_numbers_that_json_does_not_have_are_null():
    found = json_safe({"a": (math.inf, -math.inf, math.nan, 1.5), "b": Amount(math.inf, 1.0), "c": None})
    assert found == {"a": [None, None, None, 1.5], "b": {"epsilon": None, "delta": 1.0}, "c": None}
