"""The simulator: repeatable on any number of threads, and the seed's numbers within tolerance."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.forwarding.graphs import from_pairs, power_law
from crowdlog.forwarding.kernels import LOST
from crowdlog.forwarding.measures import exposed_shares, loads, mean_hops, own_shares, position_table
from crowdlog.forwarding.protocol import UNIT
from crowdlog.forwarding.rules import RETURNS, Rules
from crowdlog.forwarding.simulate import simulate
from crowdlog.forwarding.workload import repeated, topical

# Table 4.5, seed 002: mean and deviation of the position for 1 … 10 neighbours.
MEANS = [0.49, 0.97, 1.44, 1.89, 2.34, 2.78, 3.23, 3.64, 4.12, 4.51]
DEVIATIONS = [0.49, 0.87, 1.22, 1.55, 1.89, 2.21, 2.52, 2.83, 3.09, 3.51]


@settings(max_examples=12, deadline=None)
@given(
    st.integers(11, 300),
    st.sampled_from(sorted(RETURNS)),
    st.floats(0, 0.5),
    st.floats(0, 0.5),
    st.floats(0, 0.2),
    st.integers(0, 2**40),
)
def test_any_number_of_threads_gives_the_same(users, returns, selfish, offline, leave, seed):
    graph = power_law(users, seed=seed % 1000)
    rules = Rules(returns=returns, selfish=selfish, offline=offline, leave=leave)
    one = simulate(graph, topical(users, 6, seed=1), rules, seed=seed, threads=1)
    for threads in (2, 5):
        more = simulate(graph, topical(users, 6, seed=1), rules, seed=seed, threads=threads)
        assert (one.submitter == more.submitter).all()
        assert (one.hops == more.hops).all()
        assert (one.accept == more.accept).all()


@pytest.mark.parametrize("returns", sorted(RETURNS))
def test_walks_go_along_edges_and_obey_the_rule_of_returns(returns):
    graph = power_law(300, seed=2)
    done = simulate(graph, repeated(300, 30), Rules(returns=returns, selfish=0.1), seed=2, keep_paths=True)
    near = {user: set(graph.neighbours(user).tolist()) for user in range(300)}
    back = 0
    for r in range(30):
        for user in range(300):
            way = done.paths[r, user][: done.hops[r, user] + 1].tolist()
            assert way[0] == user
            assert way[-1] == done.submitter[r, user]
            assert all(b in near[a] for a, b in pairwise(way))
            assert not any(done.selfish[other] for other in way[1:])
            back += user in way[1:]
            if returns == "never twice":
                assert len(set(way)) == len(way)
    assert (back > 0) == (returns == "own back")


def test_every_query_is_submitted_once_and_loads_add_up():
    done = simulate(power_law(500, seed=1), repeated(500, 20), seed=1)
    assert (done.submitter != LOST).all()
    assert loads(done).sum() == 500 * 20


def test_who_leaves_loses_the_search_and_who_is_offline_takes_nothing():
    graph = from_pairs(np.array([0], np.int32), np.array([1], np.int32), 2)
    lost = simulate(graph, repeated(2, 200), Rules(leave=1.0), seed=1)
    assert ((lost.submitter == LOST) == (lost.hops == 1)).all()
    assert (lost.submitter == LOST).any()
    alone = simulate(graph, repeated(2, 200), Rules(offline=1.0), seed=1)
    assert (alone.submitter == np.arange(2)).all()
    assert (alone.accept == 0).all()  # silence counts as refusal


def test_refusals_and_acceptances_move_the_probabilities_by_zeta():
    """Two users, one selfish: each of the honest one's offers is refused, and she stops taking in turn."""
    graph = from_pairs(np.array([0], np.int32), np.array([1], np.int32), 2)
    done = simulate(graph, repeated(2, 1), Rules(selfish=0.5, theta=(0, 0), copies=1), seed=1)
    selfish = int(np.flatnonzero(done.selfish)[0])
    edge_to_honest = int(graph.start[selfish])
    # the selfish user's query was taken: p falls by ζ; her refusal of an offer costs her another ζ
    offers = int(done.hops[0, 1 - selfish] == 0)
    assert done.accept[edge_to_honest] in {UNIT - 300 * taken for taken in (1, 1 + offers)}


@pytest.fixture(scope="module")
def many():
    """50,000 users, 100 queries each: so that enough have ten neighbours."""
    return simulate(power_law(50_000, seed=5), repeated(50_000, 100), seed=5)


@pytest.mark.slow
def test_hops_as_in_the_seed(many):
    assert mean_hops(many) == pytest.approx(3.59, abs=0.1)


@pytest.mark.slow
def test_positions_as_in_table_4_5(many):
    means, deviations = position_table(many)
    assert np.abs(means - MEANS).max() <= 0.3
    assert np.abs(deviations / DEVIATIONS - 1).max() <= 0.15


def test_zeta_isolates_the_selfish_between_001_and_003():
    """Table 4.4: 5 % of the selfish are exposed at ζ = 0.01, 93 % at 0.02, 100 % at 0.03; the honest hardly
    move.
    """
    honest, selfish = {}, {}
    for zeta in (0.0, 0.01, 0.02, 0.03):
        runs = [
            simulate(
                power_law(1000, seed=seed), repeated(1000, 100), Rules(zeta=zeta, selfish=0.1), seed=seed
            )
            for seed in range(2)
        ]
        honest[zeta], selfish[zeta] = np.mean([exposed_shares(run) for run in runs], axis=0)
    assert selfish[0.0] < 0.1
    assert selfish[0.01] < 0.35
    assert selfish[0.02] > 0.85
    assert selfish[0.03] > 0.97
    assert abs(honest[0.03] - honest[0.0]) < 0.02


def test_own_shares_of_nobody_are_unknown():
    graph = from_pairs(np.array([0], np.int32), np.array([1], np.int32), 2)
    done = simulate(graph, repeated(2, 50), Rules(leave=1.0, theta=(0, 0), copies=1), seed=3)
    assert set(own_shares(done)) <= {1.0, np.nan} or np.isnan(own_shares(done)).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"zeta": 1.5},
        {"theta": (0.8, 0.6)},
        {"copies": 0},
        {"returns": "never"},
        {"selfish": -0.1},
        {"leave": 2},
    ],
)
def test_impossible_rules_are_refused(wrong):
    with pytest.raises(InputError):
        Rules(**wrong)


def test_a_graph_of_another_size_is_refused():
    with pytest.raises(InputError, match="as many"):
        simulate(power_law(20, seed=1), repeated(30, 2))
