"""A plan goes into a label and comes back the same, whatever the mechanism; a damaged one gets a sentence."""

from __future__ import annotations

import copy
import json

import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.plan.as_json import from_json, part_names, to_json
from tests.mechanisms.test_every_mechanism import SPELLINGS

MORE = [
    "ASession(epsilon=4, delta=1e-9, people=True, features='topics.tsv')",
    "Korolova(epsilon=4, delta=1e-9, d=2, urls='top-clicked', clean=False)",
    "Korolova(epsilon=4, delta=1e-9, d=2, urls='public', surfaced='surfaced.tsv')",
    "AClick(epsilon=4, q_f=2, urls='public', surfaced='surfaced.tsv')",
    "Crowd(epsilon=4, delta=1e-9, pool='ngrams', unknown=0.5)",
]


def through_json(plans):
    """Strictly: what a label may hold has neither infinite numbers nor anything that is no number."""
    return json.loads(json.dumps(to_json(plans), allow_nan=False))


@pytest.mark.parametrize("spelling", SPELLINGS + MORE)
def test_every_plan_comes_back_equal(spelling):
    plans = parse(spelling).plan
    back = from_json(through_json(plans))
    assert back == plans
    assert [type(plan.bound) for plan in back] == [type(plan.bound) for plan in plans]
    assert [plan.reach for plan in back] == [plan.reach for plan in plans]
    assert [plan.numbers() for plan in back] == [plan.numbers() for plan in plans]
    assert to_json(back) == to_json(plans)


@pytest.mark.parametrize("name", ["DPu", "Zealous"])
def test_the_plan_over_a_collection_comes_back_equal(name):
    plans = parse(f"{name}(epsilon=4, delta=1e-9, d=2, keep='random')").opened(20).tables
    assert from_json(through_json(plans)) == plans
    assert plans[0].selection.at_least == 20


def _parts(stored):
    if isinstance(stored, list):
        return set().union(*map(_parts, stored))
    if isinstance(stored, dict):
        return {stored["is"]}.union(*map(_parts, stored.values()))
    return set()


def test_every_part_that_can_be_read_is_in_some_plan():
    plans = [through_json(parse(spelling).plan) for spelling in SPELLINGS + MORE]
    assert _parts(plans) == part_names()


PLAN = through_json(parse("AClick(epsilon=4, q_f=2, mode='open')").plan)
KEYS = through_json(parse("Keys(epsilon=4, delta=1e-9)").plan)


def changed(stored, path, value):
    damaged = copy.deepcopy(stored)
    *way, last = path
    place = damaged
    for step in way:
        place = place[step]
    place[last] = value
    return damaged


def without(stored, path):
    damaged = copy.deepcopy(stored)
    *way, last = path
    place = damaged
    for step in way:
        place = place[step]
    del place[last]
    return damaged


@pytest.mark.parametrize(
    "stored",
    [
        None,
        7,
        "plan",
        ["plan"],
        [7],
        [None],
        {},
        {"is": "TablePlan"},
        [{}],
        [{"is": "TablePlan"}],
        [{"is": "Nothing"}],
        [{"is": ["TablePlan"]}],
        [PLAN[0]["bound"]],
        [*PLAN, PLAN[0]["artifact"]],
        changed(PLAN, [0, "is"], "Table"),
        changed(PLAN, [0, "more"], 1),
        changed(PLAN, [0, "artifact"], "query"),
        changed(PLAN, [0, "artifact", "kind"], "nothing"),
        changed(PLAN, [0, "artifact"], PLAN[0]["bound"]),
        changed(PLAN, [0, "counts"], "people"),
        changed(PLAN, [0, "counts"], ["users"]),
        changed(PLAN, [0, "bound"], None),
        changed(PLAN, [0, "bound"], 2),
        changed(PLAN, [0, "bound", "d"], "2"),
        changed(PLAN, [0, "bound", "d"], 2.5),
        changed(PLAN, [0, "bound", "d"], True),
        changed(PLAN, [0, "noise", "scale"], -1.0),
        changed(PLAN, [0, "noise", "scale"], float("nan")),
        changed(PLAN, [0, "noise", "scale"], "1"),
        changed(PLAN, [0, "noise"], PLAN[0]["selection"]),
        changed(PLAN, [0, "clean"], "yes"),
        changed(PLAN, [0, "selection", "K"], None),
        changed(PLAN, [0, "selection", "on"], "all"),
        changed(PLAN, [0, "selection", "scale"], float("inf")),
        changed(KEYS, [0, "selection", "method"], None),
        changed(KEYS, [0, "selection", "method"], KEYS[0]["bound"]),
        changed(KEYS, [0, "selection", "method", "items_per_user"], "many"),
        without(PLAN, [0, "is"]),
        without(PLAN, [0, "bound"]),
        without(PLAN, [0, "selection", "K"]),
        without(PLAN, [0, "bound", "d"]),
    ],
    ids=lambda stored: str(stored)[:60],
)
def test_a_damaged_plan_gets_one_sentence(stored):
    with pytest.raises(InputError, match="plan of tables in the label cannot be read") as caught:
        from_json(stored)
    assert "\n" not in str(caught.value)


def test_no_tables_no_plans():
    assert from_json([]) == ()
    assert parse("Pseudonyms()").plan == ()
