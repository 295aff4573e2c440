"""The attacks that broke version 1, on real processes: each succeeds with its repair switched off and fails
on the shipped services, and nobody links volunteers better than by chance.
"""

import json

import pytest
from click.testing import CliRunner

from crowdlog.attacks import system
from crowdlog.attacks.linking import WATCHED_TOGETHER
from crowdlog.attacks.result import result_of_trials
from crowdlog.attacks.system import Linking, SystemAttack, demonstrate_system, link, links
from crowdlog.cli import cli
from crowdlog.errors import InputError
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
@pytest.mark.timeout(1800)
@pytest.mark.xdist_group("crowd services")
def test_every_single_party_links_volunteers_by_chance_and_did_not_before():
    found = {one.ours.name: one for one in link(SystemRandomness(), volunteers=60)}
    attackers = ("aggregation server", "operator who empties mixes", "outsider with junk")
    whose = {f"{who}: {what}" for who in attackers for what in ("whose", "pairs")}
    assert set(found) == {*whose, "first mix: who has more", "second mix: pairs", WATCHED_TOGETHER}
    assert [name for name, one in found.items() if not links(one.before)] == []
    assert [name for name, one in found.items() if links(one.ours) and name != WATCHED_TOGETHER] == []
    # all reports came through both mixes and were judged
    assert {one.ours.details["trials"] for name, one in found.items() if name.endswith("whose")} == {240}
    # who empties mixes, or fills them, had everybody; the pools are what stops whoever watches both ends
    for who in attackers[1:]:
        assert found[f"{who}: whose"].before.success > 0.9
    both_ends = found[WATCHED_TOGETHER]
    assert both_ends.before.success > 0.5 > both_ends.ours.success


def test_who_is_right_too_often_links():
    assert links(result_of_trials("all", 30, 30, 1 / 30))
    assert not links(result_of_trials("some", 2, 30, 1 / 30))


def test_the_command_says_who_links(monkeypatch):
    monkeypatch.setattr("crowdlog.attacks.collection.demonstrate", lambda _randomness: [])
    monkeypatch.setattr(
        system, "demonstrate_system", lambda _randomness: [SystemAttack("A1: x", True, False, "y")]
    )
    before = result_of_trials("aggregation server", 30, 30, 1 / 30)
    found = [Linking(before, before)]
    monkeypatch.setattr(system, "link", lambda _randomness, _volunteers: found)
    shown = CliRunner().invoke(cli, ["crowd", "attack"])
    assert "1 of 2 attacks" in shown.output + str(shown.exception)
    found[0] = Linking(before, result_of_trials("aggregation server", 1, 30, 1 / 30))
    shown = CliRunner().invoke(cli, ["crowd", "attack"])
    assert shown.exit_code == 0
    assert "3.33% (0.08% to 17.22%; chance 3.33%)" in shown.output
    found[0] = Linking(found[0].ours, found[0].ours)  # an attack that never succeeds shows nothing
    shown = CliRunner().invoke(cli, ["crowd", "attack"])
    assert "1 of 2 attacks" in shown.output + str(shown.exception)
    found[0] = Linking(before, before, promised=False)
    assert CliRunner().invoke(cli, ["crowd", "attack"]).exit_code == 0


def test_volunteers_alone_can_be_attacked(monkeypatch):
    before, ours = (result_of_trials("aggregation server", right, 30, 1 / 30) for right in (30, 1))
    monkeypatch.setattr(system, "link", lambda _randomness, volunteers: [Linking(before, ours)] * volunteers)
    shown = CliRunner().invoke(cli, ["crowd", "attack", "--linking", "--volunteers", "2", "--json"])
    found = json.loads(shown.output)
    assert (found["protocol"], found["system"], len(found["linking"])) == ([], [], 2)
    for wrong in (["--protocol"], ["--volunteers", "0"]):
        refused = CliRunner().invoke(cli, ["crowd", "attack", "--linking", *wrong])
        assert isinstance(refused.exception, InputError)
