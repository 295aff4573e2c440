from __future__ import annotations

from dataclasses import replace

import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms.a_session import ASession
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.export import export
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log
from tests.support.randomness import FrozenRandomness

QUERIES = ["ny lottery", "pa lottery", "nj lottery", "weather"]


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(200, QUERIES))


def _with_threshold(plan, K):
    return replace(plan, selection=replace(plan.selection, K=K))


def sequences(protected):
    return {tuple(row["sequence"]): row["count"] for row in protected.tables["sessions"].to_pylist()}


def test_every_subsequence_of_the_first_queries_is_counted(log):
    protected = ASession(epsilon=20, delta=1e-6, l_q=3).protect(log, FrozenRandomness())
    one, two, three = QUERIES[:3]
    assert sequences(protected) == {
        (one, two): 200,
        (one, three): 200,
        (two, three): 200,
        (one, two, three): 200,
    }
    assert protected.tables["clicks"].to_pylist() == [
        {"query": one, "url": "http://nylottery.example", "count": 200}
    ]


def test_a_second_session_counts_when_it_is_allowed(tmp_path):
    rows = crowd_rows(200, QUERIES[:2]) + crowd_rows(200, QUERIES[2:], start=10_000)
    log = make_log(tmp_path, rows)
    for l_s, expected in ((1, {tuple(QUERIES[:2])}), (2, {tuple(QUERIES[:2]), tuple(QUERIES[2:])})):
        assert (
            set(sequences(ASession(epsilon=20, delta=1e-6, l_s=l_s, l_q=2).protect(log, FrozenRandomness())))
            == expected
        )


def test_sessions_of_topics(log, tmp_path):
    features = tmp_path / "topics.tsv"
    features.write_text("NY lottery\tlottery\npa lottery\tlottery\nweather\tsky\n", encoding="utf-8")
    protected = ASession(epsilon=20, delta=1e-6, l_q=3, features=str(features), weight_clicks=0).protect(
        log, FrozenRandomness()
    )
    assert sequences(protected) == {
        ("lottery", "lottery"): 200,
        ("lottery", "sky"): 400,
        ("lottery", "lottery", "sky"): 200,
    }
    assert set(protected.tables) == {"sessions"}


def test_counting_people_counts_nobody_twice(tmp_path):
    """a, b, a, b holds (a, b) three times."""
    log = make_log(tmp_path, crowd_rows(200, ["a", "b", "a", "b"]))
    for people, expected, clicks in ((False, 600, 400), (True, 200, 200)):
        mechanism = ASession(epsilon=40, delta=1e-6, l=4, l_q=4, people=people)
        protected = mechanism.protect(log, FrozenRandomness())
        assert sequences(protected)[("a", "b")] == expected
        assert protected.tables["clicks"].column("count").to_pylist() == [clicks, clicks]
        assert mechanism.promise().counts == ("users" if people else "impressions")


def test_counting_people_lowers_the_threshold_where_epsilon_is_large():
    both = [(epsilon, people) for epsilon in (1, 8) for people in (False, True)]
    K = {pair: ASession(pair[0], delta=1e-6, people=pair[1]).plan[0].selection.K for pair in both}
    assert K[1, True] == K[1, False]
    assert K[8, True] < K[8, False]


def test_a_representation_joins_spellings(tmp_path):
    rows = [
        (f"u{i}", query, second, None)
        for i in range(200)
        for query, second in ((("www.a.com", "a")[i % 2], 0), ("b", 60))
    ]
    protected = ASession(epsilon=20, delta=1e-6, representation="light").protect(
        make_log(tmp_path, rows), FrozenRandomness()
    )
    assert sequences(protected) == {("a", "b"): 200}


def test_a_released_table_of_lists_can_be_read_exported_and_shown(log, tmp_path):
    release = publish(
        ASession(epsilon=20, delta=1e-6), log, tmp_path / "out", i_know=True, randomness=SeededRandomness(1)
    )
    assert release.sessions().num_rows == 4
    assert (tmp_path / "out" / "index.html").exists()
    export(release, tmp_path / "tsv", "tsv")
    assert "ny lottery | pa lottery" in (tmp_path / "tsv" / "sessions.tsv").read_text(encoding="utf-8")


def test_the_sensitivity_and_the_papers_numbers_are_in_the_promise():
    promise = ASession(epsilon=8, delta=1e-6, l_s=2, l_q=4).promise()
    assert promise.settings["sensitivity"] == promise.table("sessions").reach.total == 22
    select = next(step for step in promise.steps if step.name == "Select sessions")
    assert promise.as_published["sessions: δ at this K and b"] > select.delta > 0


@pytest.mark.parametrize(("name", "table"), [("K", "sessions"), ("K_clicks", "clicks")])
def test_a_higher_threshold_is_allowed_a_lower_one_not(name, table):
    smallest = ASession(epsilon=4, delta=1e-6).promise()
    K = smallest.table(table).selection.K
    higher = ASession(epsilon=4, delta=1e-6, **{name: K + 10}).promise()
    assert higher.settings == {**smallest.settings, f"{table}: threshold K": K + 10}
    assert higher.table(table) == _with_threshold(smallest.table(table), K + 10)
    (other,), (same,) = ([plan for plan in each.tables if plan.name != table] for each in (higher, smallest))
    assert other == same
    assert higher.guarantee.delta < smallest.guarantee.delta
    with pytest.raises(InputError, match=f"'{name}' parameter of ASession must be at least {K}"):
        ASession(epsilon=4, delta=1e-6, **{name: K - 1}).promise()


@pytest.mark.parametrize(
    "values", [{"epsilon": 0}, {"l_q": 1}, {"l_q": 13}, {"l_s": 0}, {"l": 0}, {"delta": 0}]
)
def test_bad_parameters(values):
    with pytest.raises(InputError, match=f"'{next(iter(values))}' parameter of ASession"):
        ASession(**({"epsilon": 1, "delta": 1e-6} | values))


def test_a_missing_file_of_topics_is_found_before_the_charge(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        ASession(epsilon=1, delta=1e-6, features=str(tmp_path / "none")).check_inputs()
