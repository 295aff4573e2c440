"""A credential key is one collection's: each party refuses terms that use it for another."""

from dataclasses import replace

import pytest

from crowdlog.attacks.protocol_testbed import register_everywhere
from crowdlog.crowd.crypto.credential import (
    accept_credential,
    issue_credential,
    pseudonym,
    request_credential,
    show,
    shown,
)
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.terms import PartyKeys
from tests.crowd.services.members import RANDOM, SmallCrowd

FAR = 4_000_000_000


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


def others_with(crowd, issuer: str):
    """Terms of another collection with keys of its own but for this one."""
    public, evaluation = crowd.server.make_keys()
    keys = PartyKeys(
        voprf_public=bytes.fromhex(public),
        report_issuer=crowd.aggregation.identity.make_issuer(),
        evaluation_issuer=evaluation,
        admission_issuer=crowd.mixes[0].identity.make_issuer(),
        mix_publics=crowd.manifest.collection.mix_publics,
    )
    shared = {f"{issuer}_issuer": crowd.manifest.collection.issuer(issuer)} if issuer else {}
    return crowd.terms(title="another").manifest(crowd.manifest.parties, replace(keys, **shared), FAR)


@pytest.mark.parametrize("issuer", ["report", "evaluation", "admission"])
def test_a_credential_key_is_good_for_one_collection(crowd, issuer):
    issuing = {"report": crowd.aggregation, "evaluation": crowd.server, "admission": crowd.mixes[0]}
    other = others_with(crowd, issuer)
    for name, service in issuing.items():
        if name == issuer:
            with pytest.raises(Refused, match="Another collection uses this credential key"):
                service.register(other)
        else:
            assert service.register(other) == service.identity.agree(other)
        assert service.register(crowd.manifest)  # its own terms again, as after a lost answer


def test_the_note_of_a_key_goes_with_the_key(crowd):
    identity, public = crowd.aggregation.identity, crowd.manifest.collection.report_issuer
    assert len(list(identity.folder.glob("*.collection"))) == 1
    identity.destroy_issuer(public)
    assert list(identity.folder.glob("*.collection*")) == []
    with pytest.raises(Refused, match="does not use a credential key"):
        crowd.aggregation.register(others_with(crowd, "report"))


def test_why_two_collections_must_not_share_a_key(crowd):
    """Under one key a credential of the first is one of the second too: who joined both would count twice.
    It names nobody: the pseudonyms of one secret in two collections have different bases.
    """
    first = crowd.manifest.collection
    second = register_everywhere(
        crowd.terms(title="another"), crowd.server, crowd.mixes, crowd.aggregation
    ).collection
    keys = {one: crowd.aggregation.identity.issuer(one.report_issuer) for one in (first, second)}
    pending = request_credential(first, RANDOM)
    answer = issue_credential(keys[first], first.id, pending.request, RANDOM)
    credential = accept_credential(pending, first, answer)
    contexts = [one.slot_context("report", 0) for one in (first, second)]
    names = [(contexts[1], pseudonym(credential, contexts[1]))]
    proof = show(credential, names, b"", RANDOM)
    assert shown(keys[first], proof, names, b"")  # the key knows nothing of collections
    assert not shown(keys[second], proof, names, b"")  # so each has one of its own
    assert pseudonym(credential, contexts[0]) != names[0][1]
