"""The library's metrics against the definitions, written out here."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.measure.ragged import Lists, from_rows
from crowdlog.utility.paired_scores import per_topic

METRICS = ("nDCG@10", "P@5", "P@10", "R@5", "R@10", "RR", "AP@100")


def ndcg(ranked, relevant, k):
    gain = sum(1 / math.log2(i + 2) for i, item in enumerate(ranked[:k]) if item in relevant)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(len(relevant), k)))


def precision(ranked, relevant, k):
    return sum(item in relevant for item in ranked[:k]) / k


def recall(ranked, relevant, k):
    return sum(item in relevant for item in ranked[:k]) / len(relevant)


def reciprocal_rank(ranked, relevant):
    return next((1 / (i + 1) for i, item in enumerate(ranked) if item in relevant), 0.0)


def average_precision(ranked, relevant):
    return sum(precision(ranked, relevant, i + 1) for i, item in enumerate(ranked) if item in relevant) / len(
        relevant
    )


def as_lists(lists) -> Lists:
    return from_rows(
        np.repeat(np.arange(len(lists)), [len(x) for x in lists]),
        [item for x in lists for item in x],
        len(lists),
    )


ITEMS = st.integers(0, 30)


@given(
    st.lists(
        st.tuples(
            st.lists(ITEMS, unique=True, max_size=25), st.lists(ITEMS, unique=True, min_size=1, max_size=15)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_metrics_are_as_defined(topics):
    ranked, relevant = [r for r, _ in topics], [t for _, t in topics]
    found = per_topic(as_lists(ranked), as_lists(relevant), METRICS)
    for i, (ours, right) in enumerate(topics):
        expected = {
            "nDCG@10": ndcg(ours, right, 10),
            "P@5": precision(ours, right, 5),
            "P@10": precision(ours, right, 10),
            "R@5": recall(ours, right, 5),
            "R@10": recall(ours, right, 10),
            "RR": reciprocal_rank(ours, right),
            "AP@100": average_precision(ours, right),
        }
        for name, value in expected.items():
            assert math.isclose(found[name][i], value, rel_tol=1e-9, abs_tol=1e-12), name


def test_a_topic_without_answers_scores_zero():
    found = per_topic(as_lists([[], [4]]), as_lists([[1], [4]]), ["nDCG@10", "RR"])
    assert found["nDCG@10"].tolist() == [0, 1]
    assert found["RR"].tolist() == [0, 1]
