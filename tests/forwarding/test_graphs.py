"""Graphs: symmetric, simple, degrees by the power law; edge lists from files."""

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.forwarding.graphs import power_law, read_edges


def check(graph):
    """What every graph must be: each edge has its reverse, no loops, no double edges, true degrees."""
    sender = np.repeat(np.arange(graph.users), graph.degrees)
    assert (graph.target[graph.reverse] == sender).all()
    assert (graph.reverse[graph.reverse] == np.arange(len(sender))).all()
    assert (graph.target != sender).all()
    assert len(set(zip(sender.tolist(), graph.target.tolist(), strict=True))) == len(sender)
    assert (graph.degree == graph.degrees[graph.target]).all()


@settings(max_examples=25, deadline=None)
@given(st.integers(11, 400), st.floats(0.5, 3), st.integers(0, 2**31))
def test_random_graphs_are_simple_and_symmetric(users, exponent, seed):
    graph = power_law(users, exponent=exponent, seed=seed)
    assert graph.users == users
    assert graph.degrees.max() <= 10
    check(graph)


def test_degrees_follow_the_power_law():
    graph = power_law(200_000, exponent=1.3, seed=4)
    check(graph)
    assert graph.degrees.min() == 1
    shares = np.arange(1, 11) ** -1.3
    shares /= shares.sum()
    found = np.bincount(graph.degrees, minlength=11)[1:] / graph.users
    # five standard deviations of a share of 200,000 users
    assert (np.abs(found - shares) < 5 * np.sqrt(shares / graph.users)).all()


def test_the_same_seed_gives_the_same_graph():
    first, again, other = (power_law(500, seed=seed) for seed in (3, 3, 4))
    assert (first.target == again.target).all()
    assert len(first.target) != len(other.target) or (first.target != other.target).any()


def test_an_edge_list_is_read(tmp_path):
    path = tmp_path / "edges.txt"
    path.write_text("# friends\n10 20\n20 30\n\n30 10\n20 10\n40 40\n40 10\n")
    graph = read_edges(path)
    check(graph)
    given = networkx.Graph([(0, 1), (1, 2), (0, 2), (0, 3)])
    assert sorted(graph.pairs()) == sorted(tuple(sorted(edge)) for edge in given.edges)


@pytest.mark.parametrize("text", ["", "1 2 3\n", "a b\n", "1\n", "5 5\n", "1.5 2\n"])
def test_what_is_no_edge_list_is_refused(tmp_path, text):
    path = tmp_path / "edges.txt"
    path.write_text(text)
    with pytest.raises(InputError, match="edge"):
        read_edges(path)


@pytest.mark.parametrize(
    ("text", "line"),
    [("1 2\n# x\n2 3 4\n", 3), ("1 2\n\n3 x\n", 3), ("1,2\n", 1), ("1 2\n3\n", 2), (f"1 2\n1 {10**30}\n", 2)],
)
def test_the_line_that_is_no_edge_is_named_and_not_quoted(tmp_path, text, line):
    path = tmp_path / "edges.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=f"Line {line} of .* is not an edge; write") as told:
        read_edges(path)
    assert "\n" not in str(told.value)


def test_a_file_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_edges(tmp_path / "nowhere")


@pytest.mark.parametrize("exponent", [float("nan"), float("inf"), -float("inf"), 1e308, -11.0])
def test_an_impossible_exponent_is_refused(exponent):
    """NaN made degrees out of whatever stood in memory."""
    with pytest.raises(InputError, match="'exponent' must lie between"):
        power_law(100, exponent=exponent)


@pytest.mark.parametrize("users", [0, 1, 10, 2**40])
def test_impossible_sizes_are_refused(users):
    with pytest.raises(InputError):
        power_law(users)
