"""The search engine behind a node: every way in which it can fail ends in one sentence, in time."""

import asyncio
import json

import pytest

from crowdlog.crowd.crypto.envelope import MixKey
from crowdlog.forwarding.node.engine import EngineDown, NodeEngine
from crowdlog.forwarding.node.sealing import MOST_TEXT, seal, unseal
from crowdlog.privacy.randomness import SystemRandomness

CANARY = "canary4111111111111111"


def head(length, media="text/plain; charset=utf-8", status="200 OK"):
    return f"HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\r\n".encode()


def asked(behave, *, seconds=5.0, times=1):
    """Ask an engine that answers by `behave(writer)`; return its answers and the heads of the requests."""
    heard = []

    async def answer(reader, writer):
        try:
            while True:
                heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
                await behave(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def scene():
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        engine = NodeEngine(f"http://127.0.0.1:{port}/s?q={{query}}&l=en", seconds)
        try:
            return [await engine.ask(f"{CANARY} ß&?#") for _ in range(times)]
        finally:
            await engine.close()
            server.close()

    return asyncio.run(scene()), heard


def says(body, **how):
    async def behave(writer):
        writer.write(head(len(body), **how) + body)
        await writer.drain()

    return behave


def test_the_query_stands_in_the_address_as_it_was_typed():
    answers, heard = asked(says(b"found"), times=2)
    assert [answer.text for answer in answers] == ["found", "found"]
    assert all(request.startswith(f"GET /s?q={CANARY}%20%C3%9F%26%3F%23&l=en HTTP") for request in heard)


@pytest.mark.parametrize("letter", ["ж", '"', "日", "\n", "x"])
def test_the_longest_answer_travels_in_every_script(letter):
    """What the engine may say at all can be sealed: escapes do not make it longer."""
    body = (letter * MOST_TEXT).encode()[: MOST_TEXT // 3 * 3]
    answer = asked(says(body))[0][0]
    mine = MixKey.generate(SystemRandomness())
    sealed = seal(answer, bytes(16), mine.public, SystemRandomness())
    assert unseal(sealed, bytes(16), mine) == answer
    assert answer.text.encode() == body


@pytest.mark.parametrize(
    ("behave", "said"),
    [
        (says(b"x" * (MOST_TEXT + 1)), "longer than"),
        (says(b"", status="302 Found"), "answered 302"),
        (says(b"", status="500 Oops"), "answered 500"),
        (says(b"", status="nonsense"), "cannot be reached"),
    ],
)
def test_what_is_no_answer_is_one_sentence_without_the_query(behave, said):
    with pytest.raises(EngineDown, match=said) as told:
        asked(behave)
    assert CANARY not in str(told.value)


def test_an_engine_that_drips_is_given_up_in_time():
    """Each piece comes soon enough; the whole does not."""

    async def drip(writer):
        writer.write(head(1000))
        for _ in range(1000):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.02)

    with pytest.raises(EngineDown, match=r"longer than 0\.3 seconds"):
        asked(drip, seconds=0.3)


def test_an_engine_that_is_not_there_is_one_sentence():
    async def scene():
        engine = NodeEngine("http://127.0.0.1:9/?q={query}", 1.0)
        with pytest.raises(EngineDown, match="cannot be reached"):
            await engine.ask(CANARY)
        await engine.close()

    asyncio.run(scene())


def test_the_answers_text_is_the_engines_json():
    found = {"results": [{"title": 'Jürgen\'s "page"'}]}
    answer = asked(says(json.dumps(found, ensure_ascii=False).encode(), media="application/json"))[0][0]
    assert json.loads(answer.text) == found
    assert answer.media == "application/json"
