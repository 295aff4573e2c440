"""Connections to neighbours: one each, over TLS, made again when lost."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from crowdlog.crowd.services.limits import Allowance
from crowdlog.errors import InputError
from crowdlog.forwarding.node.certificates import peer_name, tls
from crowdlog.forwarding.node.messages import VERSION, next_body, read, written
from crowdlog.forwarding.node.settings import Neighbour, NodeSettings
from crowdlog.privacy.randomness import Randomness

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0  # seconds between attempts to connect
_HELLO_SECONDS = 10.0
_HANDSHAKE_SECONDS = 30.0
_GOODBYE_SECONDS = 2.0
_MOST_WAITING = 2**20  # bytes a slow neighbour may leave unread before her link is cut
_MESSAGES_PER_SECOND, _BURST = 200.0, 2000.0  # from one neighbour

# Called with the neighbour's name, the kind of a message and its fields.
Receive = Callable[[str, str, dict[str, Any]], None]


class NeighbourLink:
    """An open connection to one neighbour, and how many neighbours she says she has."""

    def __init__(self, writer: asyncio.StreamWriter, neighbours: int) -> None:
        self._writer = writer
        self.neighbours = neighbours

    def send(self, kind: str, **fields: Any) -> None:
        """Send without waiting; a neighbour who does not read loses her link."""
        self._writer.write(written(kind, **fields))
        if self._writer.transport.get_write_buffer_size() > _MOST_WAITING:
            self._writer.transport.abort()

    def close(self) -> None:
        self._writer.transport.abort()


class Links:
    """All links of a node. `receive` gets every proper message, `lost` the name of who went away."""

    def __init__(
        self, settings: NodeSettings, randomness: Randomness, receive: Receive, lost: Callable[[str], None]
    ) -> None:
        self._settings, self._receive, self._lost = settings, receive, lost
        self._neighbours = {neighbour.name: neighbour for neighbour in settings.neighbours}
        self._allowance = Allowance(_MESSAGES_PER_SECOND, _BURST, randomness)
        files = (settings.certificate, settings.key, settings.authority)
        self._server_tls = tls(*files, listening=True)
        self._client_tls = tls(*files, listening=False)
        self.open: dict[str, NeighbourLink] = {}
        self._talks: set[asyncio.Task[None]] = set()
        self.refused = 0  # messages that were not proper

    async def run(self, sock: Any) -> None:
        """Take and make connections until cancelled.
        Of two neighbours the one with the smaller name calls.
        """
        server = await asyncio.start_server(
            self._answer, sock=sock, ssl=self._server_tls, ssl_handshake_timeout=_HANDSHAKE_SECONDS
        )
        mine = [one for one in self._settings.neighbours if self._settings.name < one.name]
        try:
            async with server, asyncio.TaskGroup() as group:
                for neighbour in mine:
                    group.create_task(self._call(neighbour))
                await server.serve_forever()
        finally:
            for link in list(self.open.values()):
                link.close()
            if self._talks:
                await asyncio.wait(self._talks, timeout=_GOODBYE_SECONDS)

    async def _call(self, neighbour: Neighbour) -> None:
        pause = _FIRST_PAUSE
        while True:
            with suppress(OSError, ssl.SSLError, TimeoutError):
                reader, writer = await asyncio.open_connection(
                    neighbour.host,
                    neighbour.port,
                    ssl=self._client_tls,
                    server_hostname=neighbour.name,
                    ssl_handshake_timeout=_HANDSHAKE_SECONDS,
                )
                pause = _FIRST_PAUSE
                await self._talk(neighbour.name, reader, writer)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._talks.add(task)
            task.add_done_callback(self._talks.discard)
        name = peer_name(writer.get_extra_info("ssl_object"))
        if name not in self._neighbours:
            self._complain(writer, "This node knows no neighbour of that name.")
            await _closed(writer)
            return
        await self._talk(name, reader, writer)

    async def _talk(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Say hello, then read messages until the link ends."""
        link: NeighbourLink | None = None
        try:
            writer.write(written("hello", version=VERSION, neighbours=len(self._neighbours)))
            link = NeighbourLink(writer, await self._greeted(reader))
            before = self.open.get(name)
            self.open[name] = link
            if before is not None:
                before.close()
                self._lost(name)
            await self._read_on(name, reader, writer)
        except InputError as error:  # nothing after it can be understood
            self._complain(writer, str(error))
        except (OSError, EOFError, ssl.SSLError, TimeoutError):
            pass
        finally:
            if link is not None and self.open.get(name) is link:
                del self.open[name]
                self._lost(name)
            await _closed(writer)

    async def _greeted(self, reader: asyncio.StreamReader) -> int:
        """Return how many neighbours the other side says she has."""
        body = await asyncio.wait_for(next_body(reader), _HELLO_SECONDS)
        kind, fields = read(body)
        if kind != "hello" or fields["version"] != VERSION:
            raise InputError(f"A link begins with hello in version {VERSION}.")
        return int(fields["neighbours"])

    async def _read_on(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            body = await next_body(reader)
            if not self._allowance.take(name):
                raise InputError("Too many messages came from this neighbour; the link ends.")
            try:
                kind, fields = read(body)
                if kind == "error":
                    continue
                if kind == "hello":
                    raise InputError("A link says hello once.")  # noqa: TRY301
                self._receive(name, kind, fields)
            except InputError as error:  # the next frame can still be understood
                self._complain(writer, str(error))

    def _complain(self, writer: asyncio.StreamWriter, sentence: str) -> None:
        self.refused += 1
        if writer.transport.get_write_buffer_size() <= _MOST_WAITING:
            writer.write(written("error", sentence=sentence))


async def _closed(writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, ssl.SSLError, TimeoutError):
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), 1)
