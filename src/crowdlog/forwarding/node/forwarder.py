"""The protocol between neighbours, run for real: search, pass on, submit, answer, fail.

Every search ends once: with an answer, or with a failure, whichever comes first; what comes later is dropped.
A query that somebody accepted is never sent a second time by the same node, so that the engine does not see
it twice for one time-out.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.forwarding import protocol
from crowdlog.forwarding.node.carried import MOST_CARRIED, Carried, Met
from crowdlog.forwarding.node.engine import NodeEngine
from crowdlog.forwarding.node.links import Links
from crowdlog.forwarding.node.messages import MOST_QUERY
from crowdlog.forwarding.node.sealing import Answer, seal, unseal
from crowdlog.forwarding.node.settings import NodeSettings
from crowdlog.privacy.randomness import Randomness

_ID_BYTES = 16
_MOST_BELIEVED = 10  # neighbours of a neighbour, §4.7


class SearchFailed(CrowdlogError):  # noqa: N818 - an outcome
    """Nobody answered: said once to the searcher."""


class Forwarder:
    """One node's part in the protocol. All its state is in memory and belongs to one event loop."""

    def __init__(self, settings: NodeSettings, engine: NodeEngine, randomness: Randomness) -> None:
        self._settings, self._engine, self._randomness = settings, engine, randomness
        self._names = [neighbour.name for neighbour in settings.neighbours]
        self.willing = dict.fromkeys(self._names, protocol.UNIT)  # Υ: p[oneself, neighbour]
        self._cuts: dict[tuple[int, ...], list[int]] = {}
        self._carried: dict[bytes, Carried] = {}
        self._met = Met()
        self._tasks: set[asyncio.Task[None]] = set()
        self.links = Links(settings, randomness, self.receive, self.lost)
        self.counts: Counter[str] = Counter()

    async def search(self, query: str) -> Answer:
        """Let somebody submit the query; return the answer or raise SearchFailed."""
        if not 1 <= len(query) <= MOST_QUERY:
            raise InputError(f"A query has 1 to {MOST_QUERY} characters.")
        if len(self._carried) >= MOST_CARRIED:
            raise SearchFailed("Too many searches are under way; wait a moment and try again.")
        secret = MixKey.generate(self._randomness)
        result: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        own = Carried(self._randomness.bytes(_ID_BYTES), None, secret=secret, result=result)
        self.counts["searches"] += 1
        self._begin(own)
        self._start(self._pass_on(own, secret.public, query))
        return await result

    def receive(self, name: str, kind: str, fields: dict[str, Any]) -> None:
        """Act on a proper message of a neighbour; InputError when it does not fit what went before."""
        if kind == "query":
            self._offered(name, fields)
            return
        carried = self._carried.get(fields["id"])
        if carried is None or name not in (carried.asked, carried.to):
            self.counts["unexpected"] += 1
            raise InputError("Nothing with this number is awaited from this neighbour.")
        if kind in ("accept", "refuse"):
            self._replied(carried, name, kind == "accept")
        elif name != carried.to:
            raise InputError("An answer comes after the query was accepted.")
        elif kind == "answer":
            self._answered(carried, fields["sealed"])
        else:
            self._failed(carried, "Somebody on the way could not go on.")

    def lost(self, name: str) -> None:
        """A link ended: what that neighbour had will not come back."""
        for carried in list(self._carried.values()):
            if carried.asked == name and carried.reply is not None and not carried.reply.done():
                carried.reply.set_result(False)
            elif carried.to == name:
                self._failed(carried, "A neighbour who had the query went away.")

    def _offered(self, name: str, fields: dict[str, Any]) -> None:
        """Υ. A query met before is refused just as one that is not wanted:
        source and forwarder look alike.
        """
        link = self.links.open.get(name)
        if link is None:  # it ended while the message was read
            return
        full = len(self._carried) >= MOST_CARRIED
        drawn = self._below(protocol.UNIT)
        if fields["id"] in self._met or full or not protocol.accepts(self.willing[name], drawn):
            self.counts["refused"] += 1
            link.send("refuse", id=fields["id"])
            return
        self._more_willing(name, -protocol.ZETA)
        carried = Carried(fields["id"], name)
        self.counts["carried"] += 1
        self._begin(carried)
        link.send("accept", id=carried.id)
        self._start(self._pass_on(carried, fields["key"], fields["query"]))

    async def _pass_on(self, carried: Carried, key: bytes, query: str) -> None:
        """Ask neighbours in the order of the list until one takes the query, or submit it."""
        if self._settings.delay > 0:
            await asyncio.sleep(self._settings.delay * self._below(1000) / 1000)
        entries, length = self._list(own=carried.from_ is None)
        while length > 0 and carried.id in self._carried:
            chosen = protocol.take(entries, self._below(length))
            length -= 1
            if chosen == len(self._names):
                break
            if await self._taken(carried, self._names[chosen], key, query):
                return
        if carried.id in self._carried:
            await self._submit(carried, key, query)

    async def _taken(self, carried: Carried, name: str, key: bytes, query: str) -> bool:
        """Ask one neighbour; silence is a refusal."""
        link = self.links.open.get(name)
        if link is None or name == carried.from_:  # she would refuse: she carries it
            if link is None:
                self._more_willing(name, -protocol.ZETA)
            return False
        carried.asked = name
        carried.reply = asyncio.get_running_loop().create_future()
        link.send("query", id=carried.id, key=key, query=query)
        try:
            taken = await asyncio.wait_for(carried.reply, self._settings.accept_seconds)
        except TimeoutError:
            taken = False
        carried.asked = None
        carried.reply = None
        if carried.id not in self._carried:
            return True  # it ended meanwhile
        if taken and self.links.open.get(name) is not link:  # accepted, then gone
            self._more_willing(name, -protocol.ZETA)
            self._failed(carried, "A neighbour who had the query went away.")
            return True
        if not taken:
            self._more_willing(name, -protocol.ZETA)
        return taken

    def _replied(self, carried: Carried, name: str, accepted: bool) -> None:
        if carried.asked != name or carried.reply is None or carried.reply.done():
            raise InputError("This neighbour was not asked, or has replied already.")
        if accepted:
            carried.to = name
        carried.reply.set_result(accepted)

    async def _submit(self, carried: Carried, key: bytes, query: str) -> None:
        self.counts["submitted"] += 1
        try:
            answer = await self._engine.ask(query)
            if carried.result is not None:
                self._give(carried, answer)
                return
            sealed = seal(answer, carried.id, key, self._randomness)
        except CrowdlogError as error:
            self._failed(carried, str(error))
            return
        self._return(carried, "answer", sealed=sealed)

    def _answered(self, carried: Carried, sealed: bytes) -> None:
        if carried.to is not None:
            self._more_willing(carried.to, 2 * protocol.ZETA)
        if carried.secret is None:
            self._return(carried, "answer", sealed=sealed)
            return
        try:
            answer = unseal(sealed, carried.id, carried.secret)
        except CrowdlogError:
            self._failed(carried, "The answer was damaged on its way.")
            return
        self._give(carried, answer)

    def _failed(self, carried: Carried, why: str) -> None:
        """End a query without an answer and tell who waits for it."""
        if carried.to is not None:
            self._more_willing(carried.to, -protocol.ZETA)
        if carried.result is None:
            self._return(carried, "failed")
            return
        self._end(carried)
        if not carried.result.done():
            self.counts["failed"] += 1
            carried.result.set_exception(
                SearchFailed(f"The search failed: {why} Nothing is known of its fate; try again.")
            )

    def _give(self, carried: Carried, answer: Answer) -> None:
        self._end(carried)
        if carried.result is not None and not carried.result.done():
            self.counts["answered"] += 1
            carried.result.set_result(answer)

    def _return(self, carried: Carried, kind: str, **fields: Any) -> None:
        """Tell the neighbour the query came from, once."""
        if self._carried.get(carried.id) is not carried:
            return
        self._end(carried)
        link = self.links.open.get(carried.from_ or "")
        if link is not None:
            link.send(kind, id=carried.id, **fields)

    def _begin(self, carried: Carried) -> None:
        self._met.add(carried.id)
        self._carried[carried.id] = carried
        loop = asyncio.get_running_loop()
        late = "No answer came in time."
        carried.timer = loop.call_later(self._settings.answer_seconds, self._failed, carried, late)

    def _end(self, carried: Carried) -> None:
        self._carried.pop(carried.id, None)
        if carried.timer is not None:
            carried.timer.cancel()

    def _list(self, *, own: bool) -> tuple[list[int], int]:
        """The list of Ψ or Ψ_f as counts, and its length."""
        entries = [0] * (len(self._names) + 1)
        if not own:
            return entries, protocol.fill_forwarded(entries, len(self._names))
        degrees = tuple(self._degree(name) for name in self._names)
        if degrees not in self._cuts:  # drawn again when the neighbourhood changes
            self._cuts = {degrees: self._cut(degrees)}
        entries = list(self._cuts[degrees])
        return entries, sum(entries)

    def _degree(self, name: str) -> int:
        """How many neighbours she says she has, believed up to ten: who claims more would get every query."""
        link = self.links.open.get(name)
        return min(link.neighbours, _MOST_BELIEVED) if link is not None else 1

    def _cut(self, degrees: tuple[int, ...]) -> list[int]:
        copies = 1 + self._below(protocol.MOST_COPIES)
        whole = protocol.whole_length(degrees, copies)
        theta = protocol.THETA[0] + self._below(protocol.THETA[1] - protocol.THETA[0] + 1)
        cut = protocol.cut_size(whole, theta)
        first = self._below(whole - cut + 1)
        entries = [0] * (len(degrees) + 1)
        protocol.fill_own(entries, degrees, copies, first, first + cut)
        return entries

    def _more_willing(self, name: str, change: int) -> None:
        self.willing[name] = protocol.clipped(self.willing[name] + change)

    def _below(self, bound: int) -> int:
        """A number below the bound; its bias is at most bound / 2^64."""
        return int.from_bytes(self._randomness.bytes(8), "big") * bound >> (8 * 8)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
