"""Syntactic clusters of small random logs are those of the printed algorithm, centroid and all."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.clusters.distances.base import UNIT
from crowdlog.clusters.distances.edit_distance import words_of
from crowdlog.clusters.distances.syntactic import SyntacticDistance
from crowdlog.clusters.host_tree import sites_of
from crowdlog.clusters.mdav import mdav
from crowdlog.clusters.user_rows import UserRows
from tests.support import naive_syntactic as naive
from tests.support.naive_clusters import as_sets

WORDS = ("flu", "golf", "golfing", "football", "shop", "shops", "bostn", "boston")
HOSTS = ((), (), ("com", "a"), ("com", "a", "shop"), ("org", "a"), ("com", "b"))
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True).map(" ".join)
rows = st.tuples(texts, st.integers(0, 1000), st.integers(1, 9), st.sampled_from(HOSTS))
users = st.lists(st.lists(rows, min_size=1, max_size=5), min_size=4, max_size=13)


def cleaned(found):
    """Rows in the order of time; rank 0 without a click."""
    return [
        sorted(((text, time, rank * bool(host), host) for text, time, rank, host in user), key=_time)
        for user in found
    ]


def _time(row):
    return row[1]


def distance_of(found):
    """The arrays that reading such a log gives."""
    every = [row for user in found for row in user]
    strings = list(dict.fromkeys(row[0] for row in every))
    words = list(dict.fromkeys(word for text in strings for word in text.split()))
    urls = list(dict.fromkeys("http://" + ".".join(reversed(row[3])) for row in every if row[3]))
    sites = sites_of(pa.array(urls, pa.string()))
    of_url = dict(zip(urls, sites.of_url.tolist(), strict=True))
    start = np.concatenate([[0], np.cumsum([len(user) for user in found])])
    columns = (
        np.array([strings.index(row[0]) for row in every]),
        np.array([row[1] for row in every]),
        np.array([row[2] for row in every]),
        np.array([of_url["http://" + ".".join(reversed(row[3]))] if row[3] else -1 for row in every]),
    )
    qstart = np.concatenate([[0], np.cumsum([len(text.split()) for text in strings])])
    qword = np.array([words.index(word) for text in strings for word in text.split()])
    return SyntacticDistance(UserRows(start, *columns, sites), qstart, qword, words_of(words))


@pytest.mark.parametrize("once", [False, True])
@given(found=users, k=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_the_partition_is_that_of_the_printed_algorithm(once, found, k):
    log = cleaned(found)
    assert as_sets(mdav(distance_of(log).space(), k, once=once)) == naive.mdav(
        naive.Syntactic(log), k, once=once
    )


@given(found=users, threads=st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_all_distances_are_those_of_the_formulas_on_any_number_of_threads(found, threads):
    log = cleaned(found)
    printed = naive.Syntactic(log)
    matrix = distance_of(log).matrix(threads)
    unit = UNIT // (12 * naive.PART)
    assert matrix.tolist() == [[unit * printed.apart(one, other) for other in log] for one in log]
