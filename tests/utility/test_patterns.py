import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from crowdlog.measure.tables import KeyCounts
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.patterns import completions, kendall_tau
from crowdlog.utility.registry import score


def test_completions_are_ranked_by_count():
    texts = pa.array(
        ["fear of flying", "fear", "fear of heights", "fear of", "no fear of flying", "fear office"]
    )
    table = KeyCounts(np.arange(6), np.array([2.0, 9.0, 5.0, 8.0, 7.0, 6.0]))
    assert completions(table, texts, "Fear of ").tolist() == [2, 0]


@given(st.permutations(range(6)))
def test_agreement_of_orders_is_kendalls_tau(order):
    assert kendall_tau(np.array(order)) == pytest.approx(kendalltau(range(6), order).statistic)


def test_one_item_has_no_order():
    assert kendall_tau(np.array([0])) is None


@pytest.fixture
def store(make_store):
    """fear of a 3, fear of b 2, fear of c 1."""
    queries = ["fear of a"] * 3 + ["fear of b"] * 2 + ["fear of c", "weather"]
    return make_store([(str(i), i, query, None, None) for i, query in enumerate(queries)])


def test_the_study_by_hand(store, make_release):
    release = make_release(store.info.id, queries=[("fear of a", 2), ("fear of b", 5), ("fear of x", 1)])
    top, order = score(release, store, on=["patterns"], settings=MeasureSettings(prefixes=["fear of"]))
    assert top.value == pytest.approx(2 / 3)
    assert top.evaluated == 3
    assert order.value == -1.0
    assert top.details["prefixes"] == [
        {"prefix": "fear of", "released": 3, "original": 3, "compared": 3, "in_both": 2, "kendall_tau": -1.0}
    ]


def test_a_prefix_nobody_wrote_gives_no_score(store, make_release):
    release = make_release(store.info.id, queries=[("fear of a", 2)])
    top, order = score(release, store, on=["patterns"], settings=MeasureSettings(prefixes=["how to"]))
    assert (top.value, top.evaluated) == (None, 0)
    assert order.value is None
