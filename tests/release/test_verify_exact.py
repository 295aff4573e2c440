"""Tables with exact counts, counted again; the expectation is counted here, in plain Python."""

from collections import Counter

import pyarrow as pa
import pytest

from crowdlog.mechanisms import parse
from crowdlog.release.verify_exact import exact_plans, verify_exact
from tests.support.logs import few_and_many, make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("exact"), few_and_many())


def by_hand(spelling):
    """The table of queries as its definition says, with nothing of ours."""
    mechanism = parse(spelling)
    asked = {(user, query, time) for user, query, time, _url in few_and_many()}
    times = Counter(query for _user, query, _time in asked)
    people = Counter(query for _user, query in {(user, query) for user, query, _time in asked})
    needed = people if spelling.startswith("FTu") else times
    rows = sorted(query for query in times if needed[query] >= mechanism.k)
    return pa.table({"query": rows, "count": [times[query] for query in rows]})


def verdict(log, spelling, table):
    (plan,) = exact_plans(parse(spelling).plan)
    return verify_exact(log, plan, table)


@pytest.mark.parametrize("spelling", ["FTu(k=2)", "FTu(k=5)", "FTu(k=301)", "FTa(k=3)", "FTa(k=100)"])
def test_it_accepts_what_was_counted_by_hand(log, spelling):
    found = verdict(log, spelling, by_hand(spelling))
    assert found.faults() == {}
    assert found.rows == by_hand(spelling).num_rows


@pytest.mark.parametrize(
    "spelling",
    [
        *("KA(K=3)", "FTu(k=4, artifact='word')", "FTa(k=4, artifact='pair')"),
        *("FTu(k=3, artifact='query-site')", "FTu(k=3, artifact='undirected-session-pair')"),
        "FTu(k=3, representation='light')",
    ],
)
def test_it_accepts_our_releases_of_any_artifact(log, tmp_path, spelling):
    release = parse(spelling).release(log, tmp_path / "out", i_know=True, check=False)
    (plan,) = exact_plans(parse(spelling).plan)
    found = verify_exact(log, plan, release.table(plan.name))
    assert found.holds
    assert found.rows > 0


def test_each_fault_is_found(log):
    right = by_hand("FTu(k=5)")
    query, count = right["query"].to_pylist(), right["count"].to_pylist()

    def faults(query, count):
        return verdict(log, "FTu(k=5)", pa.table({"query": query, "count": count})).faults()

    assert faults(query[1:], count[1:]) == {"are missing": 1}
    assert faults([*query, query[0]], [*count, count[0]]) == {"stand there twice": 1}
    assert faults(query, [count[0] + 1, *count[1:]]) == {"have a false count": 1}
    too_few = {"are not in the log, or not often enough": 1}
    assert faults([*query, "own 7"], [*count, 1]) == too_few
    assert faults([*query, "never asked"], [*count, 9]) == too_few
    assert verdict(log, "FTu(k=5)", None).faults() == {"are missing": len(query)}


@pytest.mark.parametrize(
    "spelling", ["DPu(epsilon=1, delta=1e-6, d=2)", "Keys(epsilon=1, delta=1e-6, weight_counts=0)"]
)
def test_what_has_noise_cannot_be_counted_again(log, spelling):
    (plan,) = parse(spelling).plan
    assert exact_plans([plan]) == []
    with pytest.raises(TypeError, match="noise"):
        verify_exact(log, plan, None)
