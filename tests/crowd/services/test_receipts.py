"""A mix forgets what it acknowledged only where the next party itself has signed that it has it, or that the
collection has ended there. Whatever else answers at that address is no delivery.
"""

import asyncio

import httpx
import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.handover import ENDED, HEARD, TAKEN, batch_message, receipt, receipted
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, SmallCrowd, signed_batch

SENT = 8


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


@pytest.fixture
def held(crowd):
    """A first mix that holds what a member sent, after the end of the window."""
    prepared = crowd.prepared(crowd.member(), {f"query {number}": 1 for number in range(SENT)})
    crowd.open_uploads()
    mix = crowd.mixes[0]
    mix.take(crowd.manifest.id, [item.submission for item in prepared])
    mix.clock = lambda: 4e9
    return mix


def look_after(crowd, mix, transport) -> None:
    async def step() -> None:
        async with httpx.AsyncClient(transport=transport) as client:
            await mix.sender.look_after(client, crowd.manifest.id)

    asyncio.run(step())


def real(service) -> httpx.ASGITransport:
    return httpx.ASGITransport(service.app(), raise_app_exceptions=False)


def answering(status: int, body: object) -> httpx.MockTransport:
    return httpx.MockTransport(lambda _request: httpx.Response(status, json=body))


@pytest.mark.parametrize(
    "body", [{}, [], {"receipt": 3}, {"receipt": "?"}, {"receipt": to_base64(bytes(64))}]
)
@pytest.mark.parametrize("status", [200, 202, 301, 400, 401, 404, 410, 413, 500, 502])
def test_a_wrong_proxy_makes_a_mix_forget_nothing(crowd, held, status, body):
    name = crowd.manifest.id
    for _look in range(3):
        look_after(crowd, held, answering(status, body))
    status = AppClient(held.app()).get(f"{crowd.at}/status", headers=OPERATOR).json()
    assert (status["held"], status["passed"], status["refused"], status["unproved"]) == (SENT, 0, 0, 3)
    look_after(crowd, held, real(crowd.mixes[1]))
    counts = held.counts(name)
    assert (counts["held"], counts["passed"]) == (0, SENT)
    assert crowd.mixes[1].counts(name)["accepted"] == SENT
    assert held.state(name)["state"] == "ended"


def test_an_unsigned_answer_is_not_that_the_next_mix_knows_the_end(crowd, held):
    """Else the next mix would wait for ever with what it holds."""
    name = crowd.manifest.id

    class OnlyBatches(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.url.path.endswith("/final"):
                return httpx.Response(200, json={"state": "draining"})
            return await super().handle_async_request(request)

    look_after(crowd, held, OnlyBatches(crowd.mixes[1].app()))
    assert held.counts(name)["passed"] == SENT
    assert held.state(name)["state"] == "draining"
    look_after(crowd, held, real(crowd.mixes[1]))
    assert (held.state(name)["state"], crowd.mixes[1].state(name)["state"]) == ("ended", "draining")


def test_a_receipt_is_of_one_party_one_kind_and_these_envelopes(crowd):
    own, party = crowd.mixes[1].identity.signing, crowd.manifest.mixes[1]
    message = batch_message(crowd.manifest, [b"a"])

    def counts(key: SigningKey, kind: str, signed: bytes) -> bool:
        return receipted(party, TAKEN, message, httpx.Response(202, json=receipt(key, kind, signed)))

    assert counts(own, TAKEN, message)
    assert not counts(own, ENDED, message)
    assert not counts(own, HEARD, message)
    assert not counts(own, TAKEN, batch_message(crowd.manifest, [b"b"]))
    assert not counts(crowd.mixes[0].identity.signing, TAKEN, message)
    assert not counts(SigningKey.generate(RANDOM), TAKEN, message)


def test_what_comes_to_a_cancelled_collection_is_let_go_with_its_word(crowd, held):
    name, last = crowd.manifest.id, crowd.mixes[1]
    look_after(crowd, held, real(last))
    crowd.aggregation.cancel(name)
    look_after(crowd, last, real(crowd.aggregation))
    counts = last.counts(name)
    assert (counts["held"], counts["passed"], counts["refused"], counts["unproved"]) == (0, 0, SENT, 0)
    assert last.state(name)["state"] == "ended"


def test_a_live_collection_whose_key_is_missing_gives_no_receipt(crowd, held, tmp_path):
    """A data folder that is not mounted, for example: the last mix keeps what it has."""
    name, last = crowd.manifest.id, crowd.mixes[1]
    look_after(crowd, held, real(last))
    path = tmp_path / "aggregation" / f"{name}.rows"
    path.rename(tmp_path / "elsewhere")
    look_after(crowd, last, real(crowd.aggregation))
    counts = last.counts(name)
    assert (counts["held"], counts["passed"], counts["refused"], counts["unproved"]) == (SENT, 0, 0, 1)
    (tmp_path / "elsewhere").rename(path)
    look_after(crowd, last, real(crowd.aggregation))
    assert last.counts(name)["passed"] == crowd.status()["received"] == SENT


def test_nobody_gets_a_receipt_for_what_the_mix_before_did_not_sign(crowd, held):
    stranger = signed_batch(held, crowd.manifest, [b"x"])
    answer = crowd.client.post(f"{crowd.at}/batch", json=stranger)
    assert (answer.status_code, set(answer.json())) == (403, {"error"})
