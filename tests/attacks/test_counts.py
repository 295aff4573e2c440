"""Attacks on exact counts: the examples of Feild 2013, §3.4.2.1."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.attacks import attack
from crowdlog.attacks.completion import always_before
from crowdlog.attacks.power_user import stand_out
from crowdlog.attacks.triples import inferred, users_of_triples
from crowdlog.mechanisms import parse
from tests.support.logs import make_log


def session(user, *queries):
    return [(user, query, 60 * i, None) for i, query in enumerate(queries)]


def attacked(folder, rows, name, *mechanisms):
    log = make_log(folder, rows)
    releases = [
        parse(spelling).release(log, folder / f"out{i}", i_know=True) for i, spelling in enumerate(mechanisms)
    ]
    return attack(releases, log, [name])[0]


# Table 3.2: a 5, b 7, c 5, (a, b) 5, (b, c) 5; (a, b, c) by 3 users only.
TABLE_3_2 = [
    *(row for u in range(3) for row in session(f"abc{u}", "a", "b", "c")),
    *(row for u in range(2) for row in session(f"ab{u}", "a", "b")),
    *(row for u in range(2) for row in session(f"bc{u}", "b", "c")),
]
BOTH = ("FTu(k=5)", "FTu(k=5, artifact='pair')")


def test_the_breach_of_table_3_2_is_found_exactly(tmp_path):
    result = attacked(tmp_path, TABLE_3_2, "triples", *BOTH)
    assert (
        result.details["trials"],
        result.details["breaches"],
        result.details["in_the_log"],
        result.details["k"],
    ) == (1, 1, 1, 5)
    assert (result.success, result.broken) == (1, True)


def test_a_triple_of_enough_users_is_no_breach(tmp_path):
    rows = [row for u in range(6) for row in session(f"u{u}", "a", "b", "c")]
    result = attacked(tmp_path, rows, "triples", *BOTH)
    assert (result.details["trials"], result.details["breaches"], result.broken) == (1, 0, False)


# one of each user
sessions = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=6)


def counts_of(logs):
    """Impressions of queries and of adjacent pairs, as the attacks take them."""
    asked, pairs = (
        Counter(q for log in logs for q in log),
        Counter(pair for log in logs for pair in pairwise(log)),
    )
    numbers = [
        list(asked),
        list(asked.values()),
        [a for a, _b in pairs],
        [b for _a, b in pairs],
        list(pairs.values()),
    ]
    return [np.array(column, np.int64) for column in numbers]


@given(sessions)
def test_every_inferred_triple_was_asked_and_its_users_are_counted(logs):
    before, after = inferred(*counts_of(logs), 4)
    asked = [{tuple(log[i : i + 3]) for i in range(len(log) - 2)} for log in logs]
    user, query = (
        np.array(column, np.int64)
        for column in zip(*((u, q) for u, log in enumerate(logs) for q in log), strict=True)
    )
    near = np.diff(user, prepend=-1) == 0
    store = SimpleNamespace(info=SimpleNamespace(users=len(logs), queries=4))
    users = users_of_triples(
        before, after, SimpleNamespace(user=user, query=query, follows=near, queries=store.info.queries)
    )
    for b in np.flatnonzero((before >= 0) & (after >= 0)):
        triple = (before[b], b, after[b])
        assert users[b] == sum(triple in one for one in asked) >= 1


@given(sessions)
def test_a_query_said_to_follow_always_the_same_one_does(logs):
    before = always_before(*counts_of(logs), 4)
    for query in range(4):
        view = {log[i - 1] if i else None for log in logs for i, q in enumerate(log) if q == query}
        assert before[query] == (view.pop() if len(view) == 1 and None not in view else -1)


def test_exactly_half_proves_nothing(tmp_path):
    rows = [row for u in range(5) for row in (*session(f"l{u}", "a", "b"), *session(f"r{u}", "b", "c"))]
    result = attacked(tmp_path, rows, "triples", *BOTH)
    assert (result.success, result.note) == (None, "No triple follows from the published counts.")


def test_noisy_counts_prove_nothing(tmp_path):
    result = attacked(
        tmp_path, TABLE_3_2, "triples", "FTu(k=5)", "DPu(epsilon=50, delta=0.1, d=5, artifact='pair')"
    )
    assert (result.success, result.broken) == (None, False)
    assert "noise" in result.note


def test_pairs_of_a_window_prove_nothing(tmp_path):
    result = attacked(tmp_path, TABLE_3_2, "completion", "FTu(k=5)", "FTu(k=5, artifact='window-pair')")
    assert result.note == "Needs impressions of queries and of pairs of adjacent queries."


def test_a_query_that_always_follows_another_gives_it_away(tmp_path):
    rows = [
        *(row for u in range(20) for row in session(f"u{u}", "p", "q")),
        *(row for u in range(60) for row in session(f"v{u}", "other")),
    ]
    result = attacked(tmp_path, rows, "completion", *BOTH)
    assert (result.details["trials"], result.success, result.chance, result.broken) == (20, 1, 0.25, True)


def test_a_query_that_once_follows_another_gives_nothing_away(tmp_path):
    rows = [*(row for u in range(20) for row in session(f"u{u}", "p", "q")), *session("v", "other", "q")]
    assert attacked(tmp_path, rows, "completion", *BOTH).success is None


# Table 3.1, a tenth of it: Bob alone makes three counts stand out.
TABLE_3_1 = [
    *(
        ("bob", query, 60 * i, None)
        for query, times in (("bob", 500), ("netflix", 600), ("westminster md", 500))
        for i in range(times)
    ),
    *(row for u in range(5) for row in session(f"u{u}", "bob", "netflix", "westminster md")),
    *(row for u in range(10) for row in session(f"v{u}", "humane society")),
]


def test_the_power_user_of_table_3_1_is_found(tmp_path):
    result = attacked(tmp_path, TABLE_3_1, "power_user", "FTu(k=5)")
    assert (result.details["trials"], result.success, result.chance, result.broken) == (3, 1, 0, True)


def test_only_a_wide_gap_stands_out():
    assert stand_out(np.array([6000, 5000, 5000, 10])) == 3
    assert stand_out(np.array([6000, 5000, 5000, 501])) == 0
    assert stand_out(np.array([5, 0, -3])) == 0
