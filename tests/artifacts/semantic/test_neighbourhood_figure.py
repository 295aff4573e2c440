import pytest

from crowdlog.artifacts.semantic.neighbourhood_figure import neighbourhood_of
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.errors import InputError
from tests.artifacts.semantic.logs import CASES, SANYO, make_log


def test_figure_four(tmp_path):
    log = make_log(tmp_path)
    nodes, edges = neighbourhood_of(Semantics(log), log, 0.9, SANYO, 60)
    assert {node.text for node in nodes} >= set(CASES)
    assert all(node.degree >= 10 for node in nodes if node.text in CASES)
    assert [node.users for node in nodes if node.text == CASES[17]] == [2]
    assert all(b < a < len(nodes) for a, b in edges)


@pytest.mark.parametrize("query", ["never typed", "the weather of nowhere", "my very secret street 4711"])
def test_a_query_that_cannot_be_compared(tmp_path, query):
    log = make_log(tmp_path)
    with pytest.raises(InputError, match="--around"):
        neighbourhood_of(Semantics(log), log, 0.9, query, 60)
