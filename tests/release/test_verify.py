"""The independent checker against degrees of the fast kernels, and against what must not pass."""

import numpy as np
import pyarrow as pa
import pytest

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.release.verify import affine_by_product, verify
from tests.artifacts.semantic.logs import make_log
from tests.artifacts.semantic.test_affinity import pairs_of, zipf_vectors


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("verify"))


def released(log, ids):
    return pa.table({"query": log.query_texts(ids), "count": np.ones(len(ids), np.int64)})


@pytest.mark.parametrize(("k", "theta"), [(2, 1), (2, 0.9), (5, 0.9), (12, 0.9), (3, 0.6), (1000, 0.9)])
def test_accepts_the_cores_and_rejects_one_query_too_many(log, k, theta):
    degrees = Semantics(log, 3).degrees(theta)
    kept = np.flatnonzero(degrees >= k)
    assert verify(log, released(log, kept), k, theta, 3).holds
    for extra in np.flatnonzero(degrees < k)[::7]:
        verdict = verify(log, released(log, np.append(kept, extra)), k, theta, 3)
        assert not verdict.holds
        assert verdict.weak >= 1
        assert verdict.fewest_users < k


def test_a_query_the_log_does_not_have_is_rejected(log):
    table = pa.table({"query": ["never typed by anybody"], "count": [5]})
    verdict = verify(log, table, 2, 0.9)
    assert (verdict.holds, verdict.unknown) == (False, 1)


def test_product_finds_the_same_pairs_as_the_kernels():
    vectors, theta = zipf_vectors(1500), Theta.of(0.8)
    rows = np.arange(len(vectors))
    found = {(x, int(y)) for x, near in affine_by_product(vectors, rows, theta) for y in near if y < x}
    assert found == set(pairs_of(AllPairs(vectors, theta).blocks()))
