"""`crowdlog crowd send` when the mix is away, against services in this process."""

import time
from dataclasses import replace

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli, crowd_member, crowd_sending
from crowdlog.crowd import http
from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client import participate
from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.terms import Terms
from crowdlog.errors import InputError, PrivacyRefusal
from tests.crowd.services.members import RANDOM, Direct, SmallCrowd
from tests.support.manifests import KEYS, PARTIES, manifest_of


class AwayAtFirst(Direct):
    """Is away when the client asks whether uploads are open, and again when the first report comes."""

    calls = 0

    def call(self, method, path, body=None):
        self.calls += 1
        if self.calls in (1, 2, 4, 5):
            raise Unreachable("The mix is away.")
        return super().call(method, path, body)


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path / "services", count="users", more={"limit": 6, "upload_seconds": 3600}) as small:
        yield small


def test_a_mix_that_is_away_is_tried_again(crowd, tmp_path, monkeypatch, capsys):
    """No moment is waited for here: the clock goes on by what would have been slept."""
    start, slept = time.time(), []
    monkeypatch.setattr(time, "sleep", slept.append)
    monkeypatch.setattr(time, "time", lambda: start + sum(slept))
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    found = [MinedArtifact((text,), 1) for text in "abcd"]
    with ClientStore(tmp_path / "home") as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        chosen = sample_artifacts(crowd.manifest, found, RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
        crowd.open_uploads()
        mix = AwayAtFirst(crowd.mix)
        sent = crowd_sending._send_all(own, own.membership(None), mix, False, False)
        assert sent == participate.Sent(taken=4)
        assert own.outbox(membership.id) == []
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == 4
    assert 0 < sum(slept) < 3600
    assert "The mix is away. Going on to try." in capsys.readouterr().err


def test_a_machine_that_sleeps_most_of_the_time_misses_no_window(crowd, tmp_path, monkeypatch):
    """Awake for one minute of five: a pause lasts five times as long by the clock on the wall."""
    start, slept = time.time(), []
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    with ClientStore(tmp_path / "home") as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        chosen = sample_artifacts(crowd.manifest, [MinedArtifact(("a",), 1)], RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
        crowd.open_uploads()
        for item in own.outbox(membership.id):
            own.reschedule(item.number, 0.9)
        monkeypatch.setattr(time, "sleep", slept.append)
        monkeypatch.setattr(time, "time", lambda: start + 5 * sum(slept))
        crowd.mixes[0].clock = time.time
        sent = crowd_sending._send_all(own, own.membership(None), Direct(crowd.mix), False, False)
    assert sent.taken == crowd.mixes[0].counts(crowd.manifest.id)["accepted"] > 0


@pytest.mark.parametrize("jumps_at", [0, 1])
def test_a_clock_that_is_wrong_lets_nothing_go_at_once(crowd, tmp_path, monkeypatch, jumps_at):
    """Ahead by more than the window, from the start or after the first report that left."""
    start, slept = time.time(), []
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    found = [MinedArtifact((text,), 1) for text in "abcd"]
    with ClientStore(tmp_path / "home") as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        chosen = sample_artifacts(crowd.manifest, found, RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
        crowd.open_uploads()

        def clock() -> float:
            jumped = own.membership(None).sent >= jumps_at
            return start + sum(slept) + jumped * 7200

        monkeypatch.setattr(time, "sleep", slept.append)
        monkeypatch.setattr(time, "time", clock)
        with pytest.raises(InputError, match="clock of this computer"):
            crowd_sending._send_all(own, own.membership(None), Direct(crowd.mix), False, False)
        waiting = len(own.outbox(membership.id))
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == jumps_at
    assert waiting == len(found) - jumps_at


@pytest.mark.parametrize(("how", "jumps_at"), [(["--now"], 0), (["--now"], 2), ([], 2)])
def test_what_left_before_the_window_was_over_is_told(crowd, tmp_path, monkeypatch, how, jumps_at):
    """By the clock of her computer, before anything has left or after the second report; also of `--now`."""
    start, slept, home = time.time(), [], tmp_path / "home"
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    found = [MinedArtifact((text,), 1) for text in "abcd"]
    with ClientStore(home) as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        chosen = sample_artifacts(crowd.manifest, found, RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
        crowd.open_uploads()

        def clock() -> float:
            jumped = own.membership(None).sent >= jumps_at
            return start + sum(slept) + jumped * 7200

        monkeypatch.setattr(http, "Connection", lambda url, **_options: crowd.connect(url))
        monkeypatch.setattr(time, "sleep", slept.append)
        monkeypatch.setattr(time, "time", clock)
        told = CliRunner().invoke(cli, ["crowd", "send", *how, "--yes", "--home", str(home)])
        waiting = len(own.outbox(membership.id))
    assert isinstance(told.exception, InputError)
    assert "clock of this computer" in str(told.exception)
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == len(found) - waiting == jumps_at
    assert ("2 reports were sent." in told.output) is (jumps_at == 2)


def test_lines_without_tls_are_told(capsys):
    crowd_member._warn_of_open_lines(manifest_of())
    said = capsys.readouterr().err
    assert said.count("is not encrypted") == 4


def test_parties_that_may_be_one_are_told(capsys):
    crowd_member._warn_of_one_hand(manifest_of())
    assert capsys.readouterr().err == ""
    parties = [replace(party, owner="Ada", url=f"http://one.example:{n}") for n, party in enumerate(PARTIES)]
    crowd_member._warn_of_one_hand(Terms("t", 5).manifest(parties, KEYS, 4_000_000_000))
    said = capsys.readouterr().err
    assert "Several of these services are at one.example: whoever" in said
    assert "Several of these services are run by Ada: whoever" in said


def test_who_sends_at_once_is_told_what_she_gives_up_before_she_is_asked(crowd, tmp_path, monkeypatch):
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    with ClientStore(tmp_path / "home") as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        chosen = sample_artifacts(crowd.manifest, [MinedArtifact(("a",), 1)], RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
    crowd.open_uploads()
    monkeypatch.setattr(http, "Connection", lambda url, **_options: crowd.connect(url))
    asked = ["crowd", "send", "--now", "--home", str(tmp_path / "home")]
    refused = CliRunner().invoke(cli, asked, input="n\n")
    assert refused.output.index("All reports leave together") < refused.output.index("Send 1 reports")
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == 0
    slowly = CliRunner().invoke(cli, [*asked[:2], *asked[3:]], input="n\n")
    assert "All reports leave together" not in slowly.output
    assert "1 reports were sent." in CliRunner().invoke(cli, asked, input="y\n").output
    assert crowd.mixes[0].counts(crowd.manifest.id)["accepted"] == 1


def test_what_goes_on_after_a_stop_is_what_she_is_shown(crowd, tmp_path, monkeypatch):
    """Mining stops while too few have joined; then the log has changed, and what was chosen has not."""
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    log, home = tmp_path / "log.tsv", tmp_path / "home"
    with ClientStore(home) as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        chosen = sample_artifacts(crowd.manifest, [MinedArtifact(("a secret",), 1)], RANDOM).chosen
        own.begin_preparing(membership.id, RANDOM.bytes(32), chosen)
    log.write_text("AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n1\tweather\t2006-03-01 00:00:00\t\t\n")
    monkeypatch.setattr(http, "Connection", lambda url, **_options: crowd.connect(url))
    shown = CliRunner().invoke(cli, ["crowd", "mine", str(log), "--home", str(home), "--yes"])
    with ClientStore(home) as own:
        prepared = [item.readable for item in own.outbox(membership.id) if item.readable]
    assert prepared == ["a secret"]
    assert "  a secret\n" in shown.output
    assert "weather" not in shown.output


def test_the_receipt_is_shown_and_two_people_compare(crowd, tmp_path, monkeypatch):
    """Also after she has left; and against a list from which something was taken out."""
    monkeypatch.setattr(http, "Connection", lambda url, **_options: crowd.connect(url))
    heads = []
    for name in ("ada", "bob"):
        with ClientStore(tmp_path / name) as own:
            link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
            head = participate.check_parties(crowd.manifest, crowd.connect)
            participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
            if name == "bob":
                unfinished = CliRunner().invoke(cli, ["crowd", "receipt", "--home", str(tmp_path / name)])
                assert "joining was not finished" in str(unfinished.exception)
            own.keep_receipt(crowd.manifest.id, participate.receipt(head, 1_700_000_000))
        heads.append(head)
        crowd.create(title="another")  # the list grows between them
    asked = ["crowd", "receipt", "--home", str(tmp_path / "ada")]
    shown = CliRunner().invoke(cli, asked).output
    assert all(one in shown for one in (crowd.manifest.id, "2023-11-14 22:13 UTC", heads[0]))
    with ClientStore(tmp_path / "ada") as own:
        own.leave(crowd.manifest.id)
    assert "the same one" in CliRunner().invoke(cli, [*asked, "--compare", heads[1]]).output
    other = CliRunner().invoke(cli, [*asked, "--compare", "f" * 64])
    assert isinstance(other.exception, PrivacyRefusal)
    assert "is not the one you saw before" in str(other.exception)
    for mistyped in ("", heads[1][:-1], f"list {heads[1]}"):
        told = CliRunner().invoke(cli, [*asked, "--compare", mistyped])
        assert isinstance(told.exception, InputError)
        assert "64 digits" in str(told.exception)


def test_a_damaged_report_is_told_by_its_number_and_the_others_leave(crowd, tmp_path, monkeypatch):
    link = participate.Link("http://aggregation.invalid", crowd.manifest.id, crowd.invite(1)[0])
    home = tmp_path / "home"
    with ClientStore(home) as own:
        membership = participate.join(own, link, crowd.manifest, crowd.connect, RANDOM)
        own.consent(membership.id)
        found = [MinedArtifact((text,), 1) for text in "abc"]
        chosen = sample_artifacts(crowd.manifest, found, RANDOM).chosen
        participate.prepare(own, own.membership(None), chosen, Direct(crowd.randomness), RANDOM)
        number = own.outbox(membership.id)[1].number
        with own._transaction() as t:
            t.execute("UPDATE outbox SET submission = zeroblob(1000) WHERE number = ?", (number,))
    crowd.open_uploads()
    monkeypatch.setattr(http, "Connection", lambda url, **_options: crowd.connect(url))
    asked = ["crowd", "send", "--now", "--yes", "--home", str(home)]
    told = CliRunner().invoke(cli, asked)
    assert "2 reports were sent." in told.output
    assert isinstance(told.exception, InputError)
    said = f"Damaged on this disk and set aside: report number {number}. Nothing of it was sent"
    assert str(told.exception).startswith(said)
    again = CliRunner().invoke(cli, asked)
    assert "Nothing waits to be sent; 2 reports were sent before." in again.output
    assert said in again.output
    assert said in CliRunner().invoke(cli, ["crowd", "outbox", "--home", str(home)]).output
