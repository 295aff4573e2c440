"""Every attack ends as the threat model says,
and a failing one would succeed if its defence were taken away.
"""

import dataclasses
import json
from contextlib import suppress

import pytest
from click.testing import CliRunner

from crowdlog.attacks import collection, protocol_attacks
from crowdlog.attacks.protocol_testbed import GUESSES, SECRET, K, run_testbed
from crowdlog.cli import cli
from crowdlog.crowd.client import participate
from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.crowd.crypto.opening import open_group
from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.services import aggregation
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.errors import CrowdlogError
from crowdlog.privacy.randomness import SeededRandomness


@pytest.fixture(scope="module")
def rows():
    return {row.name: row for row in collection.demonstrate(SeededRandomness(1))}


def test_every_attack_ends_as_expected(rows):
    assert [name for name, row in rows.items() if not row.as_expected] == []
    assert len(rows) == 15


def test_only_the_stated_limits_succeed_on_ours(rows):
    limits = {name for name, row in rows.items() if row.against_ours}
    assert limits == {"dictionary evaluated in time", "k - 1 fake volunteers", "mix that drops"}
    assert all(rows[name].note.startswith("stated limit") for name in limits)


def test_a_dictionary_opens_2013_and_not_ours(rows):
    assert (rows["dictionary"].against_2013, rows["dictionary"].against_ours) == (True, False)
    assert SECRET in GUESSES


def attacked(name: str) -> bool:
    with run_testbed(SeededRandomness(2)) as target:
        return getattr(protocol_attacks, name)(target)


@pytest.mark.parametrize(
    "name", ["invented_people", "wrong_collection", "truncated", "oversized", "malformed"]
)
def test_an_unchecked_report_would_get_in(name, monkeypatch):
    def unchecked(server, _manifest, envelope):
        with suppress(ReportError):
            return Report.parse(open_layer(server._key, envelope))

    monkeypatch.setattr(aggregation.AggregationServer, "_opened", unchecked)
    monkeypatch.setattr(aggregation, "credible", lambda reports, *_rest: list(reports))
    assert attacked(name)


def test_a_key_that_is_not_destroyed_lets_guesses_be_tested(monkeypatch):
    monkeypatch.setattr(RandomnessServer, "destroy", lambda *_arguments: None)
    assert attacked("dictionary")


@pytest.mark.parametrize("name", ["replayed", "duplicated", "mix_repeats"])
def test_without_deduplication_repetitions_would_count(name, monkeypatch):
    def all_new(_store, _collection, reports, rejected):
        return {"received": len(reports), "duplicates": 0, "over_limit": 0, "rejected": rejected}

    monkeypatch.setattr(CollectionStore, "keep", all_new)
    assert attacked(name)


def test_a_client_that_does_not_compare_names_would_believe_another_k(monkeypatch):
    monkeypatch.setattr(
        protocol_attacks,
        "look",
        lambda _link, server: participate.Manifest.from_json(server.call("GET", "")["manifest"]),
    )
    assert attacked("lies_about_k")


def test_one_more_person_opens_the_click_too():
    with run_testbed(SeededRandomness(4), inner_k=K + 1) as nested:
        reports = [Report.parse(report) for report in nested.nested_crowd(K + 1, SECRET, SECRET + b"\tclick")]
        query = open_group(reports, nested.manifest.collection)
        click = open_group(query.inner, nested.manifest.collection)
    assert (click.artifact, click.people) == (SECRET + b"\tclick", K + 1)


def test_one_more_person_opens_what_the_lying_server_could_not():
    with run_testbed(SeededRandomness(3), K + 1) as strict:
        reports = [Report.parse(report) for report in strict.crowd(K + 1)]
        opened = open_group(reports, strict.manifest.collection)
    assert opened
    assert (opened.artifact, opened.people) == (SECRET, K + 1)


def test_the_command_prints_the_table(rows, monkeypatch):
    monkeypatch.setattr(collection, "demonstrate", lambda _randomness: list(rows.values()))
    shown = CliRunner().invoke(cli, ["crowd", "attack", "--protocol"])
    assert shown.exit_code == 0
    assert shown.output.splitlines()[1].split()[:4] == ["dictionary", "succeeds", "fails", "yes"]
    listed = json.loads(CliRunner().invoke(cli, ["crowd", "attack", "--protocol", "--json"]).output)[
        "protocol"
    ]
    assert [row["name"] for row in listed] == list(rows)
    assert all(row["as_expected"] for row in listed)


def test_the_command_fails_when_an_attack_surprises(rows, monkeypatch):
    surprise = dataclasses.replace(rows["dictionary"], against_ours=True)
    monkeypatch.setattr(collection, "demonstrate", lambda _randomness: [surprise])
    result = CliRunner().invoke(cli, ["crowd", "attack", "--protocol"], standalone_mode=False)
    assert isinstance(result.exception, CrowdlogError)
    assert "1 of 1 attacks" in str(result.exception)
