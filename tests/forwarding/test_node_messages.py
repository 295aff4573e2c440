"""Malformed, oversized, looping and replayed messages: refused with a sentence, and the node lives."""

import asyncio
import json
import os
import ssl

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.errors import InputError
from crowdlog.forwarding.node import messages
from crowdlog.forwarding.node.forwarder import SearchFailed
from crowdlog.forwarding.node.sealing import Answer, seal, unseal
from crowdlog.privacy.randomness import SeededRandomness, SystemRandomness

CANARY = "canary4111111111111111"
KEY = MixKey.generate(SeededRandomness(1)).public
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
ALMOST = st.fixed_dictionaries(
    {"kind": st.sampled_from(sorted(messages.KINDS)) | JSON},
    optional=dict.fromkeys(("id", "key", "query", "sealed", "version", "neighbours", "sentence"), JSON),
)


@given(st.binary(max_size=300) | (JSON | ALMOST).map(lambda value: json.dumps(value).encode()))
def test_no_body_makes_the_reader_stumble(body):
    try:
        kind, _fields = messages.read(body)
    except InputError:
        return
    assert kind in messages.KINDS


@given(st.text(min_size=1, max_size=500).filter(lambda text: text.isprintable()))
def test_frames_have_few_lengths_and_come_back(query):
    frame = messages.written("query", id=bytes(16), key=KEY, query=query)
    assert len(frame) - 4 in messages.SIZES
    assert messages.read(frame[4:]) == ("query", {"id": bytes(16), "key": KEY, "query": query})


def test_an_answer_is_read_by_the_source_alone_and_for_its_query():
    mine, other = (MixKey.generate(SeededRandomness(seed)) for seed in (1, 2))
    sealed = seal(Answer("text/plain", CANARY), bytes(16), mine.public, SystemRandomness())
    assert CANARY.encode() not in sealed
    assert unseal(sealed, bytes(16), mine).text == CANARY
    longer = seal(Answer("text/plain", CANARY * 20), bytes(16), mine.public, SystemRandomness())
    assert len(longer) == len(sealed)
    with pytest.raises(Exception, match="cannot be opened"):
        unseal(sealed, bytes(16), other)
    with pytest.raises(InputError, match="another query"):
        unseal(sealed, b"1" * 16, mine)
    with pytest.raises(InputError, match="at most"):
        seal(Answer("text/plain", "x" * 70_000), bytes(16), mine.public, SystemRandomness())


async def offer(hostile, number, query=CANARY):
    hostile.send("query", id=number, key=KEY, query=query)
    return await hostile.hears()


def test_a_query_is_answered_and_its_replay_refused(village):
    async def scene():
        await village.start()
        bob = await village.call()
        number = os.urandom(16)
        assert (await offer(bob, number))["kind"] == "accept"
        answer = await bob.hears()
        assert answer["kind"] == "answer"
        for _ in range(3):  # replayed after the answer
            assert (await offer(bob, number))["kind"] == "refuse"
        assert village.engine.asked == [CANARY]
        await village.stop()

    asyncio.run(scene())


def test_a_source_refuses_her_own_query_as_a_forwarder_does(village):
    """The seed's rule gives a source away; here refusals of source and forwarder are the same bytes."""

    async def scene():
        await village.start(answer_seconds=3.0)
        bob = await village.call()
        own = await searched_through(village, bob)
        village.forwarder._carried[own].to = "bob"
        bob.send("query", id=own, key=KEY, query=CANARY)
        as_source = await bob.hears()
        carried = os.urandom(16)
        assert (await offer(bob, carried))["kind"] == "accept"
        while (reply := await bob.hears())["kind"] != "answer":
            pass
        as_forwarder = await offer(bob, carried)
        assert reply["kind"] == "answer"
        assert {**as_source, "id": ""} == {**as_forwarder, "id": ""} == {"kind": "refuse", "id": ""}
        await village.stop()

    asyncio.run(scene())


