import pytest

from crowdlog.artifacts.kinds import ARTIFACTS, Artifact
from crowdlog.errors import InputError


def test_every_kind_names_its_table():
    assert {kind: Artifact(kind).table for kind in ARTIFACTS if "pair" not in kind} == {
        "query": "queries",
        "click": "clicks",
    }
    assert all(Artifact(kind).table == "pairs" for kind in ARTIFACTS if "pair" in kind)


def test_undirected_pairs_share_the_scope_of_directed_ones():
    assert Artifact("undirected-window-pair").scope == "window-pair"
    assert not Artifact("undirected-window-pair").directed
    assert Artifact("pair").directed


def test_unknown_kind():
    with pytest.raises(InputError, match="There is no artifact 'triple'"):
        Artifact("triple")
