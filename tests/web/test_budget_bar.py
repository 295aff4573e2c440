"""The bar is as full as the rule that refuses says, whatever the rule, with any number of releases."""

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.planning.budget import to_come
from crowdlog.privacy.guarantee import NO_GUARANTEE, approximate
from crowdlog.release.publish import open_ledger
from crowdlog.web.budget_bar import budget_bar
from crowdlog.web.logs import bill_of, shown

LADDER = "Ladder(epsilon=0.8, delta=4e-8, people=20000)"
CROWD = "Crowd(epsilon=0.8, delta=4e-8)"


@pytest.fixture(scope="module")
def log_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("log") / "log.tsv"
    synthesize(file, users=60, seed=1)
    return file


@pytest.fixture
def store(log_file, tmp_path):
    return import_log(log_file, tmp_path / "store")


def charge(ledger, spelling: str, out: str) -> None:
    entry = to_come(parse(spelling))
    ledger.charge(entry.guarantee, entry.mechanism, out, steps=entry.steps)


def test_without_a_budget_there_is_no_bar(store):
    with open_ledger(store) as ledger:
        assert budget_bar(ledger) is None


def test_the_plain_sum_is_as_full_as_the_fuller_of_epsilon_and_delta(store):
    with open_ledger(store) as ledger:
        ledger.set_budget(3, 1e-6)
        bar = budget_bar(ledger)
        assert (bar.share, bar.percent) == (0, "0 %")
        assert bar.spent == "Spent: ε = 0 of 3, δ = 0 of 1e-06, in 0 releases."
        ledger.charge(approximate(0.5, 6e-7), "one", "a")
        bar = budget_bar(ledger)
        assert bar.percent == "60 %", "δ is the fuller one"
        ledger.charge(approximate(2.4, 1e-7), "two", "b")
        bar = budget_bar(ledger)
        assert bar.percent == "96.7 %", "rounded up"
        assert bar.spent == "Spent: ε = 2.9 of 3, δ = 7e-07 of 1e-06, in 2 releases."
        assert bar.left == "Left: ε = 0.1, δ = 3e-07."
        assert bar.remark == ""


@pytest.mark.parametrize("spelling", [LADDER, CROWD])
def test_sum_of_squares_tells_squares_and_not_an_epsilon_above_its_budget(store, spelling):
    """Five releases of ε = 0.8 under ε = 3: the plain sum is 4, and the budget is not used up."""
    with open_ledger(store) as ledger:
        ledger.set_budget(3, 1e-6, "gaussian")
        fits = 0
        while ledger.why_not([(to_come(parse(spelling)).guarantee, to_come(parse(spelling)).steps)]) is None:
            foreseen = budget_bar(ledger, parse(spelling))
            charge(ledger, spelling, f"out{fits}")
            fits += 1
            bar = budget_bar(ledger)
            assert bar.share == pytest.approx(foreseen.share, rel=1e-9)
            assert 0 < bar.share <= 1
        assert fits > 4
        assert budget_bar(ledger, parse(spelling)).share > 1, "one more does not fit, and the bar says so"
        assert "Spent: Σμ² = " in bar.spent
        assert f"Added up plainly their ε is {0.8 * fits:.4g}." in bar.remark
        assert f"in {fits} releases" in bar.spent


def test_what_promised_nothing_fills_every_bar(store):
    with open_ledger(store) as ledger:
        ledger.set_budget(3, 1e-6)
        ledger.charge(NO_GUARANTEE, "Pseudonyms()", "a", allow_unprotected=True)
        bar = budget_bar(ledger)
    assert (bar.percent, bar.length) == ("all", 100)
    assert "promised nothing" in bar.remark


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(epsilon=st.floats(1e-6, 1e6), delta=st.floats(1e-15, 0.9))
def test_a_form_that_is_sent_as_it_stands_changes_nothing(store, epsilon, delta):
    with open_ledger(store) as ledger:
        ledger.set_budget(epsilon, delta)
        bar = budget_bar(ledger)
    assert (float(bar.epsilon), float(bar.delta)) == (epsilon, delta)


def test_a_budget_that_was_lowered_is_shown_as_too_full(store):
    with open_ledger(store) as ledger:
        ledger.set_budget(3, 1e-6)
        ledger.charge(approximate(2.5, 1e-7), "one", "a")
        ledger.set_budget(2, 1e-6)
        bar = budget_bar(ledger)
    assert (bar.percent, bar.length) == ("125 %", 100)
    assert bar.left.startswith("Left: ε = 0,")


def test_a_bill_says_why_it_does_not_fit(store):
    korolova = parse("Korolova(epsilon=1, delta=1e-7, d=5)")
    assert bill_of(store, korolova).after is None
    with open_ledger(store) as ledger:
        ledger.set_budget(3, 1e-6, "gaussian")
    assert "Gaussian releases only" in bill_of(store, korolova).why
    crowd = bill_of(store, parse(CROWD))
    assert crowd.why == ""
    assert 0 < crowd.after.share < 1
    assert shown("s", store).bar.share == 0
    assert math.isfinite(crowd.epsilon)