async def searched_through(village, bob):
    """Search until the query leaves the node; return its number."""
    import base64

    while True:
        search = asyncio.ensure_future(village.forwarder.search(CANARY))
        done, _ = await asyncio.wait(
            [search, reading := asyncio.ensure_future(bob.hears())], return_when="FIRST_COMPLETED"
        )
        if reading in done:
            heard = reading.result()
            assert heard["kind"] == "query"
            number = base64.b64decode(heard["id"])
            bob.send("accept", id=number)
            village.waiting = search
            await asyncio.sleep(0.05)
            return number
        reading.cancel()
        village.forwarder._cuts.clear()  # another cut of the list
        await asyncio.gather(reading, return_exceptions=True)


def test_a_damaged_answer_and_a_broken_link_fail_the_search_once(village):
    async def scene():
        await village.start(answer_seconds=30.0)
        bob = await village.call()
        number = await searched_through(village, bob)
        bob.send("answer", id=number, sealed=os.urandom(200))
        with pytest.raises(SearchFailed, match="damaged"):
            await village.waiting
        bob.send("answer", id=number, sealed=os.urandom(200))  # again: nothing is awaited
        assert "awaited" in (await bob.hears())["sentence"]
        number = await searched_through(village, bob)
        bob.writer.transport.abort()
        with pytest.raises(SearchFailed, match="went away"):
            await village.waiting
        assert village.forwarder._carried == {}
        assert village.forwarder.counts["failed"] == 2
        await village.stop()

    asyncio.run(scene())


def test_silence_fails_the_search_in_time(village):
    async def scene():
        await village.start(answer_seconds=0.5)
        bob = await village.call()
        await searched_through(village, bob)
        with pytest.raises(SearchFailed, match="in time"):
            await village.waiting
        await village.stop()

    asyncio.run(scene())


def test_oversized_and_unknown_callers_are_told_and_cut_off(village):
    async def scene():
        await village.start()
        bob = await village.call()
        bob.raw(b"", length=2**31)
        assert "at most" in (await bob.hears())["sentence"]
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await bob.hears()
        stranger = await village.call("stranger", hello=False)
        assert "no neighbour" in (await stranger.hears())["sentence"]
        bob = await village.call()  # the node lives
        assert (await offer(bob, os.urandom(16)))["kind"] == "accept"
        await village.stop()

    asyncio.run(scene())


def test_without_a_certificate_nobody_speaks(village):
    async def greet(context):
        address = village.socket.getsockname()
        reader, writer = await asyncio.open_connection(*address, ssl=context, server_hostname="zoe")
        try:
            writer.write(messages.written("hello", version=1, neighbours=1))
            await messages.next_body(reader)
        finally:
            writer.transport.abort()

    async def scene():
        await village.start()
        context = ssl.create_default_context(cafile=village.files("bob")[2])
        with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
            await greet(context)
        await village.stop()

    asyncio.run(scene())


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.binary(max_size=200) | (JSON | ALMOST).map(lambda value: json.dumps(value).encode()),
        min_size=1,
        max_size=25,
    )
)
def test_fuzzing_a_node_over_tls_does_not_end_it(village, bodies):
    """Whatever comes, the next proper query is accepted or refused, and nothing is carried for ever."""

    async def scene():
        await village.start()
        bob = await village.call()
        for body in bodies:
            bob.raw(body)
        bob.send("query", id=(number := os.urandom(16)), key=KEY, query=CANARY)
        import base64

        wanted = base64.b64encode(number).decode()
        while (heard := await bob.hears()).get("id") != wanted:
            assert heard["kind"] in ("error", "accept", "refuse", "answer", "failed")
        assert heard["kind"] in ("accept", "refuse")
        bob.writer.transport.abort()
        assert not village.task.done()
        await village.stop()

    listening = village.socket
    village.socket = listening.dup()  # the server closes its socket
    try:
        asyncio.run(scene())
    finally:
        village.socket = listening
