import numpy as np
import pytest

from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.registry import score


@pytest.fixture
def store(make_store):
    """Impressions: apple 4 (3 users), pear 2 (2), plum pie 1. Clicks: apple→a.com 2, pear→b.com 1.

    Pairs: apple, pear 2.
    """
    rows = [
        ("1", 0, "apple", 1, "a.com"),
        ("1", 60, "pear", None, None),
        ("1", 9000, "apple", 1, "a.com"),
        ("2", 0, "apple", None, None),
        ("2", 30, "pear", 2, "b.com"),
        ("3", 0, "apple", None, None),
        ("3", 9000, "plum pie", None, None),
    ]
    return make_store(rows)


def values(scores):
    return {entry.name.removeprefix("coverage:"): entry.value for entry in scores}


def test_coverage_by_hand(store, make_release):
    release = make_release(
        store.info.id,
        queries=[("apple", 5), ("plum pie", 3), ("fake", 1)],
        clicks=[("apple", "a.com", 2), ("apple", "fake.com", 2)],
        pairs=[("pear", "apple", 2)],
    )
    scores = score(release, store, on=["coverage"])
    found = values(scores)
    assert found["queries:distinct"] == pytest.approx(2 / 3)
    assert found["queries:impressions"] == pytest.approx(5 / 7)
    assert found["queries:median_relative_error"] == pytest.approx((0.25 + 2) / 2)  # |5−4|/4 and |3−1|/1
    assert found["queries:spurious_rate"] == pytest.approx(1 / 3)
    # the median published count is 3: only apple has as many, and it is there
    assert found["queries:drop_rate"] == 0.0
    assert found["clicks:distinct"] == 0.5
    assert found["clicks:impressions"] == pytest.approx(2 / 3)
    assert found["clicks:spurious_rate"] == 0.5
    assert found["pairs:distinct"] == 0.0  # the order counts
    assert found["pairs:drop_rate"] == 1.0
    assert found["pairs:median_relative_error"] is None
    distinct = next(entry for entry in scores if entry.name == "coverage:queries:distinct")
    assert [(band["in_log"], band["kept"]) for band in distinct.details["by_frequency"]] == [
        (1, 1),
        (2, 1),
        (0, 0),
        (0, 0),
        (0, 0),
    ]
    assert [(band["in_log"], band["kept"]) for band in distinct.details["by_words"]] == [
        (2, 1),
        (1, 1),
        (0, 0),
        (0, 0),
        (0, 0),
    ]


def test_counts_of_people_are_compared_with_people(store, make_release):
    release = make_release(store.info.id, counts="users", queries=[("apple", 3), ("pear", 2)])
    found = values(score(release, store, on=["coverage"]))
    assert found["queries:median_relative_error"] == 0.0
    assert found["queries:impressions"] == pytest.approx(6 / 7)


def test_pairs_are_compared_as_the_release_counts_them(store, make_release):
    for name, kind in (("adjacent", "pair"), ("either", "undirected-session-pair")):
        release = make_release(
            store.info.id, name=name, mechanism=f"FTu(k=1, artifact='{kind}')", pairs=[("apple", "pear", 2)]
        )
        assert values(score(release, store, on=["coverage"]))["pairs:median_relative_error"] == 0.0


def test_sequences_of_two_are_compared_with_the_sessions(store, make_release):
    release = make_release(
        store.info.id,
        sessions=[(["apple", "pear"], 3), (["pear", "apple"], 1), (["apple", "pear", "apple"], 4)],
    )
    found = values(score(release, store, on=["coverage"]))
    assert found["sequences:distinct"] == 1.0
    assert found["sequences:median_relative_error"] == 0.5
    assert found["sequences:spurious_rate"] == 0.5
    assert "pairs:distinct" not in found


def test_a_full_release_covers_everything(store, make_release):
    release = make_release(store.info.id, queries=[("apple", 4), ("pear", 2), ("plum pie", 1)])
    found = values(score(release, store, on=["coverage"], settings=MeasureSettings()))
    assert found["queries:distinct"] == found["queries:impressions"] == 1.0
    assert (
        found["queries:median_relative_error"]
        == found["queries:drop_rate"]
        == found["queries:spurious_rate"]
        == 0.0
    )
    assert np.isfinite(list(found.values())).all()
