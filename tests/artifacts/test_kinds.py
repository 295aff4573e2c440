import pytest

from crowdlog.artifacts.kinds import ARTIFACTS, QUERY_ARTIFACTS, Artifact
from crowdlog.errors import InputError
from crowdlog.release.contract import CONTRACT


def test_every_kind_names_its_table_and_its_columns():
    assert {kind: Artifact(kind).table for kind in ARTIFACTS if "pair" not in kind} == {
        "query": "queries",
        "click": "clicks",
        "word": "words",
        "site": "sites",
        "query-site": "query_sites",
        "word-site": "word_sites",
    }
    assert all(Artifact(kind).table == "pairs" for kind in QUERY_ARTIFACTS if "pair" in kind)
    assert Artifact("word-pair").table == "word_pairs"
    for artifact in map(Artifact, ARTIFACTS):
        assert CONTRACT[artifact.table] == (*artifact.columns, "count")


def test_undirected_pairs_share_the_scope_of_directed_ones():
    assert Artifact("undirected-window-pair").scope == "window-pair"
    assert not Artifact("undirected-window-pair").directed
    assert Artifact("pair").directed


def test_unknown_kind():
    with pytest.raises(InputError, match="There is no artifact 'quartet'"):
        Artifact("quartet")
