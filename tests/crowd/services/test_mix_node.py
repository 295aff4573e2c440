import asyncio
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from crowdlog.crowd.crypto.envelope import MixKey, open_layer, seal_onion
from crowdlog.crowd.request_chunks import MOST_ENVELOPES, REQUEST_BYTES, request_chunks
from crowdlog.crowd.services.fields import read_object, to_base64
from crowdlog.crowd.services.mix import ENVELOPES, MixNode
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED

NEXT = MixKey.generate(RANDOM)


@pytest.fixture
def opened():
    """Makes nodes that are closed at the end."""
    with ExitStack() as stack:

        def make(folder: Path, **options) -> MixNode:
            made = MixNode(
                folder,
                RANDOM,
                TOKEN,
                UNLIMITED,
                **{"next_url": "http://next", "batch": 10, "delay": 0.0, **options},
            )
            stack.callback(made.close)
            return made

        yield make


def _envelopes(node: MixNode, contents) -> list[bytes]:
    return [seal_onion([node._key.public, NEXT.public], content, RANDOM) for content in contents]


def _contents(count: int) -> list[bytes]:
    return [b"report %03d" % number for number in range(count)]


def _post(client: AppClient, envelopes: list[bytes]):
    return client.post("/envelopes", json={"envelopes": [to_base64(envelope) for envelope in envelopes]})


class NextNode:
    """Takes batches; at first it may fail some times."""

    def __init__(self, failures: int = 0, status: int = 202) -> None:
        self.batches, self.failures, self.status = [], failures, status

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.failures:
            self.failures -= 1
            raise httpx.ConnectError("down")
        self.batches.append(
            [open_layer(NEXT, inner) for inner in read_object(request.content, ENVELOPES)["envelopes"]]
        )
        return httpx.Response(self.status, json={})


def _send_all(node: MixNode, after: NextNode) -> None:
    """Send every batch that is formed, as the background task does."""

    async def send() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(after)) as client:
            while (batch := node._batches.oldest()) is not None:
                await node._send(client, batch)

    asyncio.run(send())


def test_nothing_leaves_before_the_batch_is_full(opened, tmp_path):
    node = opened(tmp_path)
    envelopes = _envelopes(node, _contents(10))
    assert node.take(envelopes[:9]) == {"accepted": 9, "duplicates": 0, "rejected": 0}
    assert not node._batches.form(node.batch)
    node.take(envelopes[9:])
    assert node._batches.form(node.batch)
    after = NextNode()
    _send_all(node, after)
    assert len(after.batches) == 1
    assert sorted(after.batches[0]) == _contents(10)
    assert node._batches.status() == {
        "waiting": 0,
        "leaving": 0,
        "passed": 10,
        "rejected": 0,
        "smallest_batch": 10,
    }


def test_a_batch_leaves_in_another_order(opened, tmp_path):
    node, after = opened(tmp_path), NextNode()
    node.take(_envelopes(node, _contents(100)))
    node._batches.form(10)
    _send_all(node, after)
    assert after.batches[0] != _contents(100)  # the same order has a chance of 1/100!
    assert sorted(after.batches[0]) == _contents(100)


def test_the_same_envelope_counts_once_also_after_it_has_left_and_after_a_restart(opened, tmp_path):
    node = opened(tmp_path)
    envelopes = _envelopes(node, _contents(10))
    node.take(envelopes)
    assert node.take(envelopes) == {"accepted": 0, "duplicates": 10, "rejected": 0}
    node._batches.form(10)
    _send_all(node, NextNode())
    assert node.take(envelopes)["duplicates"] == 10
    assert opened(tmp_path).take(envelopes)["duplicates"] == 10


def test_a_batch_cut_short_by_a_crash_is_sent_again_as_it_was(opened, tmp_path):
    node = opened(tmp_path)
    node.take(_envelopes(node, _contents(10)))
    node._batches.form(10)  # killed here, or after sending and before forgetting
    node = opened(tmp_path)
    node.take(_envelopes(node, [b"a newcomer"]))
    after = NextNode()
    _send_all(node, after)
    assert [sorted(batch) for batch in after.batches] == [_contents(10)]
    assert node._batches.status()["waiting"] == 1


