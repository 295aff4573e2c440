"""The independent checker against degrees of the fast kernels, and against what must not pass."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.word_rule import WordRule
from crowdlog.mechanisms.semantic_k_anonymity import SemanticKAnonymity
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.verify import affine_by_product, verify
from tests.artifacts.semantic.logs import make_log
from tests.artifacts.semantic.test_affinity import pairs_of, zipf_vectors


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("verify"))


def released(log, ids, **columns):
    """These queries with their true counts, or with other columns."""
    events = pq.read_table(log.events(), columns=["query", "impression"]).to_pydict()
    asked = np.bincount(np.array(events["query"])[events["impression"]], minlength=log.info.queries)
    return pa.table({"query": log.query_texts(ids), "count": asked[ids], **columns})


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


def test_false_counts_false_degrees_and_duplicates_are_found(log):
    degrees = Semantics(log, 3).degrees(0.9)
    ids = np.flatnonzero(degrees >= 5)
    true = released(log, ids, degree=degrees[ids].astype(np.int64))
    assert verify(log, true, 5, 0.9, 3).faults() == {}
    for column, change, said in [
        ("count", +1, "have a false count"),
        ("degree", +1000, "have a false degree"),
        ("degree", -1000, "have a false degree"),
    ]:
        at = true.column_names.index(column)
        values = true[column].to_numpy().copy()
        values[3] += change
        assert verify(log, true.set_column(at, column, pa.array(values)), 5, 0.9, 3).faults() == {said: 1}
    assert verify(log, pa.concat_tables([true, true.slice(2, 1)]), 5, 0.9, 3).faults() == {
        "stand there twice": 1
    }


def test_rare_words_and_names_are_found_by_counting_anew(tmp_path):
    rows = [(f"u{i}", "cheap flights") for i in range(12)]
    rows += [("u1", "cheap flights gander"), ("u2", "gander"), ("u3", "cheap flights smith")]
    rows += [(f"n{i}", "smith") for i in range(12)]
    log = make_log(tmp_path, rows)
    everything = SemanticKAnonymity(k=10, theta=0.9, word_users=2, names="allow")
    table = everything.protect(log, SeededRandomness(1)).tables["queries"]
    assert {"cheap flights gander", "cheap flights smith"} <= set(table["query"].to_pylist())
    assert verify(log, table, 10, 0.9, rule=everything.rule).rare == 0
    assert verify(log, table, 10, 0.9, rule=WordRule(3, "allow")).rare == 1
    assert verify(log, table, 10, 0.9, rule=WordRule(3, "block")).rare == 2


def test_product_finds_the_same_pairs_as_the_kernels():
    vectors, theta = zipf_vectors(1500), Theta.of(0.8)
    rows = np.arange(len(vectors))
    found = {(x, int(y)) for x, near in affine_by_product(vectors, rows, theta) for y in near if y < x}
    assert found == set(pairs_of(AllPairs(vectors, theta).blocks()))
