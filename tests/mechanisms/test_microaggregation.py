"""What no log of histories can be made of is refused in one sentence, before anything is charged."""

from __future__ import annotations

import pytest

from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.publish import open_ledger, publish
from tests.support.logs import make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    rows = [(f"u{user}", "golf clubs", 1000 * user + i, None) for user in range(12) for i in range(3)]
    return make_log(tmp_path_factory.mktemp("histories"), rows)


def refuse(log, spelling, folder, words):
    with pytest.raises(InputError, match=words):
        publish(parse(spelling), log, folder / "out", i_know=True)
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
    assert not (folder / "out").exists()


@pytest.mark.parametrize("name", ["Mdav", "OdpClusters", "SemanticMdav"])
def test_blocks_that_are_too_small_for_k(log, tmp_path, name):
    refuse(log, f"{name}(k=4, exact=6)", tmp_path, "they need 2k users")


@pytest.mark.parametrize("name", ["Mdav", "OdpClusters", "SemanticMdav"])
def test_fewer_users_than_k(log, tmp_path, name):
    refuse(log, f"{name}(k=13)", tmp_path, "The log has 12 users")


@pytest.mark.parametrize("name", ["OdpClusters", "SemanticMdav"])
def test_a_tree_that_maps_nothing(log, tmp_path, name):
    tree = tmp_path / "tree.txt"
    tree.write_text("Science/Physics\n")
    refuse(log, f"{name}(k=3, tree='{tree}')", tmp_path, "knows no query of this log")


@pytest.mark.parametrize("line", ["u{}\tnan", "u{}\tinf", "v{}\t1", "u{}"])
def test_vectors_that_are_not_of_these_users_or_no_numbers(log, tmp_path, line):
    vectors = tmp_path / "vectors.tsv"
    vectors.write_text("\n".join(line.format(user) for user in range(12)))
    refuse(log, f"Mdav(k=3, distance='vectors', vectors='{vectors}')", tmp_path, "The vectors of users")


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("Mdav(k=2, distance='random')", "exactly: among all users at once"),
        ("Mdav(k=2, distance='random', medoid='once')", "among all users at once, the middle found once"),
        ("Mdav(k=2, distance='random', swaps=2)", "among all users at once, then up to 2 rounds of swaps"),
        ("Mdav(k=2, distance='random', exact=6)", "in 2 blocks of similar users, each by itself"),
        (
            "Mdav(k=2, distance='random', exact=6, swaps=1)",
            "in 2 blocks of similar users, each by itself, then up to 1 round of swaps",
        ),
    ],
)
def test_the_label_says_whether_clusters_are_exact(log, spelling, words):
    notes = parse(spelling).protect(log, SeededRandomness(1)).notes
    assert notes["clusters were found"] == words
    assert notes["blocks"] == (2 if "exact=6" in spelling else 1)
