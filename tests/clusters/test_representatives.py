"""Aggregation operators by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from crowdlog.artifacts.knowledge.mapping import by_phrases, map_queries
from crowdlog.artifacts.knowledge.tree import tree_of_paths
from crowdlog.clusters.profiles import category_profiles
from crowdlog.clusters.representatives.base import Draws, quotas
from crowdlog.clusters.representatives.categories import CategoryRows, centroid_category, replace_categories
from crowdlog.clusters.representatives.contributions import contribute, copies_of
from crowdlog.clusters.representatives.frequencies import keep_frequencies, share_of_user
from crowdlog.clusters.user_rows import read_user_rows
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import START, make_log

TREE = tree_of_paths("t", [(("Sports", "Golf"), 0), (("Sports", "Tennis"), 0), (("Health", "Flu"), 0)])


def everything(log):
    return np.ones(log.info.queries, bool)


def texts(log, found, cluster=0):
    return log.query_texts(found.query[found.cluster == cluster]).to_pylist()


def test_three_repetitions_of_a_contribution_of_four_tenths_are_one_copy_and_a_second_by_lot():
    draws = Draws(SeededRandomness(1))
    found = [copies_of(3, 0.4, draws) for _ in range(4000)]
    assert set(found) == {1, 2}
    assert np.mean(found) == pytest.approx(1.2, abs=0.03)


@pytest.mark.parametrize(
    ("amounts", "expected"),
    [([10, 20, 30], [3, 7, 10]), ([1, 1, 1], [1, 0, 0]), ([0, 0], [0, 0]), ([5, 4], [3, 2]), ([3], [3])],
)
def test_quotas_sum_to_the_mean(amounts, expected):
    assert quotas(np.array(amounts)).tolist() == expected


def test_frequencies_of_strings_are_kept(tmp_path):
    rows = [("a", "golf", 10 * i, "http://x.golf.com") for i in range(6)]
    rows += [("a", f"rare {i}", 100 + i, None) for i in range(3)]
    log = make_log(tmp_path, rows)
    found = share_of_user(read_user_rows(log), 0, 3, everything(log))
    names = log.query_texts([row[0] for row in found]).to_pylist()
    assert names == ["golf", "golf", "rare 0"]
    # Each copy stands for three of her rows: the mean of 0, 10, 20 and of 30, 40, 50.
    assert [row[1] - START for row in found] == [10, 40, 100]
    assert [row[2] for row in found] == [1, 1, 0]


def test_sites_of_one_copy_are_cut_to_what_they_end_in(tmp_path):
    urls = ["http://shop.a.com", "http://news.a.com", "http://b.com", "http://c.org"]
    log = make_log(tmp_path, [("a", "golf", i, url) for i, url in enumerate(urls)])
    rows = read_user_rows(log)
    names = [*rows.sites.name.to_pylist(), None]

    def site(count):
        part = share_of_user(rows, 0, count, everything(log))
        return [names[row[3]] for row in part]

    assert site(4) == ["shop.a.com", "news.a.com", "b.com", "c.org"]
    assert site(2) == ["a.com", None]
    assert site(1) == [None]


def test_a_representative_has_the_mean_number_of_rows_and_only_texts_that_may_be_shown(tmp_path):
    rows = [("a", f"golf {i}", i, None) for i in range(10)] + [("b", f"tea {i}", i, None) for i in range(20)]
    log = make_log(tmp_path, rows)
    users = read_user_rows(log)
    allowed = everything(log)
    assert len(keep_frequencies(users, [np.array([0, 1])], allowed)) == 15
    assert len(contribute(users, [np.array([0, 1])], allowed, SeededRandomness(3))) == 15
    hidden = log.query_texts(range(30)).to_pylist().index("golf 3")
    allowed[hidden] = False
    for found in (
        keep_frequencies(users, [np.array([0, 1])], allowed),
        contribute(users, [np.array([0, 1])], allowed, SeededRandomness(3)),
    ):
        assert "golf 3" not in texts(log, found)


def test_a_user_below_the_mean_still_fills_her_quota(tmp_path):
    rows = [("small", f"q{i}", i, None) for i in range(9)]
    rows += [("big", f"r{i}", i, None) for i in range(300)]
    log = make_log(tmp_path, rows)
    found = contribute(read_user_rows(log), [np.array([0, 1])], everything(log), SeededRandomness(4))
    small = [text for text in texts(log, found) if text.startswith("q")]
    assert len(small) in (4, 5)  # |Q|/k = 4.5, while Σ Contrib·reps is .26
    assert len(found) == 155


def test_categories_nearest_to_the_middle_are_given_as_queries_of_the_whole_log(tmp_path):
    rows = [("a", "golf", 0, "http://g.com"), ("a", "tennis", 1, None), ("a", "flu", 2, None)]
    rows += [("b", "golf clubs", 3, None), ("b", "golf", 4, None), ("c", "cheap golf", 5, None)]
    log = make_log(tmp_path, rows)
    mapping = map_queries(log.query_texts(range(log.info.queries)).to_pylist(), by_phrases(TREE))
    profiles = category_profiles(log, mapping)
    users = read_user_rows(log)
    found = replace_categories(
        CategoryRows(users, mapping, everything(log)),
        profiles,
        [np.array([0, 1]), np.array([2])],
        TREE,
        SeededRandomness(5),
    )
    (golf,) = TREE.named[("golf",)]
    assert golf in profiles.item
    one = texts(log, found, 0)
    # Three categories of a and one of b, by two users: two rows; "golf" or "cheap golf" mean golf.
    assert len(one) == 2
    assert set(one) <= {"golf", "cheap golf", "tennis"}
    assert texts(log, found, 1)[0] in ("golf", "cheap golf")


@pytest.mark.parametrize(
    ("weighted", "expected"),
    [(True, {"flu": 1, "tennis": 2, "golf": 5}), (False, {"tennis": 3, "golf": 5})],
)
def test_the_paper_pushes_frequent_categories_back_and_the_other_order_does_not(tmp_path, weighted, expected):
    # The middle is golf. Of a, tennis is 2/3 from it and flu 1: 4 · 2/3 against 1 · 1 by eq. 5.15.
    rows = [("a", "tennis", 100 * i, None) for i in range(4)] + [("a", "flu", 900, None)]
    rows += [("b", "golf", 1000 + 100 * i, None) for i in range(10)]
    log = make_log(tmp_path, rows)
    mapping = map_queries(log.query_texts(range(log.info.queries)).to_pylist(), by_phrases(TREE))
    found = replace_categories(
        CategoryRows(read_user_rows(log), mapping, everything(log)),
        category_profiles(log, mapping),
        [np.array([0, 1])],
        TREE,
        SeededRandomness(5),
        weighted=weighted,
    )
    assert Counter(texts(log, found)) == expected


def test_the_centroid_category_has_the_least_weighted_sum():
    from crowdlog.clusters.distances.semantic_kernels import delta_table

    golf, tennis, flu = (TREE.named[(name,)][0] for name in ("golf", "tenni", "flu"))
    items, weight = np.array([flu, golf, tennis]), np.array([2, 1, 1])
    delta = delta_table(2, 1 << 16)
    # flu: 1 + 1 = 2; golf: 2 + 2/3; so flu, until tennis weighs more.
    assert centroid_category(items, weight, TREE.parent, TREE.depth, delta) == flu
    assert centroid_category(items, np.array([2, 1, 2]), TREE.parent, TREE.depth, delta) == tennis
