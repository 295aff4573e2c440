"""A node that calls a hostile neighbour: whatever she answers, the node lives and calls again."""

import asyncio
import json
import socket

import pytest

from crowdlog.forwarding.node.certificates import tls
from crowdlog.forwarding.node.forwarder import Forwarder
from crowdlog.forwarding.node.messages import next_body, written
from crowdlog.forwarding.node.settings import Neighbour, NodeSettings
from crowdlog.privacy.randomness import SystemRandomness

HELLO = written("hello", version=1, neighbours=3)


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


HOSTILE = {
    "nothing": b"",
    "no frame": b"\0",
    "half a frame": (100).to_bytes(4, "big") + b"{",
    "too long": b"\xff\xff\xff\xff",
    "not JSON": frame(b"\xff\xfe"),
    "no hello": written("accept", id=bytes(16)),
    "another version": written("hello", version=2, neighbours=3),
    "deep": HELLO + frame(b"[" * 100_000),
    "long number": HELLO + frame(b'{"kind":"hello","version":1' + b"0" * 100_000 + b',"neighbours":1}'),
    "twice hello": HELLO + HELLO,
    "answers nobody asked for": HELLO + written("answer", id=bytes(16), sealed=b"x"),
    "accepts nothing": HELLO + written("accept", id=bytes(16)) + written("failed", id=bytes(16)),
    "key of order one": HELLO + written("query", id=bytes(16), key=bytes(32), query="x"),
    "lone surrogate": HELLO + frame(json.dumps({"kind": "error", "sentence": "\ud800"}).encode()),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_a_called_neighbour_cannot_end_the_node(village, name):
    async def scene():
        called = asyncio.Queue()

        first_call = [True]

        async def bob(reader, writer):
            if not first_call:
                called.put_nowait((reader, writer))
                return
            first_call.clear()
            writer.write(HOSTILE[name])
            await writer.drain()
            await asyncio.sleep(0.1)
            writer.transport.abort()

        server = await asyncio.start_server(
            bob, sock=socket.create_server(("127.0.0.1", 0)), ssl=tls(*village.files("bob"), listening=True)
        )
        node = await anna(village, server.sockets[0].getsockname()[1])
        reader, writer = await asyncio.wait_for(called.get(), 10)  # she calls again
        assert json.loads(await asyncio.wait_for(next_body(reader), 5))["kind"] == "hello"
        assert not node.done()
        writer.transport.abort()
        node.cancel()
        await asyncio.gather(node, return_exceptions=True)
        server.close()

    asyncio.run(scene())


async def anna(village, port):
    """Start the node that calls bob: of two names the smaller calls."""
    certificate, key, authority = village.files("anna")
    settings = NodeSettings(
        "anna", "http://127.0.0.1/?q={query}", certificate, key, authority,
        [Neighbour("bob", "127.0.0.1", port)],
    )  # fmt: skip
    forwarder = Forwarder(settings, village.engine, SystemRandomness())
    return asyncio.create_task(forwarder.links.run(socket.create_server(("127.0.0.1", 0))))


def test_who_shows_another_name_is_not_spoken_to(village):
    """The node calls bob and meets zoe at his address: no hello, no query."""

    async def scene():
        spoken = []

        async def zoe(reader, _writer):
            spoken.append(await reader.read(1))

        server = await asyncio.start_server(
            zoe, sock=socket.create_server(("127.0.0.1", 0)), ssl=tls(*village.files("zoe"), listening=True)
        )
        node = await anna(village, server.sockets[0].getsockname()[1])
        await asyncio.sleep(0.5)
        assert not any(spoken)
        assert not node.done()
        node.cancel()
        await asyncio.gather(node, return_exceptions=True)
        server.close()

    asyncio.run(scene())
