"""Parameters of the statistical audits: small, with most of the privacy on one step."""

from __future__ import annotations

import pytest

from crowdlog.audit.declared import (
    by_lot,
    chooses_by_weights,
    edges,
    first_table,
    kept_keys,
    queries_per_key,
    units,
)
from crowdlog.audit.delta import audit_closed_form
from crowdlog.audit.shrink import EPSILON, LARGE_DELTA, SMALL_DELTA, for_epsilon, small, variants
from crowdlog.mechanisms import parse


def focuses(spelling: str) -> list[str]:
    return [variant.focus for variant in variants(small(parse(spelling), SMALL_DELTA))]


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [
        ("Crowd(epsilon=1, delta=1e-6)", ["keys", "counts", "edges", "edges"]),
        ("Crowd(epsilon=1, delta=1e-6, weight_clicks=0, weight_pairs=0)", ["keys", "counts"]),
        ("Keys(epsilon=1, delta=1e-6)", ["keys", "counts"]),
        ("Keys(epsilon=1, delta=1e-6, selection='routed', route='short')", ["keys", "counts"]),
        ("Keys(epsilon=1, delta=1e-6, selection='routed')", ["keys", "counts"] * 3),
        ("Keys(epsilon=1, delta=1e-6, selection='routed', weight_counts=0)", ["keys"] * 3),
        ("Korolova(epsilon=1, delta=1e-6, d=5)", ["keys", "counts", "edges"]),
        ("DPu(epsilon=1, delta=1e-6, d=5)", ["keys", "counts"]),
        ("Zealous(epsilon=1, delta=1e-6, d=5)", ["all"]),
        ("AClick(epsilon=1, q_f=5)", ["keys", "counts", "edges"]),
        ("ASession(epsilon=1, delta=1e-6)", ["all", "edges"]),
    ],
)
def test_every_step_with_a_weight_is_once_in_focus(spelling, expected):
    assert focuses(spelling) == expected


def test_each_decision_of_a_look_at_the_log_is_tried():
    """Thousands of people in one log would turn the look: they must not be compared across routes."""
    found = variants(parse("Keys(epsilon=1, delta=1e-6, selection='routed', weight_counts=0)"))
    assert [variant.mechanism.route for variant in found] == ["short", "shared", "long"]
    assert all(variant.mechanism.weight_counts == 0 for variant in found)


def test_the_step_in_focus_has_most_of_the_privacy():
    (keys, counts) = variants(small(parse("DPu(epsilon=1, delta=1e-6, d=5)"), SMALL_DELTA))
    assert [step.epsilon for step in keys.mechanism.promise().steps] == pytest.approx(
        [0, 0.8 * EPSILON, 0.2 * EPSILON]
    )
    assert [step.epsilon for step in counts.mechanism.promise().steps] == pytest.approx(
        [0, 0.2 * EPSILON, 0.8 * EPSILON]
    )


def test_small_mechanisms_keep_their_kind_and_promise_what_they_are_asked():
    mechanism = small(
        parse(
            "Zealous(epsilon=9, delta=1e-9, d=50, setting='probabilistic', users=1000000, artifact='click')"
        ),
        LARGE_DELTA,
    )
    assert (
        repr(mechanism)
        == "Zealous(epsilon=2, delta=0.05, d=2, setting='probabilistic', users=256, artifact='click')"
    )
    assert kept_keys(first_table(mechanism)) == 2


def test_gaussian_noise_is_audited_where_delta_is_large():
    assert for_epsilon(parse("Crowd(epsilon=1, delta=1e-6, items=3)")).delta == LARGE_DELTA
    assert for_epsilon(parse("Crowd(epsilon=1, delta=1e-6, items=3)")).items == 3
    assert for_epsilon(parse("Keys(epsilon=1, delta=1e-6)")).items == 4
    assert for_epsilon(parse("DPa(epsilon=1, delta=1e-6, d=1)")).delta == SMALL_DELTA


def test_a_pool_has_a_low_threshold():
    closed, opened = (
        small(parse(f"AClick(epsilon=1, q_f=5, mode='{mode}')"), SMALL_DELTA) for mode in ("closed", "open")
    )
    assert first_table(closed).selection.K == closed.K == 6
    assert first_table(closed).selection.public
    assert opened.K is None
    assert not first_table(opened).selection.public


def test_what_one_person_may_move_is_read_from_the_plan():
    session = parse("ASession(epsilon=1, delta=1e-6, l_s=2, l_q=3, l=5)")
    assert [(plan.name, units(plan), kept_keys(plan)) for plan in session.plan] == [
        ("sessions", 8, 2),
        ("clicks", 5, 5),
    ]
    assert [plan.reach.total for plan in parse("AClick(epsilon=1, q_f=4, c_f=7)").plan] == [4, 7]
    crowd = parse("Crowd(epsilon=1, delta=1e-6)")
    assert (first_table(crowd).reach.squares, units(first_table(crowd)), chooses_by_weights(crowd)) == (
        16,
        0,
        True,
    )
    assert first_table(parse("Zealous(epsilon=1, delta=1e-6, d=3)")).reach.each == 1


def test_what_else_the_audits_ask_is_read_from_the_plan():
    assert edges(parse("DPu(epsilon=1, delta=1e-6, d=3)")) is None
    assert edges(parse("Korolova(epsilon=1, delta=1e-6, d=3)")).name == "clicks"
    assert [
        by_lot(parse(f"DPu(epsilon=1, delta=1e-6, d=3, keep='{keep}')")) for keep in ("first", "random")
    ] == [False, True]
    assert (
        queries_per_key(parse("Keys(epsilon=1, delta=1e-6, artifact='window-pair')"), whole_sessions=False)
        == 2
    )
    assert queries_per_key(parse("ASession(epsilon=1, delta=1e-6, l_q=3)"), whole_sessions=True) == 4


@pytest.mark.parametrize(
    "spelling",
    [
        "Korolova(epsilon=2, delta=1e-6, d=4, d_clicks=3, weight_suggestions=1)",
        "AClick(epsilon=2, q_f=4, delta=1e-6, mode='open')",
        "AClick(epsilon=2, q_f=4, delta=1e-6)",
        "ASession(epsilon=2, delta=1e-6, l_q=4)",
        "Zealous(epsilon=2, delta=1e-6, d=4)",
    ],
)
def test_the_closed_form_of_all_thresholds_together_is_the_promised_delta(spelling):
    (finding,) = audit_closed_form(parse(spelling))
    assert not finding.alarm
    assert finding.measured == pytest.approx(finding.claimed, rel=1e-9)


def test_a_pool_without_private_pages_shows_no_key_of_one_person():
    (finding,) = audit_closed_form(parse("AClick(epsilon=2, q_f=4, weight_clicks=0)"))
    assert finding.measured == 0


@pytest.mark.parametrize(
    "spelling",
    [
        "Crowd(epsilon=1, delta=1e-6)",
        "Crowd(epsilon=0.1, delta=0.01)",
        *(
            f"Keys(epsilon=1, delta=1e-6, selection='{name}')"
            for name in ("adaptive", "weighted", "policy", "sips", "laplace", "geometric")
        ),
    ],
)
def test_keys_of_one_person_are_within_delta_for_weights_too(spelling):
    (finding,) = audit_closed_form(parse(spelling))
    assert 0 < finding.measured <= finding.claimed
