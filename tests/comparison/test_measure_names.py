"""Measures have names that people read."""

import pytest

from crowdlog.comparison.measure_names import is_share, readable


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("coverage:queries:impressions", "searches covered"),
        (
            "coverage:clicks:median_relative_error",
            "median error of the counts of clicks (less is better)",
        ),
        ("adhoc:RW:nDCG@10", "ad-hoc search, random walk, nDCG of the first ten"),
        (
            "adhoc:IF:per-query:RR of what is answered",
            "ad-hoc search, implicit feedback, each query once, reciprocal rank, of what is answered",
        ),
        ("unheard_of:thing", "unheard of, thing"),
    ],
)
def test_names_are_words(name, said):
    assert readable(name) == said


def test_shares_are_told_in_per_cent_and_scores_are_not():
    assert is_share("coverage:queries:impressions")
    assert not is_share("adhoc:RW:nDCG@10")
