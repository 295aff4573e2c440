import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.errors import InputError
from tests.artifacts.semantic.logs import CASES, make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("semantics"))


@pytest.fixture(scope="module")
def ids(log):
    texts = log.query_texts(np.arange(log.info.queries)).to_pylist()
    return {text: i for i, text in enumerate(texts)}


def test_the_worked_example_is_released_only_semantically(log, ids):
    semantics = Semantics(log)
    cases = [ids[query] for query in CASES]
    assert (semantics.degrees(1)[cases] <= 2).all()
    assert (semantics.degrees(0.9)[cases] >= 10).all()


def test_what_only_one_user_knows_has_degree_one_at_any_threshold(log, ids):
    semantics = Semantics(log)
    assert [int(semantics.degrees(t)[ids["my very secret street 4711"]]) for t in (1, 0.9, 0.5, 0.1)] == [
        1,
        1,
        1,
        1,
    ]


def test_degrees_grow_as_theta_falls_and_at_one_are_users(log):
    semantics = Semantics(log, min_users=3)
    own = semantics.degrees(1)
    assert own.sum() == len(semantics.users.user)
    before = own
    for theta in (0.95, 0.9, 0.8, 0.6):
        degrees = semantics.degrees(theta)
        assert (degrees >= before).all()
        before = degrees
    assert (before > own).any()


@pytest.mark.parametrize("order", [(0.9, 0.8, 0.6), (0.6, 0.8, 0.9)])
def test_reuse_between_thresholds_changes_nothing(log, order):
    shared = Semantics(log, min_users=3)
    for theta in order:
        assert np.array_equal(
            shared.degrees(theta), Semantics(log, min_users=3, memory=100, threads=1).degrees(theta)
        )


def test_approximation_from_all_queries_of_small_components_is_exact(log):
    semantics = Semantics(log, min_users=3)
    everything = np.arange(log.info.queries)
    assert np.array_equal(semantics.lower_bounds(0.9, everything, 2000), semantics.degrees(0.9))
    assert (semantics.lower_bounds(0.9, everything[:0], 2000) <= semantics.degrees(0.9)).all()
    assert np.array_equal(semantics.lower_bounds(1, everything, 5), semantics.degrees(1))


def test_without_concepts_queries_stand_alone(tmp_path):
    log = make_log(tmp_path, [("a", "john smith"), ("b", "john smith"), ("c", "of the")])
    semantics = Semantics(log)
    assert sorted(semantics.degrees(0.9).tolist()) == [1, 2]
    assert sorted(semantics.lower_bounds(0.9, np.arange(2), 10).tolist()) == [1, 2]


def test_a_log_without_text_is_refused_in_one_sentence(tmp_path):
    log = make_log(tmp_path, [("a", "one"), ("b", "two")])
    pq.write_table(pa.table({"id": pa.array([0, 1], pa.int32()), "text": ["", ""]}), log.queries())
    with pytest.raises(InputError, match=r"^The log has no query text"):
        Semantics(log).degrees(0.9)
