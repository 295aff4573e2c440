import json
import re

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.privacy.guarantee import approximate
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log

NEXT = "DPu(epsilon=0.1, delta=1e-7, d=2)"


@pytest.fixture
def store(tmp_path):
    """Twenty releases with ε = 0.1 each."""
    log = make_log(tmp_path, crowd_rows(20, ["weather"]))
    with open_ledger(log) as ledger:
        for number in range(20):
            ledger.charge(approximate(0.1, 1e-7), "a release", f"out-{number}")
    return str(log.path)


def budget(*words):
    answer = CliRunner().invoke(cli, ["budget", *words, "--json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.output)


def test_many_releases_cost_less_by_the_tight_count_than_by_the_sum(store):
    shown = budget(store, "--epsilon", "5", "--delta", "1e-4")
    assert shown["spent"]["epsilon"] == pytest.approx(2.0)
    assert shown["spent"]["delta"] == pytest.approx(2e-6)
    assert 0.1 < shown["spent"]["tight_epsilon"] < 1.9
    assert shown["spent"]["tight_delta"] == 1e-4
    assert shown["left"]["epsilon"] == pytest.approx(3.0)


def test_one_more_release_is_priced_and_not_charged(store):
    shown = budget(store, "--epsilon", "2.05", "--delta", "1e-4", "--next", NEXT)
    assert shown["next"]["epsilon"] == pytest.approx(0.1)
    assert shown["next"]["spent_after"]["epsilon"] == pytest.approx(2.1)
    assert 0 < shown["next"]["tight_epsilon"] < 0.1
    assert shown["next"]["fits"] is False
    assert len(budget(store)["releases"]) == 20


def test_many_releases_to_come_are_priced_together(tmp_path):
    store = str(make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None).path)
    one, thirty = (
        budget(store, "--next", "Crowd(epsilon=1, delta=1e-7)", "--times", times)["next"]
        for times in ("1", "30")
    )
    assert (one["times"], thirty["times"]) == (1, 30)
    assert thirty["epsilon"] == pytest.approx(30)
    assert 1 < thirty["tight_epsilon"] < 6
    answer = CliRunner().invoke(
        cli, ["budget", store, "--next", "Crowd(epsilon=1, delta=1e-7)", "--times", "30"]
    )
    assert "Crowd(epsilon=1, delta=1e-07), 30 times" in answer.output


def test_without_a_limit_nothing_fits_that_promises_something(tmp_path):
    store = str(make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None).path)
    shown = budget(store, "--next", NEXT)
    assert (shown["left"], shown["next"]["fits"]) == (None, False)


def test_a_spent_delta_leaves_no_tight_epsilon(store):
    assert budget(store, "--epsilon", "5", "--delta", "1e-6")["spent"]["tight_epsilon"] is None


def test_a_release_without_a_guarantee_costs_everything(store):
    shown = budget(store, "--next", "FTa(k=5)")["next"]
    assert (shown["epsilon"], shown["delta"], shown["tight_epsilon"], shown["spent_after"]["epsilon"]) == (
        None,
        1.0,
        None,
        None,
    )


def test_people_read_the_same(store):
    answer = CliRunner().invoke(cli, ["budget", store, "--next", NEXT])
    assert "spent, tight" in answer.output
    assert "next fits          yes" in answer.output


def test_an_unused_store_has_spent_nothing(tmp_path):
    log = make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None)
    assert budget(str(log.path))["spent"] == {"epsilon": 0, "delta": 0, "tight_epsilon": 0, "tight_delta": 0}


