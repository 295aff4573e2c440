"""The logs of worlds hold what their shapes say."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from crowdlog.audit.neighbours import STRIDE, Shape, at_threshold, exposed_edges, injected, unique, well_known
from crowdlog.audit.public_inputs import equipped
from crowdlog.audit.sampling import Effort, outcome
from crowdlog.audit.synthetic_logs import SyntheticLogs, WorldLayout
from crowdlog.audit.worst_case_users import Asked, crowd_log, persons, sitting_persons
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness

SHAPES = (Shape("a crowd", 5, 2, 2, 3), Shape("alone", 0, 0, 4, 1))
LAYOUT = WorldLayout(SHAPES, 10)


def test_neighbours_differ_in_the_person_of_each_world_alone(tmp_path):
    logs = SyntheticLogs(tmp_path)
    without, with_person = (logs.log(LAYOUT, with_person=side) for side in (False, True))
    assert (without.info.users, without.info.rows) == (10 * 5, 10 * 5 * 2)
    assert with_person.info.users - without.info.users == 20
    assert with_person.info.rows - without.info.rows == 10 * (2 * 3 + 4)
    before, after = (
        pq.read_table(log.events(), columns=["user", "query", "time"]) for log in (without, with_person)
    )
    assert after.slice(0, before.num_rows).equals(before)


def test_a_log_is_made_once(tmp_path):
    logs = SyntheticLogs(tmp_path)
    assert logs.log(LAYOUT, with_person=True) is logs.log(LAYOUT, with_person=True)


@pytest.mark.parametrize("artifact", ["query", "click", "pair", "undirected-pair", "session-pair"])
def test_what_is_shown_is_counted_by_world(tmp_path, artifact):
    layout = WorldLayout(SHAPES, 10, 2 if "pair" in artifact else 1)
    log = SyntheticLogs(tmp_path).log(layout, with_person=True)
    (shown,) = outcome(
        parse(f"FTa(k=2, artifact='{artifact}')").protect(log, SeededRandomness(1)), layout
    ).values()
    assert np.array_equal(shown.keys, [[2] * 10, [0] * 10])
    assert np.array_equal(shown.total, [[2 * (5 + 3)] * 10, [0] * 10])


@pytest.mark.parametrize(("artifact", "total"), [("query", 12), ("click", 5), ("pair", 5)])
def test_readers_make_queries_known_and_nothing_else(tmp_path, artifact, total):
    layout = WorldLayout((Shape("known", 5, 1, 0, 0, readers=7),), 10, 2)
    log = SyntheticLogs(tmp_path).log(layout, with_person=False)
    (shown,) = outcome(
        parse(f"FTa(k=2, artifact='{artifact}')").protect(log, SeededRandomness(1)), layout
    ).values()
    assert np.array_equal(shown.total, [[total] * 10])


def test_sessions_are_counted_by_world(tmp_path):
    layout = WorldLayout((Shape("sessions", 400, 1, 0, 0),), 2, 3)
    log = SyntheticLogs(tmp_path).log(layout, with_person=False)
    shown = outcome(parse("ASession(epsilon=2, delta=1e-6, l_q=3)").protect(log, SeededRandomness(1)), layout)
    assert np.array_equal(shown["sessions"].keys, [[4, 4]])
    assert np.array_equal(shown["clicks"].keys, [[1, 1]])


@pytest.mark.parametrize("mode", ["closed", "open"])
def test_a_pool_is_made_for_the_worlds(tmp_path, mode):
    mechanism = parse(f"AClick(epsilon=4, q_f=1, mode='{mode}')")
    layout = Effort(rows=1).layout(mechanism, (Shape("known", 100, 1, 0, 0),))
    logs = SyntheticLogs(tmp_path)
    log = logs.log(layout, with_person=False)
    shown = outcome(equipped(mechanism, logs, layout).protect(log, SeededRandomness(1)), layout)["queries"]
    assert shown.keys.sum(axis=1).tolist() == [100, 100 if mode == "open" else 0]


def test_surfaced_pages_and_topics_are_made_for_the_worlds(tmp_path):
    logs, layout = SyntheticLogs(tmp_path), WorldLayout((Shape("known", 300, 1, 0, 0),), 3, 2)
    log = logs.log(layout, with_person=False)
    for spelling, table in (
        ("Korolova(epsilon=2, delta=1e-6, d=2, urls='public', surfaced='missing')", "clicks"),
        ("ASession(epsilon=2, delta=1e-6, l_q=2, features='missing')", "sessions"),
    ):
        shown = outcome(equipped(parse(spelling), logs, layout).protect(log, SeededRandomness(1)), layout)
        assert np.array_equal(shown[table].keys, [[1, 1, 1]])


def test_shapes_fit_into_a_world():
    for d in (1, 2, 5, 20):
        shapes = (
            *unique(d),
            *injected(d),
            *exposed_edges(d, 9),
            *at_threshold(d, (3, 9)),
            *well_known(d, 50),
        )
        assert all(shape.keys <= STRIDE for shape in shapes)


def test_the_replayed_persons_come_last_and_leave_others_alone(tmp_path):
    logs = SyntheticLogs(tmp_path)
    before = pq.read_table(crowd_log(logs, 4, 2, Asked(1, 1), None).events(), columns=["user", "query"])
    for person in (*persons(2), *sitting_persons(2)):
        after = pq.read_table(crowd_log(logs, 4, 2, Asked(1, 1), person).events(), columns=["user", "query"])
        assert after.slice(0, before.num_rows).equals(before)
        assert after.num_rows - before.num_rows == len(person.keys)
