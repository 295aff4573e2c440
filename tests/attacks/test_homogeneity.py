"""Attacks by interests: what users of a cluster share is not hidden by k."""

from __future__ import annotations

import pytest

from crowdlog.attacks import attack
from crowdlog.attacks.attacker import Attacker
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.folder import Release
from tests.support.logs import make_log

TREE = "Sports/Golf\nSports/Tennis\nHealth/Flu\nHealth/Asthma\nHealth\n"


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Six users with an illness and six without; all k = 3 of a cluster are alike."""
    folder = tmp_path_factory.mktemp("homogeneity")
    (folder / "tree.txt").write_text(TREE, encoding="utf-8")
    (folder / "labels.tsv").write_text(
        "query\ttopic\tsensitive\nflu\thealth\t1\nasthma\thealth\t1\ngolf\tsports\t0\n", encoding="utf-8"
    )
    rows = []
    for user in range(12):
        words = ("golf", "tennis") if user < 6 else ("flu", "asthma")
        rows += [(f"u{user}", word, 1000 * user + i, None) for i, word in enumerate((*words, words[0]))]
    log = make_log(folder, rows)
    parse("Mdav(k=3, distance='equality')").release(log, folder / "out", i_know=True)
    return folder, log, Release.open(folder / "out")


def attacked(world, name, **known):
    folder, log, release = world
    attacker = Attacker(SeededRandomness(1), tree=str(folder / "tree.txt"), **known)
    return attack(release, log, [name], attacker=attacker)[0]


@pytest.mark.parametrize("labelled", [True, False])
def test_a_cluster_of_one_illness_hides_nobody(world, labelled):
    known = {"labels": world[0] / "labels.tsv"} if labelled else {}
    found = attacked(world, "homogeneity", **known)
    assert found.success == 1
    assert found.chance == 0.5
    assert found.details["certain"] == 1
    assert found.details["l_diversity"] == 1
    assert found.details["t_closeness"] == pytest.approx(0.5)
    assert found.details["users_in_clusters_of_one_sensitive_topic"] == 0.5


def test_interests_tell_the_half_of_the_log(world):
    linked = attacked(world, "category_linkage")
    assert linked.success == pytest.approx(1 / 6)  # everybody of six has the same interests
    exposed = attacked(world, "category_exposure")
    assert exposed.chance < exposed.success < 1  # the record has the main sport or illness alone


def test_a_tree_that_maps_nothing_is_told_and_no_error(world, tmp_path):
    (tmp_path / "strange.txt").write_text("Zoology/Quokka\n", encoding="utf-8")
    _folder, log, release = world
    attacker = Attacker(SeededRandomness(1), tree=str(tmp_path / "strange.txt"))
    names = ["category_linkage", "category_exposure", "homogeneity"]
    for found in attack(release, log, names, attacker=attacker):
        assert found.success is None
        assert "knows no query of this log" in found.note