def test_a_limit_that_was_changed_after_a_release_is_told_with_those_before(tmp_path):
    """Whoever reads the budget sees that it was raised when something had been seen, and when it was."""
    log = make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None)
    store = str(log.path)
    budget(store, "--epsilon", "1", "--delta", "1e-5")
    first = budget(store, "--epsilon", "2", "--delta", "1e-5")
    assert (first["limit"]["after"], [was["epsilon"] for was in first["earlier_limits"]]) == (0, [1])
    with open_ledger(log) as ledger:
        ledger.charge(approximate(1.5, 1e-7), "a release", "out")
    raised = budget(store, "--epsilon", "9", "--delta", "1e-5")
    assert raised == budget(store, "--epsilon", "9", "--delta", "1e-5")  # the same again changes nothing
    assert (raised["limit"]["epsilon"], raised["limit"]["after"]) == (9, 1)
    assert [(was["epsilon"], was["after"]) for was in raised["earlier_limits"]] == [(1, 0), (2, 0)]
    shown = CliRunner().invoke(cli, ["budget", store]).output
    assert re.search(r"limit +ε = 9, δ = 1e-05, set [-0-9: ]+, after 1 release\n", shown)
    assert re.search(r"limits before +ε = 1, [^,]+, set [-0-9: ]+; ε = 2, [^,]+, set [-0-9: ]+\n", shown)


def test_what_is_spent_is_never_shown_as_less_and_the_limit_never_as_more(tmp_path):
    """Σμ², the tight ε and the lines of the releases: to the side that promises less, read digit by digit."""
    log = make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None)
    steps = [{"step": "gaussian", "mu": 0.3333111}, {"step": "tail", "delta": 1.00001e-8}]
    with open_ledger(log) as ledger:
        ledger.set_budget(6, 1e-5, "gaussian")
        ledger.charge(approximate(1.00001, 1.00001e-7), "a release", "out", steps=steps)
    exact = budget(str(log.path))
    shown = CliRunner().invoke(cli, ["budget", str(log.path)]).output
    used, most = shown.split("\nΣμ²")[1].split("\n")[0].split(" of ")
    assert float(used) >= exact["limit"]["squares"]
    assert float(most) <= exact["limit"]["most_squares"]
    tight = float(shown.split("spent, tight")[1].split("ε = ")[1].split(" at")[0])
    assert tight >= exact["spent"]["tight_epsilon"]
    charged = shown.split("a release")[1].split()
    assert float(charged[0]) >= 1.00001
    assert float(charged[1]) >= 1.00001e-7


def test_under_the_rule_of_squares_the_plain_sum_is_said_not_to_decide(tmp_path):
    """ε = 33 beside a limit of 6 is no broken promise, and nothing is 'left' of a sum that does not count."""
    store = str(make_log(tmp_path, crowd_rows(5, ["weather"]), budget=None).path)
    coming = "Crowd(epsilon=1, delta=1e-7)"
    exact = budget(store, "--epsilon", "6", "--delta", "1e-5", "--gaussian", "--book", "0.5", "1e-6")
    assert exact["left"] is None
    assert exact["limit"]["tails"] == 1e-6
    assert exact["limit"]["most_tails"] == 5e-6
    shown = CliRunner().invoke(cli, ["budget", store, "--next", coming, "--times", "20"]).output
    lines = dict(re.split("  +", line, maxsplit=1) for line in shown.split("\n\n")[0].splitlines())
    for sum_of in ("spent", "next costs", "spent then"):
        assert lines[sum_of].endswith("(the plain sum, which does not decide here)")
    assert lines["what decides"].startswith("Σμ² and the δ of thresholds")
    assert lines["δ of thresholds"] == "1e-06 of 5e-06"
    assert (lines["next fits"], "left" in lines) == ("yes", False)
    planned = CliRunner().invoke(cli, ["plan", store, coming]).output.split("Budget:")[1]
    assert "which does not decide here" in planned
    assert "what decides" in planned
    assert "left" not in planned


def test_under_the_plain_sum_nothing_else_is_said_to_decide(store):
    shown = CliRunner().invoke(cli, ["budget", store, "--epsilon", "5", "--delta", "1e-4"]).output
    assert "decide" not in shown
    assert "\nleft " in shown
