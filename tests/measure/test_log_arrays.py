import numpy as np
import pyarrow as pa

from crowdlog.measure.log_arrays import Impressions, LogArrays, read_log

MINUTE = 60


def test_sessions_end_at_a_long_gap_and_with_the_user(make_store):
    store = make_store(
        [
            ("1", 0, "one", 1, "x.com"),
            ("1", 0, "one", 3, "y.com"),
            ("1", 25 * MINUTE, "two", None, None),
            ("1", 60 * MINUTE, "three", None, None),
            ("2", 61 * MINUTE, "one", None, None),
        ]
    )
    events = read_log(store, 26)
    assert events.session.tolist() == [0, 0, 0, 1, 2]
    assert events.impression.tolist() == [True, False, True, True, True]
    assert (events.url >= 0).tolist() == [True, True, False, False, False]
    assert events.rank.tolist() == [1, 3, 0, 0, 0]
    assert read_log(store, 120).session.tolist() == [0, 0, 0, 0, 1]


def test_a_part_keeps_the_numbers_and_new_ids_replace_old_ones(make_store):
    events = read_log(make_store([("1", 0, "one", 1, "x.com"), ("2", 5, "two", None, None)]), 26)
    part = events.where(np.array([False, True]))
    assert part.session.tolist() == [1]
    other = part.renamed(np.array([10, 11]), np.array([7]))
    assert other.query.tolist() == [11]
    assert other.url.tolist() == [-1]
    assert events.renamed(np.array([10, 11]), np.array([7])).url.tolist() == [7, -1]
    assert "one" not in repr(events)


def test_a_log_without_clicks_can_be_renamed(make_store):
    events = read_log(make_store([("1", 0, "one", None, None)]), 26)
    assert events.renamed(np.array([3]), np.zeros(0, np.int64)).url.tolist() == [-1]


def test_only_the_columns_that_are_asked_for_are_read():
    asked = []
    rows = LogArrays(lambda name: asked.append(name) or np.arange(3))
    assert (rows.user.tolist(), rows.user.tolist(), len(rows.where(np.array([True, False, True])))) == (
        [0, 1, 2],
        [0, 1, 2],
        2,
    )
    assert asked == ["user"]


def test_impressions_know_who_asked_what_and_what_follows(make_store):
    store = make_store(
        [
            ("1", 0, "one", 1, "x.com"),
            ("1", 0, "one", 3, "y.com"),
            ("1", 26 * MINUTE, "two", None, None),
            ("1", 60 * MINUTE, "one", None, None),
            ("2", 61 * MINUTE, "two", None, None),
        ]
    )
    log = Impressions(store)
    assert log.follows.tolist() == [False, True, False, False]
    assert log.nth_impression.tolist() == [0, 1, 2, 0]
    assert log.profile.toarray().tolist() == [[2, 1], [0, 1]]
    assert log.holders.tolist() == [1, 2]
    assert log.texts.find(pa.array(["two", "never", "one", "two"])).tolist() == [1, -1, 0, 1]
