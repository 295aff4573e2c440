"""A comparison by a tree and labels of the owner's own, and what is done again when these files change."""

from __future__ import annotations

import pytest

from crowdlog.comparison import compare
from crowdlog.comparison.grid import LABEL
from tests.support.logs import make_log

MECHANISM = "Mdav(word_users=1, names='allow', distance='equality', k=3)"
FINE = "Sports/Golf\nSports/Tennis\nHealth/Flu\nHealth/Asthma\n"
COARSE = "Sports\nSports/Golf\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("interests")


@pytest.fixture(scope="module")
def log(folder):
    rows = []
    for user in range(12):
        words = ("golf", "tennis") if user < 6 else ("flu", "asthma")
        rows += [(f"u{user}", word, 1000 * user + i, None) for i, word in enumerate((*words, words[0]))]
    return make_log(folder, rows)


def compared(log, folder, tree, labels):
    (folder / "tree.txt").write_text(tree, encoding="utf-8")
    (folder / "labels.tsv").write_text(f"query\ttopic\tsensitive\n{labels}", encoding="utf-8")
    return compare(
        log,
        [MECHANISM],
        seeds=1,
        utility=["ilr", "srp"],
        attacks=["linkage", "homogeneity"],
        tree=folder / "tree.txt",
        labels=folder / "labels.tsv",
        cache=folder / "cache",
        jobs=1,
    )


def values(comparison):
    return {point["name"]: point["value"] for point in comparison.points}


def test_trials_go_by_the_files_that_are_given(log, folder):
    found = compared(log, folder, FINE, "flu\thealth\t1\nasthma\thealth\t1\ngolf\tsports\t0\n")
    assert values(found)["srp:level 1"] == 1  # sport stays sport
    assert values(found)["homogeneity"] == 1  # everybody of a cluster has the illness, or nobody
    repeat = found.commands(found.ordered()[0])["repeat"]
    assert f"--tree {folder / 'tree.txt'}" in repeat
    assert f"--labels {folder / 'labels.tsv'}" in repeat


def test_other_files_are_other_results_and_only_those_that_go_by_them_are_done_again(log, folder):
    first = compared(log, folder, FINE, "flu\thealth\t1\n")
    run, other = first.grid.runs()[0], compared(log, folder, COARSE, "tennis\tsports\t1\n").grid
    changed = {
        measure for measure in other.measures() if other.key(run, measure) != first.grid.key(run, measure)
    }
    assert changed == {("utility", "srp"), ("attack", "homogeneity")}
    assert LABEL not in changed
    people = [grid.kept(run, ("utility", "srp"))["results"][0]["evaluated"] for grid in (first.grid, other)]
    assert people == [12, 6]  # the coarse tree knows no illness
