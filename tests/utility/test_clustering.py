import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.utility.clustering import purity
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.registry import score


def test_purity_counts_the_most_frequent_class():
    # the single site does not count
    assert purity(np.array([0, 0, 0, 1, 1, 2]), np.array([5, 5, 6, 7, 7, 8])) == (4, 5)
    assert purity(np.array([0, 1]), np.array([0, 0])) == (0, 0)


@pytest.fixture
def store(make_store):
    clicks = [
        ("lyrics", "a.com"),
        ("lyrics", "b.com"),
        ("lotto", "c.com"),
        ("lotto", "d.com"),
        ("news", "e.com"),
    ]
    return make_store([(str(i), i, query, 1, url) for i, (query, url) in enumerate(clicks * 3)])


ALL = [
    ("lyrics", "a.com", 3),
    ("lyrics", "b.com", 3),
    ("lotto", "c.com", 3),
    ("lotto", "d.com", 3),
    ("news", "e.com", 3),
]


def test_a_full_release_finds_the_logs_clusters(store, make_release):
    (found,) = score(make_release(store.info.id, clicks=ALL), store, on=["clustering"])
    assert found.value == 1.0
    assert found.evaluated == 4
    assert (found.details["clusters"], found.details["clusters_of_the_log"], found.details["sites"]) == (
        2,
        2,
        5,
    )


def test_wrong_links_cost_purity(store, make_release):
    release = make_release(
        store.info.id, clicks=[("lyrics", "a.com", 3), ("lyrics", "c.com", 3), ("lyrics", "d.com", 3)]
    )
    (found,) = score(release, store, on=["clustering"])
    assert found.value == pytest.approx(2 / 3)


def test_classes_can_be_given(store, make_release):
    release = make_release(store.info.id, clicks=ALL)
    (found,) = score(
        release,
        store,
        on=["clustering"],
        settings=MeasureSettings(
            site_classes={"a.com": "music", "b.com": "film", "c.com": "luck", "d.com": "luck"}
        ),
    )
    assert found.value == 0.75
    with pytest.raises(InputError, match="most clicked sites"):
        score(release, store, on=["clustering"], settings=MeasureSettings(site_classes={"zzz.com": "music"}))
