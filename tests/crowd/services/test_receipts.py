"""A mix forgets what it acknowledged only where the next party itself has signed that it has it, or that the
collection has ended there. Whatever else answers at that address is no delivery.
"""

import asyncio
import base64
import json

import httpx
import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.handover import ENDED, HEARD, TAKEN, batch_message, receipt, receipted
from crowdlog.crowd.services.mix import MixNode
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, SmallCrowd, signed_batch
from tests.support.hostile_server import hostile_server

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
    for each in crowd.mixes:
        each.clock = lambda: 4e9
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


def test_an_answer_without_end_is_no_receipt_and_is_counted(crowd, held):
    class Elsewhere(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request):
            request.url = httpx.URL(f"http://127.0.0.1:{server.server_port}/endless")
            return await super().handle_async_request(request)

    with hostile_server() as server:
        look_after(crowd, held, Elsewhere())
        assert server.sent < 2**25
    counts = held.counts(crowd.manifest.id)
    assert (counts["held"], counts["passed"], counts["unproved"]) == (SENT, 0, 1)


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
    assert not counts(own, TAKEN, batch_message(crowd.create(), [b"a"]))
    assert not counts(crowd.mixes[0].identity.signing, TAKEN, message)
    assert not counts(SigningKey.generate(RANDOM), TAKEN, message)


class Cutting(httpx.ASGITransport):
    """Somebody on the way who cuts the same bytes into envelopes at other places."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/batch"):
            return await super().handle_async_request(request)
        body = json.loads(request.content)
        sent = [base64.b64decode(one) for one in body["envelopes"]]
        moved = [sent[0][:-1], sent[0][-1:] + sent[1], *sent[2:]]
        body["envelopes"] = [to_base64(one) for one in moved]
        return await super().handle_async_request(httpx.Request("POST", request.url, json=body))


def test_envelopes_cut_at_other_places_are_not_those_that_were_signed(crowd, held):
    """Else the next party leaves out what has a wrong length, with a receipt that fits what was sent."""
    name = crowd.manifest.id
    look_after(crowd, held, Cutting(crowd.mixes[1].app()))
    counts = held.counts(name)
    assert (counts["held"], counts["passed"], counts["unproved"]) == (SENT, 0, 1)
    look_after(crowd, held, real(crowd.mixes[1]))
    assert crowd.mixes[1].counts(name)["accepted"] == SENT


def test_receipts_count_after_a_restart_and_those_of_before_too(crowd, held):
    """What was taken before a restart is taken: its receipt may come late, or be given again."""
    name, last, given = crowd.manifest.id, crowd.mixes[1], []

    class Late(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            answer = await super().handle_async_request(request)
            given.append(answer.status_code)
            raise httpx.ReadError("the connection is lost")

    with pytest.raises(httpx.ReadError):
        look_after(crowd, held, Late(last.app()))
    again = MixNode(last.folder, RANDOM, last.token, last.limits, pool=2, delay=0.0, owner=last.owner)
    look_after(crowd, held, real(again))
    counts = again.counts(name)
    again.close()
    assert given == [202]
    assert (counts["accepted"], counts["duplicates"], held.counts(name)["passed"]) == (SENT, SENT, SENT)


def test_a_batch_that_is_played_again_after_the_end_leaves_nothing(crowd, held, tmp_path):
    name, last, caught = crowd.manifest.id, crowd.mixes[1], []

    class Catching(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            caught.append(json.loads(request.content))
            return await super().handle_async_request(request)

    look_after(crowd, held, Catching(last.app()))
    look_after(crowd, last, real(crowd.aggregation))
    assert last.state(name)["state"] == "ended"
    answer = AppClient(last.app()).post(f"{crowd.at}/batch", json=caught[0])
    assert (answer.status_code, set(answer.json())) == (409, {"error"})
    assert not list((tmp_path / "mix2").glob("*.pool"))


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
