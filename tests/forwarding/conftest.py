"""Two nodes in this process, neighbours of each other, and a stranger who can speak to the first."""

import asyncio
import json
import socket

import pytest

from crowdlog.forwarding.node.certificates import Authority, tls
from crowdlog.forwarding.node.forwarder import Forwarder
from crowdlog.forwarding.node.messages import next_body, written
from crowdlog.forwarding.node.sealing import Answer
from crowdlog.forwarding.node.settings import Neighbour, NodeSettings
from crowdlog.privacy.randomness import SystemRandomness


class EchoEngine:
    """Answers with what was asked; `asked` counts."""

    def __init__(self):
        self.asked = []

    async def ask(self, query):
        self.asked.append(query)
        return Answer("application/json", json.dumps({"results": [{"title": query}]}))


class Hostile:
    """A neighbour with a proper certificate who says what she likes."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer

    def send(self, kind, **fields):
        self.writer.write(written(kind, **fields))

    def raw(self, body: bytes, length: int | None = None):
        self.writer.write((len(body) if length is None else length).to_bytes(4, "big") + body)

    async def hears(self, seconds: float = 5):
        return json.loads(await asyncio.wait_for(next_body(self.reader), seconds))


class Village:
    """`forwarder`: the node that is tested, whose only neighbour is hostile."""

    def __init__(self, folder):
        self.folder = folder
        authority = Authority()
        (folder / "authority.crt").write_bytes(authority.certificate())
        for name in ("anna", "bob", "zoe", "stranger"):
            authority.issue(name, folder)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.engine = EchoEngine()
        self.callers = []

    def files(self, name):
        return (
            str(self.folder / f"{name}.crt"),
            str(self.folder / f"{name}.key"),
            str(self.folder / "authority.crt"),
        )

    async def start(self, **options):
        certificate, key, authority = self.files("zoe")  # of two names the smaller calls, so zoe waits
        settings = NodeSettings(
            "zoe", "http://127.0.0.1/?q={query}", certificate, key, authority,
            [Neighbour("bob", "127.0.0.1", 9)],
            **options,
        )  # fmt: skip
        self.forwarder = Forwarder(settings, self.engine, SystemRandomness())
        self.task = asyncio.create_task(self.forwarder.links.run(self.socket))
        await asyncio.sleep(0)

    async def call(self, name="bob", *, hello=True):
        context = tls(*self.files(name), listening=False)
        reader, writer = await asyncio.open_connection(
            *self.socket.getsockname(), ssl=context, server_hostname="zoe"
        )
        hostile = Hostile(reader, writer)
        self.callers.append(hostile)
        if hello:
            hostile.send("hello", version=1, neighbours=3)
            assert (await hostile.hears())["kind"] == "hello"
        return hostile

    async def stop(self):
        for caller in self.callers:
            caller.writer.transport.abort()
        await asyncio.sleep(0.05)
        self.callers.clear()
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await asyncio.sleep(0.05)


@pytest.fixture
def village(tmp_path):
    made = Village(tmp_path)
    yield made
    made.socket.close()
