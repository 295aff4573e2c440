import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from crowdlog.attacks.exposure import exposure_by_crowd, exposure_of_records

multiset = st.dictionaries(st.integers(0, 5), st.integers(1, 6), min_size=1)


def as_rows(*counters):
    return csr_array(np.array([[c.get(q, 0) for q in range(6)] for c in counters]))


def slow(own, shown):
    """The definition, word for word."""
    size, total = sum(own.values()), sum(shown.values())
    entropy = -sum(c / size * math.log2(c / size) for c in own.values())
    bits = 0.0
    for y, c_y in shown.items():
        for x, c_x in own.items():
            p = c_x / size
            if y not in own:
                given_y = p
            elif c_y <= own[y]:
                given_y = float(x == y)
            else:
                spread = (c_y - own[y]) / c_y
                given_y = spread * p + (own[y] / c_y if x == y else 0)
            if given_y:
                bits += given_y * c_y / total * math.log2(given_y / p)
    return bits / entropy if entropy > 1e-12 else math.nan


@pytest.mark.parametrize(
    ("shown", "level"),
    [
        ({0: 2, 1: 1, 2: 1}, 1.0),  # everything: all 1.5 bits
        ({5: 3}, 0.0),  # nothing of hers
        ({0: 2}, 1 / 1.5),  # her most frequent query: 1 of 1.5 bits
        ({0: 4}, (0.75 * math.log2(1.5) - 0.25) / 1.5),  # shown twice as often as she asked it
        ({0: 2, 5: 2}, 0.5 / 1.5),
    ],
)
def test_by_hand(shown, level):
    own = {0: 2, 1: 1, 2: 1}  # 1.5 bits
    assert exposure_of_records(
        as_rows(own), as_rows(shown), np.array([sum(shown.values())])
    ) == pytest.approx([level])


def test_a_record_of_rare_queries_alone_is_above_all_bits():
    # §4.5.1 takes p(y) from the record: Σ p(x/y)·p(y) is then not p(x), and H(X) is no bound.
    own, shown = as_rows({0: 3, 1: 1}), as_rows({1: 1})
    bits = 0.75 * math.log2(4 / 3) + 0.25 * math.log2(4)
    assert exposure_of_records(own, shown, np.array([1])) == pytest.approx([2 / bits])  # 247 %
    assert exposure_of_records(own, own, np.array([4])) == pytest.approx([1])


@given(st.lists(st.tuples(multiset, multiset), min_size=1, max_size=5))
def test_equals_the_definition(people):
    own, shown = zip(*people, strict=True)
    total = np.array([sum(c.values()) for c in shown])
    expected = [slow(x, y) for x, y in people]
    assert exposure_of_records(as_rows(*own), as_rows(*shown), total) == pytest.approx(expected, nan_ok=True)


@given(st.lists(multiset, min_size=1, max_size=5), multiset)
def test_one_table_for_all_equals_the_definition(own, shown):
    counts = as_rows(Counter(shown)).toarray()[0].astype(float)
    assert exposure_by_crowd(as_rows(*own), counts, counts.sum()) == pytest.approx(
        [slow(x, shown) for x in own], nan_ok=True
    )
