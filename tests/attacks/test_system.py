"""The attacks that broke version 1, on real processes: each succeeds with its repair switched off and fails
on the shipped services, and nobody links volunteers better than by chance.
"""

import pytest
from click.testing import CliRunner

from crowdlog.attacks import system
from crowdlog.attacks.collection_trial import run_trial
from crowdlog.attacks.linking import link_volunteers
from crowdlog.attacks.result import result_of_trials
from crowdlog.attacks.system import SystemAttack, demonstrate_system, links
from crowdlog.cli import cli
from crowdlog.privacy.randomness import SystemRandomness


@pytest.fixture(scope="module")
def attacks():
    return {one.name.split(":")[0]: one for one in demonstrate_system(SystemRandomness())}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("crowd services")
@pytest.mark.parametrize("name", ["A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8"])
def test_an_attack_succeeds_without_its_repair_and_fails_with_it(attacks, name):
    assert (attacks[name].against_old, attacks[name].against_ours) == (True, False)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("crowd services")
def test_every_single_party_links_volunteers_by_chance():
    with run_trial(SystemRandomness(), old=False) as trial:
        results = {one.name: one for one in link_volunteers(trial, volunteers=30)}
        arrived = {
            one
            for line in ("mix2", "aggregation")
            for call in trial.lines[line].calls
            if call.path.endswith("/batch")
            for one in call.json()["envelopes"]
        }
    assert len(results) == 6
    assert len(arrived) == 2 * 30 * 4  # everything came through both mixes while it was watched
    assert [name for name, one in results.items() if links(one)] == []


def test_who_is_right_too_often_links():
    assert links(result_of_trials("all", 30, 30, 1 / 30))
    assert not links(result_of_trials("some", 2, 30, 1 / 30))


def test_the_command_says_who_links(monkeypatch):
    monkeypatch.setattr("crowdlog.attacks.collection.demonstrate", lambda _randomness: [])
    monkeypatch.setattr(
        system, "demonstrate_system", lambda _randomness: [SystemAttack("A1: x", True, False, "y")]
    )
    found = [result_of_trials("aggregation server", 30, 30, 1 / 30)]
    monkeypatch.setattr(system, "link", lambda _randomness, _volunteers: found)
    shown = CliRunner().invoke(cli, ["crowd", "attack"])
    assert "1 of 2 attacks" in shown.output + str(shown.exception)
    found[0] = result_of_trials("aggregation server", 1, 30, 1 / 30)
    shown = CliRunner().invoke(cli, ["crowd", "attack"])
    assert shown.exit_code == 0
    assert "3.33%" in shown.output
