"""One person, one pseudonym per context; no pseudonym without a credential; no credential of another key."""

import pytest

from crowdlog.crowd.crypto.batch_showing import Showing, shown_all
from crowdlog.crowd.crypto.credential import (
    SECOND,
    Credential,
    Credentials,
    IssuerKey,
    PendingCredential,
    accept_credential,
    issue_credential,
    pseudonym,
    request_credential,
    show,
    shown,
)
from crowdlog.crowd.crypto.group import BASE, ORDER, ReportError, add, multiply, random_scalar
from crowdlog.privacy.randomness import SeededRandomness
from tests.crowd.crypto.people import Crowd

CROWD = Crowd(2)
ANN, BOB = (person.report for person in CROWD.credentials)


def named(credential, *contexts):
    return [(context, pseudonym(credential, context)) for context in contexts]


@pytest.mark.parametrize("contexts", [(b"tag",), (b"tag", b"slot"), (b"a", b"b", b"c")])
def test_a_credential_shows_its_pseudonyms(contexts) -> None:
    names = named(ANN, *contexts)
    assert shown(CROWD.issuer, show(ANN, names, b"report", CROWD.randomness), names, b"report")


def test_pseudonyms_of_two_people_are_not_shown_as_one() -> None:
    names = [*named(ANN, b"tag"), *named(BOB, b"slot")]
    assert not shown(CROWD.issuer, show(ANN, names, b"", CROWD.randomness), names, b"")


def test_two_wrong_pseudonyms_do_not_make_a_right_sum() -> None:
    """Wrong by one point with opposite signs: without factors that follow from both they would cancel out."""
    (first, one), (second, other) = named(ANN, b"tag", b"slot")
    minus = multiply(ORDER - 1, BASE)
    names = [(first, add(one, BASE)), (second, add(other, minus))]
    proof = show(ANN, names, b"", CROWD.randomness)
    assert not shown(CROWD.issuer, proof, names, b"")
    many = [Showing(proof, names, b"")] * 8
    assert shown_all(CROWD.issuer, many, SeededRandomness(1)) == [False] * 8


def test_credentials_of_one_issuer_are_nothing_to_another() -> None:
    person = CROWD.credentials[0]
    names = named(person.report, b"slot")
    for issuer, key in CROWD.issuers.items():
        for one in ("report", "evaluation", "admission"):
            proof = show(getattr(person, one), names, b"", CROWD.randomness)
            assert shown(key, proof, names, b"") == (one == issuer)


def test_pseudonyms_repeat_per_context_and_differ_between_contexts_and_people() -> None:
    assert pseudonym(ANN, b"tag") == pseudonym(ANN, b"tag")
    assert len({pseudonym(person, context) for person in (ANN, BOB) for context in (b"tag", b"other")}) == 4


def test_two_shows_have_nothing_in_common() -> None:
    names = named(ANN, b"tag")
    first, second = (show(ANN, names, b"report", CROWD.randomness) for _ in range(2))
    points = range(0, len(first), 32)
    assert not {first[i : i + 32] for i in points} & {second[i : i + 32] for i in points}


def test_every_changed_byte_is_noticed() -> None:
    names = named(ANN, b"tag")
    proof = show(ANN, names, b"report", CROWD.randomness)
    for index in range(0, len(proof), 5):
        changed = bytes([*proof[:index], proof[index] ^ 4, *proof[index + 1 :]])
        assert not shown(CROWD.issuer, changed, names, b"report")
    assert not shown(CROWD.issuer, proof, [(b"other", names[0][1])], b"report")
    assert not shown(CROWD.issuer, proof, named(BOB, b"tag"), b"report")
    assert not shown(CROWD.issuer, proof, names, b"another report")
    assert not shown(CROWD.issuer, proof, names * 2, b"report")
    assert not shown(CROWD.issuer, proof[:-1], names, b"report")
    assert not shown(CROWD.issuer, bytes(160), names, b"report")


def test_made_up_and_foreign_credentials_are_refused() -> None:
    stranger = Crowd(1, seed=9)
    made_up = Credential(12345, ANN.u, ANN.mac)  # Ann's MAC, but a second secret: a Sybil's wish
    scaled = Credential(ANN.secret * 2, ANN.u, multiply(2, ANN.mac))
    for credential in (stranger.credentials[0].report, made_up, scaled):
        names = named(credential, b"tag")
        assert not shown(CROWD.issuer, show(credential, names, b"", CROWD.randomness), names, b"")


def test_an_issuer_cannot_mark_a_person_with_a_key_of_her_own() -> None:
    """The published commitment fixes x0 and x1: a MAC under any other key comes with no valid proof."""
    randomness = SeededRandomness(3)
    pending = request_credential(CROWD.collection, randomness)
    true = CROWD.issuer
    for own in (
        IssuerKey(random_scalar(randomness), true.x1, true.mask),
        IssuerKey(true.x0, random_scalar(randomness), true.mask),
        IssuerKey.generate(randomness),
    ):
        with pytest.raises(ReportError, match="do not trust"):
            accept_credential(
                pending,
                CROWD.collection,
                issue_credential(own, CROWD.collection.id, pending.request, randomness),
            )


def test_requests_prove_their_secret_and_name_their_collection() -> None:
    randomness = SeededRandomness(4)
    pending = request_credential(CROWD.collection, randomness)
    other = multiply(3, BASE) + pending.request[32:]
    for request, collection_id in (
        (other, CROWD.collection.id),
        (pending.request, bytes(32)),
        (b"", bytes(32)),
        (bytes(96), bytes(32)),
    ):
        with pytest.raises(ReportError):
            issue_credential(CROWD.issuer, collection_id, request, randomness)


def test_damaged_answers_are_refused() -> None:
    pending = request_credential(CROWD.collection, CROWD.randomness)
    answer = issue_credential(CROWD.issuer, CROWD.collection.id, pending.request, CROWD.randomness)
    assert accept_credential(pending, CROWD.collection, answer).secret == pending.secret
    with pytest.raises(ReportError):  # the answer of one issuer is not another's
        accept_credential(pending, CROWD.collection, answer, "admission")
    for bad in (answer[:-1], answer[:32] + answer[:32] + answer[64:], answer[:-32] + bytes(32), bytes(384)):
        with pytest.raises(ReportError):
            accept_credential(pending, CROWD.collection, bad)


def test_everything_kept_survives_its_bytes() -> None:
    pending = request_credential(CROWD.collection, CROWD.randomness)
    assert PendingCredential.from_bytes(pending.to_bytes()) == pending
    for person in CROWD.credentials:
        assert Credentials.from_bytes(person.to_bytes()) == person
    assert IssuerKey.from_bytes(CROWD.issuer.to_bytes()) == CROWD.issuer
    for data in (b"", bytes(95), bytes(97)):
        with pytest.raises(ReportError):
            Credentials.from_bytes(data)
        with pytest.raises(ReportError):
            IssuerKey.from_bytes(data)
        with pytest.raises(ReportError):
            PendingCredential.from_bytes(data)


def test_the_public_key_is_a_commitment() -> None:
    key = CROWD.issuer
    assert key.public == add(multiply(key.x0, BASE), multiply(key.mask, SECOND)) + multiply(key.x1, SECOND)
    assert str(key.x0) not in repr(key)
    assert str(ANN.secret) not in repr(ANN)
