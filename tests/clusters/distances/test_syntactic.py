"""The syntactic distance beside the printed formulas in plain Python,
and MDAV with it beside the naive one.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from crowdlog.clusters.distances.base import UNIT
from crowdlog.clusters.distances.edit_distance import DistanceCache, edits_between, words_of
from crowdlog.clusters.distances.syntactic import SyntacticSpace, read_syntactic
from crowdlog.clusters.distances.syntactic_kernels import PART, site_distance
from crowdlog.clusters.host_tree import labels_of
from crowdlog.clusters.mdav import mdav
from tests.support.logs import make_log
from tests.support.naive_syntactic import hausdorff, levenshtein

WORDS = "flu golf golfing hypertension football müller shop shops a boston bostn weather".split()
URLS = [None, "http://www.a.com", "http://shop.a.com/x", "http://b.org", "http://a.org", None]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    lot = random.Random(11)
    rows = []
    for user in range(40):
        for _row in range(lot.randrange(1, 7)):
            text = " ".join(lot.choice(WORDS) for _word in range(lot.randrange(1, 4)))
            rows.append((f"u{user}", text, lot.randrange(10**6), lot.choice(URLS)))
    return make_log(tmp_path_factory.mktemp("syntactic"), rows)


def host_distance(one, other):
    if not one or not other:
        return int(one != other)
    m = max(len(one), len(other)) - 1
    total = sum(2 ** (m - i) for i in range(m + 1) if i >= min(len(one), len(other)) or one[i] != other[i])
    return Fraction(total, 2 ** (m + 1) - 1)


def printed(log):
    """All user distances by eq. 5.1–5.4, with the errata decided as in the mechanism."""
    rows = read_syntactic(log).rows
    texts = log.query_texts(range(log.info.queries)).to_pylist()
    length = [len(text.split()) for text in texts]

    def norm(values):
        low, high = int(min(values)), int(max(values))
        return lambda x: Fraction(int(x) - low, max(high - low, 1))

    time, rank, words, queries = norm(rows.time), norm(rows.rank), norm(length), norm(rows.lengths)

    def phrase(p, q):
        def word(a, b):
            return Fraction(levenshtein(a, b), max(len(a), len(b)))

        apart = hausdorff(texts[p].split(), texts[q].split(), word)
        return (abs(words(length[p]) - words(length[q])) + 2 * apart) / 3

    def site(row):
        return rows.sites.labels(rows.site[row]) if rows.site[row] >= 0 else ()

    def query(x, y):
        parts = abs(time(rows.time[x]) - time(rows.time[y])) + abs(rank(rows.rank[x]) - rank(rows.rank[y]))
        return (parts + host_distance(site(x), site(y)) + 3 * phrase(rows.query[x], rows.query[y])) / 6

    def user(u, v):
        lists = [range(rows.start[w], rows.start[w + 1]) for w in (u, v)]
        lengths = abs(queries(rows.lengths[u]) - queries(rows.lengths[v]))
        return (lengths + hausdorff(*lists, query)) / 2

    return user


def test_the_distance_is_that_of_the_formulas(log):
    found, expected = read_syntactic(log).matrix(), printed(log)
    top = 12 * PART * (UNIT // (12 * PART))  # UNIT, rounded to a multiple of the parts
    for u, v in [(0, 1), (2, 3), (5, 17), (8, 30), (39, 4), (11, 12), (7, 7), (20, 33)]:
        assert found[u, v] / top == pytest.approx(float(expected(u, v)), abs=2e-4)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_partition_without_full_distances_is_that_with_all_of_them(log, k):
    """The centroid is a list of rows, so the naive MDAV takes its distances from `farthest` by brute
    force.
    """
    distance = read_syntactic(log)
    space, matrix = distance.space(), distance.matrix()

    class Naive(SyntacticSpace):
        def farthest(self, point, alive):
            if not isinstance(point, int):
                return super().farthest(point, alive)
            return max(alive.tolist(), key=lambda v: (matrix[point, v], -v))

        def nearest(self, user, alive, k):
            others = sorted((v for v in alive.tolist() if v != user), key=lambda v: (matrix[user, v], v))
            return np.array([user, *others[: k - 1]])

    assert (mdav(space, k) == mdav(Naive(distance), k)).all()


def test_the_farthest_from_a_centroid_is_found_by_full_distances_too(log):
    from crowdlog.clusters.distances.syntactic_kernels import distances

    distance = read_syntactic(log)
    alive = np.arange(40)
    centre = distance.space().centroid(alive)
    out = np.empty(40, np.int64)
    distances(*centre, distance.rows.start, distance.two, distance.size, alive, *distance.rest(centre), out)
    assert distance.space().farthest(centre, alive) == int(np.argmax(out))
    assert centre[2] == round(len(distance.rows.query) / 40)  # as many queries as a user has on the mean


def test_parts_keep_the_distances_of_the_whole(log):
    distance = read_syntactic(log)
    some = np.array([31, 2, 9])
    assert (distance.part(some).matrix() == distance.matrix()[np.ix_(some, some)]).all()


def test_edit_distances_are_those_of_the_textbook():
    lot = random.Random(5)
    texts = [
        "",
        "a",
        *(
            "".join(lot.choice("abcé") for _ in range(lot.choice([1, 5, 30, 64, 65, 90, 300])))
            for _ in range(30)
        ),
    ]
    words = words_of(texts)
    kept = DistanceCache(words).of(np.arange(0, 20))
    for a in range(len(texts)):
        for b in range(len(texts)):
            for _twice in range(2):
                found = edits_between(a, b, words.start, words.letter, kept)
            assert found == levenshtein(texts[a], texts[b])


def test_host_labels_weigh_most_at_the_right():
    names = [("com",), ("com", "a"), ("com", "b"), ("org", "a"), ("com", "a", "shop")]
    length = np.array([len(name) for name in names])
    number = {"com": 0, "org": 1, "a": 2, "b": 3, "shop": 4}
    label = np.array([[number[x] for x in name] + [-1] * (3 - len(name)) for name in names])
    found = {(i, j): site_distance(i, j, length, label) / PART for i in range(5) for j in range(5)}
    assert found[1, 2] == pytest.approx(1 / 3, abs=1e-4)  # com same, second differs: 1 of 2¹ + 1
    assert found[1, 3] == pytest.approx(2 / 3, abs=1e-4)
    assert found[0, 1] == pytest.approx(1 / 3, abs=1e-4)  # the shorter has no second label
    assert found[1, 4] == pytest.approx(1 / 7, abs=1e-4)
    assert site_distance(-1, -1, length, label) == 0
    assert site_distance(-1, 1, length, label) == PART


def test_labels_of_urls():
    assert labels_of("http://www.Example.com/x?y") == ("com", "example")
    assert labels_of("shop.example.co.uk") == ("uk", "co", "example", "shop")
    assert labels_of("www.com") == ("com", "www")
    assert labels_of("http://[bad") == ()
