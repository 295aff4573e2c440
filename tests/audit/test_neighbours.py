"""The logs of worlds hold what their shapes say."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from crowdlog.audit.laboratory import Laboratory, Layout
from crowdlog.audit.neighbours import STRIDE, Shape, crowded, exposed
from crowdlog.audit.persons import crowd_log, persons
from crowdlog.audit.sampling import outcome
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness

LAYOUT = Layout((Shape("a crowd", 5, 2, 2, 3), Shape("alone", 0, 0, 4, 1)), 10)


def test_neighbours_differ_in_the_person_of_each_world_alone(tmp_path):
    laboratory = Laboratory(tmp_path)
    without, with_person = (laboratory.log(LAYOUT, with_person=side) for side in (False, True))
    assert (without.info.users, without.info.rows) == (10 * 5, 10 * 5 * 2)
    assert with_person.info.users - without.info.users == 20
    assert with_person.info.rows - without.info.rows == 10 * (2 * 3 + 4)
    before, after = (pq.read_table(log.events(), columns=["user", "query", "time"]) for log in (without, with_person))
    assert after.slice(0, before.num_rows).equals(before)


def test_a_log_is_made_once(tmp_path):
    laboratory = Laboratory(tmp_path)
    assert laboratory.log(LAYOUT, with_person=True) is laboratory.log(LAYOUT, with_person=True)


@pytest.mark.parametrize("artifact", ["query", "click", "pair"])
def test_what_is_shown_is_counted_by_world(tmp_path, artifact):
    log = Laboratory(tmp_path).log(Layout(LAYOUT.shapes, LAYOUT.worlds, artifact), with_person=True)
    (shown,) = outcome(parse(f"FTa(k=2, artifact='{artifact}')").protect(log, SeededRandomness(1)), LAYOUT).values()
    assert np.array_equal(shown.keys, [[2] * 10, [0] * 10])
    assert np.array_equal(shown.total, [[2 * (5 + 3)] * 10, [0] * 10])


def test_shapes_fit_into_a_world():
    for d in (1, 2, 5, 60):
        assert all(max(shape.asked, shape.shared) <= STRIDE for shape in (*exposed(d), *crowded(d, (3, 9), 50)))


def test_the_replayed_persons_come_last_and_leave_others_alone(tmp_path):
    laboratory = Laboratory(tmp_path)
    before = pq.read_table(crowd_log(laboratory, 4, 2, "query", None).events(), columns=["user", "query"])
    for person in persons(2):
        after = pq.read_table(crowd_log(laboratory, 4, 2, "query", person).events(), columns=["user", "query"])
        assert after.slice(0, before.num_rows).equals(before)
        assert after.num_rows - before.num_rows == len(person.keys)