def test_a_next_node_that_is_down_is_asked_again(opened, tmp_path):
    node, after = opened(tmp_path), NextNode(failures=1)
    node.take(_envelopes(node, _contents(10)))
    node._batches.form(10)
    _send_all(node, after)
    assert sorted(after.batches[0]) == _contents(10)


def test_what_the_next_node_can_never_use_is_dropped(opened, tmp_path):
    node = opened(tmp_path)
    node.take(_envelopes(node, _contents(10)))
    node._batches.form(10)
    _send_all(node, NextNode(status=400))
    assert node._batches.held() == 0


def test_damaged_envelopes_are_counted_and_do_not_stop_the_others(opened, tmp_path):
    node = opened(tmp_path)
    client = AppClient(node.app())
    good = _envelopes(node, _contents(2))
    answer = _post(client, [good[0], b"garbage", good[1][:-1] + b"?"])
    assert (answer.status_code, answer.json()) == (202, {"accepted": 1, "duplicates": 0, "rejected": 2})
    answer = _post(client, [b"garbage"])
    assert answer.status_code == 400
    assert "damaged" in answer.json()["error"]


def test_the_background_task_passes_on_and_drain_lets_the_rest_go(opened, tmp_path):
    # nobody listens there: batches wait
    with AppClient(opened(tmp_path, next_url="http://127.0.0.1:9").app()) as client:
        public = client.get("/key").json()
        assert (public["batch"], public["delay"]) == (10, 0)
        assert client.post("/drain").status_code == 401
        envelope = seal_onion([opened(tmp_path)._key.public, NEXT.public], b"alone", RANDOM)
        assert _post(client, [envelope]).status_code == 202
        assert client.get("/status", headers=OPERATOR).json()["waiting"] == 1
        drained = client.post("/drain", headers=OPERATOR).json()
        assert (drained["waiting"], drained["leaving"], drained["smallest_batch"]) == (0, 1, 1)


def test_a_full_node_refuses(opened, tmp_path):
    node = opened(tmp_path, most_held=5)
    answer = _post(AppClient(node.app()), _envelopes(node, _contents(6)))
    assert answer.status_code == 503


def test_no_origin_is_kept(opened, tmp_path):
    node = opened(tmp_path)
    client = AppClient(node.app(), address="203.0.113.77", headers={"User-Agent": "canary-agent"})
    _post(client, _envelopes(node, _contents(3)))
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"203.0.113.77" not in kept
    assert b"canary-agent" not in kept


def test_portions_fit_into_requests():
    small, large = [b"x"] * (2 * MOST_ENVELOPES + 1), [bytes(15_000)] * 100
    assert [len(part) for part in request_chunks(small, len)] == [MOST_ENVELOPES, MOST_ENVELOPES, 1]
    assert all(sum(map(len, part)) <= REQUEST_BYTES for part in request_chunks(large, len))
    assert sum(len(part) for part in request_chunks(large, len)) == 100
    assert list(request_chunks([], len)) == []


@pytest.mark.parametrize(
    "body", [{}, {"envelopes": []}, {"envelopes": ["?"]}, {"envelopes": ["AAAA"] * (MOST_ENVELOPES + 1)}]
)
def test_bad_bodies_are_refused(opened, tmp_path, body):
    assert AppClient(opened(tmp_path).app()).post("/envelopes", json=body).status_code == 400


def test_postgresql_works_as_well(opened, tmp_path, postgres_url):
    node, after = opened(tmp_path, database_url=postgres_url), NextNode()
    envelopes = _envelopes(node, _contents(12))
    assert node.take(envelopes) == {"accepted": 12, "duplicates": 0, "rejected": 0}
    assert node.take(envelopes)["duplicates"] == 12
    node._batches.form(10)
    _send_all(node, after)
    assert sorted(after.batches[0]) == _contents(12)
