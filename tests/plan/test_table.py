"""The plan of one table: what its steps cost, and its numbers for people."""

from __future__ import annotations

import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.thresholds import laplace_guarantee


def plan_of(spelling, table="queries"):
    return parse(spelling).promise().table(table)


def test_a_selection_and_counts_with_noise_of_their_own_cost_both():
    plan = plan_of("DPu(epsilon=2, delta=1e-6, d=3)")
    chosen, counted = plan.guarantees()
    assert chosen == plan.selection.threshold.guarantee()
    assert counted == laplace_guarantee(3, plan.noise.scale)
    assert counted.epsilon == pytest.approx(1)


def test_reused_noise_costs_once():
    plan = plan_of("Zealous(epsilon=2, delta=1e-6, d=3)")
    assert plan.guarantees() == [plan.selection.threshold.guarantee()]
    assert len(plan.accounting()) == len(plan.selection.accounting())


def test_public_candidates_have_no_key_of_one_person_alone():
    """In closed mode a threshold costs what its noise costs; in open mode also the δ of private keys."""
    closed = plan_of("AClick(epsilon=2, q_f=3)").selection
    opened = plan_of("AClick(epsilon=2, q_f=3, mode='open')").selection
    assert closed.guarantee() == laplace_guarantee(3, closed.scale)
    assert closed.guarantee().delta < 1e-30 < 1e-12 < opened.guarantee().delta
    assert opened.guarantee() == opened.threshold.guarantee()


def test_the_chance_to_be_shown_is_that_of_the_noise_and_none_below_the_filter():
    selection = plan_of("Zealous(epsilon=2, delta=1e-6, d=3)").selection
    assert selection.shown(1) == 0 < selection.shown(2) < selection.shown(selection.K) < 1
    assert selection.shown(selection.K + 1) == selection.noise.tail(-1) > 0.5


@pytest.mark.parametrize(
    ("spelling", "numbers"),
    [
        ("FTu(k=5)", ["least users"]),
        ("FTa(k=5)", ["least impressions"]),
        ("Pseudonyms()", []),
        (
            "DPa(epsilon=2, delta=1e-6, d=3)",
            ["threshold K", "selection noise scale", "count noise scale", "count noise sd"],
        ),
        (
            "Zealous(epsilon=2, delta=1e-6, d=3)",
            ["threshold K", "selection noise scale", "raw filter", "count noise scale", "count noise sd"],
        ),
        (
            "Crowd(epsilon=2, delta=1e-6, weight_clicks=0, weight_pairs=0)",
            ["threshold (weight)", "selection noise sd", "count noise sd"],
        ),
    ],
)
def test_numbers_for_people(spelling, numbers):
    promise = parse(spelling).promise()
    found = {name: value for plan in promise.tables for name, value in plan.numbers().items()}
    assert list(found) == [f"queries: {name}" for name in numbers]
    assert found.items() <= promise.settings.items()


def test_the_raw_filter_of_a_collection_is_a_number_of_the_plan():
    (plan,) = parse("DPu(epsilon=2, delta=1e-6, d=3, keep='random')").opened(20).tables
    assert plan.numbers()["queries: raw filter"] == 20
    assert plan.selection.K >= 20


def test_every_table_has_its_own_numbers():
    settings = parse("Korolova(epsilon=4, delta=1e-6, d=2, weight_suggestions=1)").promise().settings
    tables = [name.split(":")[0] for name in settings if name.endswith("threshold K")]
    assert tables == ["queries", "clicks", "pairs"]
