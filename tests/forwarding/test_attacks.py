"""The attacks: exact where they can be, and each finds what it must and nothing where there is nothing."""

import numpy as np
import pytest

from crowdlog.forwarding.attacks.collusion import colluding_neighbours, owned_nodes
from crowdlog.forwarding.attacks.engine import linkage, repeated_query, submission_chances
from crowdlog.forwarding.attacks.neighbour import from_a_sender_with, probe
from crowdlog.forwarding.attacks.scene import Repair, make_scene
from crowdlog.forwarding.graphs import power_law
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import simulate
from crowdlog.forwarding.workload import repeated


def scene(repair):
    return make_scene(200, 30, repair, seed=4, topics=60)


@pytest.fixture(scope="module")
def plain():
    return scene(Repair("none"))


def test_sending_a_query_back_gives_the_source_away_by_the_seeds_rule_only(plain):
    told = probe(plain)[1]
    assert told.success > 0.95 > told.chance
    for returns in ("own back", "never twice"):
        told = probe(scene(Repair("r", returns=returns)))[1]
        assert told.success == told.chance  # the reply does not depend on who is the source


@pytest.mark.parametrize("returns", ["source never", "own back", "never twice"])
def test_all_neighbours_together_know_what_is_hers(returns):
    """Proved in docs/forwarding.md: whatever x hands on and got from no neighbour is her own."""
    assert colluding_neighbours(scene(Repair("r", returns=returns)))[-1].success == 1.0


def test_cover_makes_half_of_what_is_known_worthless():
    assert colluding_neighbours(scene(Repair("r", cover=1)))[-1].success == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("returns", ["source never", "own back", "never twice"])
def test_the_only_neighbour_knows_every_query_for_certain(returns):
    """By the same proof: all neighbours of who has one neighbour are one person."""
    rows = from_a_sender_with(scene(Repair("r", returns=returns)))
    assert rows[0].success == 1.0
    assert 1.0 > rows[1].success > rows[2].success > rows[3].success


def test_cover_is_counted_against_the_guesses_of_a_neighbour_and_of_owned_nodes(plain):
    covered = scene(Repair("r", cover=1))
    assert from_a_sender_with(covered)[0].success == pytest.approx(0.5, abs=0.05)
    for bare, hidden in zip(owned_nodes(plain), owned_nodes(covered), strict=True):
        assert hidden.success == pytest.approx(bare.success / 2, abs=0.03)
        assert hidden.chance == pytest.approx(bare.chance / 2, abs=0.03)


def test_linked_pairs_are_counted_as_by_hand(plain):
    """All pairs of one topic within ten rounds, one by one."""
    rounds = np.arange(len(plain.source)) // plain.done.graph.users
    linked = same = 0
    for window in np.unique(rounds // 10):
        for topic in np.unique(plain.topic):
            who = plain.source[(rounds // 10 == window) & (plain.topic == topic)]
            first, second = np.triu_indices(len(who), 1)
            linked += len(first)
            same += int((who[first] == who[second]).sum())
    told = linkage(plain)[0]
    assert told.success == pytest.approx(same / linked)
    assert told.low < told.success < told.high


def test_more_owned_nodes_name_more_sources(plain):
    few, some, many = (row.success for row in owned_nodes(plain))
    assert few < some < many
    assert owned_nodes(plain)[0].success >= owned_nodes(plain)[0].chance


def test_delay_makes_linking_worse(plain):
    assert linkage(scene(Repair("r", delay=100)))[0].success < linkage(plain)[0].success


def test_linked_queries_name_the_source_the_better_the_more_there_are():
    rows = [row for row in repeated_query(200, seed=4) if row.repair == "none"]
    assert rows[-1].success > 0.7 > rows[0].success
    assert rows[-1].low > rows[-1].chance


def test_the_engines_model_is_the_uncut_walk():
    """Its probabilities equal the shares of a long simulation without cuts and without refusals."""
    graph = power_law(40, seed=5)
    rules = Rules(zeta=0.0, theta=(0.0, 0.0), copies=1)
    done = simulate(graph, repeated(40, 20_000), rules, seed=5)
    found = np.stack([np.bincount(done.submitter[:, user], minlength=40) for user in range(40)]) / 20_000
    chances = submission_chances(graph)
    assert np.allclose(chances.sum(axis=1), 1)
    assert np.abs(found - chances).max() < 5 * 0.5 / np.sqrt(20_000)
