"""The client alone, against services in this process: joining after a lost answer, limits, sending once,
leaving for good.
"""

import stat
from contextlib import ExitStack

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client import participate
from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.client.sample_artifacts import sample_artifacts
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.services.mix import MixNode
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED, Direct, SmallCrowd


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path / "services") as small:
        yield small


@pytest.fixture
def home(tmp_path):
    with ClientStore(tmp_path / "home") as opened:
        yield opened


def _link(crowd: SmallCrowd) -> participate.Link:
    return participate.Link("http://aggregation", crowd.manifest.id, crowd.invite(1)[0])


def _member_with_outbox(crowd: SmallCrowd, home: ClientStore, texts: list[str]):
    membership = participate.join(home, _link(crowd), crowd.manifest, Direct(crowd.client), RANDOM)
    home.consent(membership.id)
    chosen = sample_artifacts(crowd.manifest, [MinedArtifact((text,), 1) for text in texts], RANDOM).chosen
    participate.prepare(home, home.membership(None), chosen, Direct(crowd.randomness), RANDOM)
    return home.membership(None)


class Lost(Direct):
    """The service acts, but its answer is lost."""

    def call(self, method, path, body=None):
        super().call(method, path, body)
        raise Unreachable("lost")


def test_a_lost_answer_to_joining_is_asked_for_again(crowd, home):
    link = _link(crowd)
    with pytest.raises(Unreachable):
        participate.join(home, link, crowd.manifest, Lost(crowd.client), RANDOM)
    membership = participate.join(home, link, crowd.manifest, Direct(crowd.client), RANDOM)
    assert membership.credential
    assert membership.pending is None
    # joining twice is fine
    assert participate.join(home, link, crowd.manifest, Direct(crowd.client), RANDOM) == membership
    assert crowd.status()["joined"] == 1


def test_a_server_that_describes_another_collection_is_not_joined(crowd):
    other = crowd.create(title="another")
    lying = Direct(crowd.client)
    lying.call = lambda _method, _path, _body=None: {"phase": "mining", "manifest": other.to_json()}
    with pytest.raises(PrivacyRefusal, match="another collection"):
        participate.look(_link(crowd), lying)
    assert participate.look(_link(crowd), Direct(crowd.client)) == crowd.manifest


def test_nothing_is_prepared_without_consent(crowd, home):
    membership = participate.join(home, _link(crowd), crowd.manifest, Direct(crowd.client), RANDOM)
    with pytest.raises(PrivacyRefusal):
        participate.prepare(home, membership, [], Direct(crowd.randomness), RANDOM)


def test_at_most_the_limit_is_chosen_and_what_is_too_long_is_counted(crowd):
    found = [MinedArtifact((f"query {number}",), 1) for number in range(80)] + [
        MinedArtifact(("x" * 500,), 1),
        MinedArtifact(("a\tb",), 1),
    ]
    choice = sample_artifacts(crowd.manifest, found, SystemRandomness())
    assert len({item.readable for item in choice.chosen}) == crowd.manifest.limit == 50
    assert (choice.too_long, choice.over_limit) == (2, 30)


def test_sending_is_refused_while_guesses_could_be_evaluated(crowd, home):
    membership = _member_with_outbox(crowd, home, ["a"])
    aggregation, randomness = Direct(crowd.client), Direct(crowd.randomness)
    with pytest.raises(PrivacyRefusal, match="outbox is kept"):
        participate.refuse_early(membership, aggregation, randomness)
    crowd.open_uploads()  # the operator opens the uploads but does not destroy the key
    with pytest.raises(PrivacyRefusal):
        participate.refuse_early(membership, aggregation, randomness)
    assert crowd.randomness.delete(f"/keys/{crowd.voprf}", headers=OPERATOR).status_code == 200
    participate.refuse_early(membership, aggregation, randomness)
    assert len(home.outbox(membership.id)) == 1


def test_what_was_acknowledged_is_sent_once_and_forgotten(crowd, home, tmp_path):
    membership = _member_with_outbox(crowd, home, ["canary one", "canary two"])
    with ExitStack() as stack:
        node = MixNode(tmp_path / "mix", RANDOM, TOKEN, UNLIMITED, "http://next")
        stack.callback(node.close)
        crowd_key, node._key = node._key, crowd.mixes[0]
        assert crowd_key != node._key
        mix = AppClient(node.app())
        with pytest.raises(Unreachable):
            participate.send(home, membership, Lost(mix), RANDOM)
        assert len(home.outbox(membership.id)) == 2  # not acknowledged: kept
        assert participate.send(home, membership, Direct(mix), RANDOM) == 2
        assert node._batches.held() == 2  # the same envelopes came twice and count once
    assert home.membership(None).sent == 2
    assert home.outbox(membership.id) == []


def test_leaving_deletes_what_was_not_sent_and_is_remembered(crowd, home, tmp_path):
    membership = _member_with_outbox(crowd, home, ["canary one", "canary two"])
    assert home.leave(membership.id) == 2
    with pytest.raises(InputError, match="no such collection"):
        home.membership(None)
    assert [m.left for m in home.memberships()] == [True]
    assert home.memberships()[0].credential is None


def test_the_home_is_its_owners_and_survives_a_restart(crowd, tmp_path):
    with ClientStore(tmp_path / "home") as first:
        _member_with_outbox(crowd, first, ["a", "b"])
        before = first.outbox(crowd.manifest.id)
    with ClientStore(tmp_path / "home") as second:
        assert second.outbox(crowd.manifest.id) == before
    assert stat.S_IMODE((tmp_path / "home" / "crowd.sqlite").stat().st_mode) == 0o600


def test_a_home_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="--home"):
        ClientStore(tmp_path / "file" / "home")
