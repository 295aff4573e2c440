"""Twelve people with logs of their own join a collection in real browsers, search, look at what would be
sent, and send; the crowd log is FTu's on the union of their logs.
"""

import json
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.log.importer import import_log
from crowdlog.mechanisms.ft_u import FTu
from crowdlog.privacy.randomness import SystemRandomness
from tests.extension.browsers import chromium, firefox
from tests.extension.recording_proxy import RecordingProxy
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

PEOPLE = 12
IN_FIREFOX = 2
K = 5
LIMIT = 6
UPLOAD_SECONDS = 60
SHARED = ["weather tomorrow", "train times", "football results"]
STRUCK = "something to keep"


def queries_of(person: int) -> list[str]:
    """What each searches: some shared by all, by six, by four (too few), and words of her own."""
    own = [f"canary-{person:02d}-own words"]
    shared = SHARED[: 3 if person < 4 else 2 if person < 6 else 1]
    return [*shared, *own, STRUCK]


def searched(browser: Any, person: int) -> None:
    """One search is typed into an engine's page; the others come by the developers' simulator."""
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    first, *others = queries_of(person)
    browser.search(first.upper())
    now = int(time.time())
    rows = [{"user": "1", "query": query, "time": now - 60 * n} for n, query in enumerate(others, 1)]
    browser.page("simulator.html")
    text = json.dumps("\n".join(map(json.dumps, rows)))
    browser.run(f"document.querySelector('#rows').value = {text}")
    browser.press("Replay")
    browser.wait(f"document.querySelector('#state').dataset.done === '{len(others)}'")


def joined(browser: Any, link: str) -> None:
    browser.page("collections.html")
    browser.fill("#link", link)
    browser.press("Read the terms")
    browser.wait("!!document.querySelector('#understood')")
    browser.press("I agree, join")
    browser.wait("document.querySelector('#problems').textContent.includes('tick the box')")
    browser.click("#understood")
    browser.press("I agree, join")
    browser.wait("document.querySelector('article')?.dataset.state === 'joined'")


def sealed(browser: Any, person: int) -> None:
    """Strike out one artifact before it is sealed; see all reports, readable and in bytes."""
    browser.page("collections.html")
    browser.press("See what I would send")
    browser.wait("document.querySelectorAll('.artifact').length > 0")
    texts = browser.run("return [...document.querySelectorAll('.artifact')].map(one => one.textContent)")
    assert sorted(texts) == sorted(queries_of(person))
    find = f"[...document.querySelectorAll('label')].find(l => l.textContent === {json.dumps(STRUCK)})"
    browser.run(f"{find}.querySelector('input').click()")
    browser.press("Seal these reports")
    browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")
    browser.press("See the reports that wait")
    browser.wait("document.querySelectorAll('article summary').length > 0")
    shown = browser.run("return [...document.querySelectorAll('article summary')].map(s => s.textContent)")
    kept = sorted(set(queries_of(person)) - {STRUCK})
    assert sorted(text for text in shown if text != "(an empty report)") == kept
    assert len(shown) == LIMIT
    lengths = browser.run(
        "return [...document.querySelectorAll('article code')].map(c => c.textContent.length / 2)"
    )
    assert len(set(lengths)) == 1


@pytest.mark.timeout(1800)  # a minute and a half on a quiet machine, many on a busy one
def test_twelve_people(extension: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path) -> None:
    with ExitStack() as stack:
        services = stack.enter_context(LocalServices(tmp_path / "services", options=options(pool=5)))
        operator = stack.enter_context(services.operator())
        terms = Terms("What we search", K, limit=LIMIT, upload_seconds=UPLOAD_SECONDS, smallest_crowd=PEOPLE)
        manifest, invitations = operator.create(terms, PEOPLE)
        base = f"{manifest.aggregation.url}/collections/{manifest.id}"
        browsers: list[Any] = []
        for person in range(PEOPLE):
            profile = tmp_path / f"person{person}"
            starting = (
                firefox(extension, profile, proxy.port)
                if person >= PEOPLE - IN_FIREFOX
                else chromium(extension, profile, proxy.port, playwright=playwright)
            )
            browsers.append(stack.enter_context(starting))
            searched(browsers[-1], person)
        assert not [one for one in proxy.requests if one.host == "127.0.0.1"]  # nobody has agreed yet
        for browser, invitation in zip(browsers, invitations, strict=True):
            joined(browser, f"{base}#{invitation}")
        for person, browser in enumerate(browsers):
            sealed(browser, person)
        operator.close(manifest.id)
        operator.wait_open(manifest.id)
        # So near to the end of the window everything leaves with the next alarm; all send at once.
        for browser in browsers:
            browser.run("void chrome.runtime.sendMessage({ do: 'send' })")
        for browser in browsers:
            browser.run("await chrome.runtime.sendMessage({ do: 'send' })")  # waits for the first
        for browser in browsers:
            browser.page("collections.html")
            browser.wait("document.querySelector('article')?.dataset.state === 'finished'")
        crowd_log = operator.publish(manifest.id, tmp_path / "crowdlog")
        operator.release(manifest.id)

        # The crowd log is FTu's on the union of what people let go.
        union = tmp_path / "union.jsonl"
        rows = [
            (person, query) for person in range(PEOPLE) for query in queries_of(person) if query != STRUCK
        ]
        union.write_text("".join(json.dumps({"user": str(p), "query": q, "time": 0}) + "\n" for p, q in rows))
        log = import_log([union], tmp_path / "union")
        wanted = FTu(k=K).protect(log, SystemRandomness()).tables["queries"].to_pylist()
        got = pq.read_table(crowd_log / "queries.parquet").to_pylist()
        people = Counter(query for _person, query in rows)
        assert {row["query"] for row in got} == {row["query"] for row in wanted} == set(SHARED[:2])
        assert all(row["count"] == people[row["query"]] for row in got)

        # Nothing readable left: no query, struck out or not, is in any request but those to the engine.
        sent = [one for one in proxy.requests if one.host == "127.0.0.1"]
        envelopes = [one for one in sent if one.url.endswith("/envelopes")]
        assert len(envelopes) == PEOPLE * LIMIT
        for text in ["canary", STRUCK, *SHARED]:
            assert not [one for one in sent if one.holds(text) or one.holds(text.replace(" ", "+"))]
        # Nor the id for life that Firefox puts into Origin, nor a referrer, nor a cookie.
        for one in sent:
            names = {name.lower() for name in one.headers}
            assert "moz-extension" not in str(one.headers)
            assert not names & {"origin", "referer", "cookie"} or "chrome-extension" in one.headers.get(
                "origin", ""
            )

        # Suggestions come from the published log, fetched whole.
        last = browsers[0]
        last.page("suggestions.html")
        last.fill("#release", base)
        before = len(proxy.requests)
        last.press("Fetch")
        last.wait("document.body.textContent.includes('Forget it')")
        asked = {one.url.split("/release")[-1] for one in proxy.requests[before:] if one.host == "127.0.0.1"}
        assert asked == {"", "/queries.parquet"}
        last.wait("document.querySelectorAll('#next li').length > 0 || !!document.querySelector('.soft')")

        # Who leaves keeps nothing.
        last.page("collections.html")
        last.press("Leave")
        last.run("document.querySelector('dialog button').click()")
        last.wait("document.querySelector('article')?.dataset.state === 'left'")
