"""The measures of histories against values found by hand, and on a release that changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from crowdlog.errors import InputError
from crowdlog.measure.histories import PublishedHistories
from crowdlog.mechanisms import parse
from crowdlog.release.folder import Release
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.il import best_number, partition_distance
from crowdlog.utility.kmeans import indexes
from crowdlog.utility.registry import score
from crowdlog.utility.srp import remaining
from crowdlog.utility.top import kept_of_all, kept_of_each
from tests.support.logs import make_log

TREE = "Sports/Golf\nSports/Tennis\nHealth/Flu\nHealth/Asthma\n"
ON = ("ilr", "srp", "il", "kmeans", "top")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("histories")
    (place / "tree.txt").write_text(TREE, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def log(folder):
    rows = []
    for user in range(12):
        words = ("golf", "tennis") if user < 6 else ("flu", "asthma")
        rows += [(f"u{user}", word, 1000 * user + i, None) for i, word in enumerate((*words, words[0]))]
        rows += [(f"u{user}", f"note {user} {words[0]}", 1000 * user + 50, "http://x.com")]
    return make_log(folder, rows)


def released(folder, log, spelling, name):
    parse(spelling).release(log, folder / name, i_know=True)
    return Release.open(folder / name)


@pytest.fixture(scope="module")
def same(folder, log):
    return released(folder, log, "Pseudonyms()", "same")


@pytest.fixture(scope="module")
def clustered(folder, log):
    spelling = "Mdav(k=3, distance='equality', word_users=1, names='allow')"
    return released(folder, log, spelling, "clustered")


def test_nothing_is_lost_where_nothing_is_changed(folder, log, same):
    settings = MeasureSettings(tree=str(folder / "tree.txt"))
    found = {entry.name: entry.value for entry in score(same, log, on=ON, settings=settings)}
    losses = {"ilr:loss_ratio", "il:information_loss"}
    assert losses < found.keys()
    for name, value in found.items():
        if value is not None:
            assert value == (0 if name in losses else 1), name


def test_clusters_lose_something_and_topics_stay(folder, log, clustered):
    settings = MeasureSettings(tree=str(folder / "tree.txt"))
    found = {entry.name: entry.value for entry in score(clustered, log, on=ON, settings=settings)}
    assert found["srp:level 1"] == 1  # sport stays sport
    assert found["top:queries:each user"] < 1
    assert found["il:information_loss"] == 0  # two groups before and after


def test_the_record_of_everybody_is_found(log, clustered):
    histories = PublishedHistories(clustered, log)
    assert (histories.record_of >= 0).all()
    assert np.unique(histories.record_of).size == 12
    assert histories.known.sum() == histories.shown.sum()


def test_srp_counts_what_is_common_at_a_level(folder, log, clustered):
    histories = PublishedHistories(clustered, log)
    histories.__dict__["shown"] = csr_array(np.zeros(histories.own.shape, np.int64))
    assert remaining(histories, str(folder / "tree.txt"))[1].tolist() == [0.0] * 12


def test_a_release_of_counts_has_no_histories(folder, log):
    counts = released(folder, log, "FTu(k=2)", "counts")
    with pytest.raises(InputError, match="needs rows of users"):
        score(counts, log, on=["ilr"])


def test_partition_distance_by_hand():
    one = np.array([0, 0, 1, 1])
    assert partition_distance(one, one + 5) == 0
    # both parts have one bit each and together two: (2·2 − 1 − 1)/2
    assert partition_distance(one, np.array([0, 1, 0, 1])) == 1


def test_two_far_groups_are_two_clusters():
    place = np.repeat([0.0, 1.0], 8)
    assert best_number(np.abs(place[:, None] - place[None, :])) == 2


def test_rand_and_jaccard_by_hand():
    # pairs: (a, b) together in both; (c, d) in the first alone; r = 1, s = 1, t = 0, u = 4
    assert indexes(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])) == (5 / 6, 1 / 2)


def test_frequencies_by_hand():
    own = csr_array(np.array([[3, 1, 0], [0, 0, 0]]))
    shown = csr_array(np.array([[1, 0, 1], [0, 1, 0]]))
    # ¾ and ¼ of hers, ½ and 0 of the record: ½ of 1; who has nothing is left out
    assert kept_of_each(own, shown).tolist() == [0.5]
    assert kept_of_all(np.array([3, 1]), np.array([1, 1])) == 0.75
