import numpy as np

from crowdlog.measure.log_arrays import read_log

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
