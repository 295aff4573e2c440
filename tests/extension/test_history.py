"""Deletion in a browser: singly, by word, by time in History; what the simulator wrote on its page."""

import json
import time
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.extension.recording_proxy import RecordingProxy
from tests.extension.shared_browser import WAIT
from tests.extension.simulated import replayed, started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

DAY = 86_400
NUMBER = "document.querySelector('#number').textContent"
LINES = "[...document.querySelectorAll('#list li')]"


def rows() -> list[dict[str, Any]]:
    """Of three days: the first two searches are of the oldest."""
    now = int(time.time())
    return [
        {"query": "oldest of all", "time": now - 9 * DAY, "rank": 1, "url": "https://old.example/"},
        {"query": "old too", "time": now - 9 * DAY + 5},
        {"query": "blue shoes", "time": now - 3 * DAY, "rank": 2, "url": "https://shop.example/"},
        {"query": "blue hats", "time": now - 3 * DAY + 60},
        {"query": "red hats", "time": now - 3 * DAY + 120},
        {"query": "green hats", "time": now - 3 * DAY + 180},
    ]


def queries(browser: Any) -> list[tuple[str, str]]:
    kinds = ("search", "result-click")
    events = sorted(browser.events(), key=lambda event: event["time"])
    return [(event["kind"], event["query"]) for event in events if event["kind"] in kinds]


def history(browser: Any) -> None:
    browser.page("history.html")
    browser.wait(f"{LINES}.length > 0")


def choose(browser: Any, selector: str, value: str) -> None:
    """As typing or picking does: the value, and that it changed."""
    field = f"document.querySelector({json.dumps(selector)})"
    browser.run(
        f"{field}.value = {json.dumps(value)};"
        f"{field}.dispatchEvent(new Event('input', {{ bubbles: true }}));"
        f"{field}.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    )


def delete_found(browser: Any, found: int, deleted: int) -> None:
    """What the fields ask for; a first no deletes nothing."""
    browser.wait(f"{NUMBER} === 'Found: {found}' && {LINES}.length === {found}")
    browser.press("Delete what is found")
    browser.press("Cancel")
    browser.wait("!document.querySelector('dialog')")
    browser.press("Delete what is found")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait(f"{NUMBER} === 'Deleted: {deleted}' && {LINES}.length === 0")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_entry_opens_its_page_and_tells_it_nothing(name: str, start: Any, proxy: RecordingProxy) -> None:
    browser = started(start(name))
    browser.search("blue shoes", click=2)
    browser.wait_logged("result-click", "blue shoes")
    history(browser)
    before = len(proxy.requests)
    browser.click("#list a[href*='www.google.com']")
    browser.click("#list a[href*='shoes-2.example']")
    hosts = {"www.google.com", "blue-shoes-2.example"}
    end = time.monotonic() + WAIT
    while not hosts <= {one.host for one in proxy.requests[before:]}:
        assert time.monotonic() < end, "the pages are not opened"
        time.sleep(0.05)
    for one in proxy.requests[before:]:
        assert "extension://" not in str(one.headers)
        if not one.url.endswith("favicon.ico"):  # which is asked for by the page itself
            assert "referer" not in {name.lower() for name in one.headers}


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_history_is_deleted_singly_by_word_by_time_and_by_replay(name: str, start: Any) -> None:
    browser = start(name)
    started(browser)
    replayed(browser, rows(), 8)
    browser.search("words of engine.example", click=1)  # holds the words of every replayed address
    browser.wait_logged("result-click", "words of engine.example")
    real = [("search", "words of engine.example"), ("result-click", "words of engine.example")]

    # Singly: with a search its click goes.
    history(browser)
    line = f"{LINES}.find(li => li.textContent.includes('blue shoes') && li.textContent.includes('Search'))"
    browser.run(f"{line}.querySelector('button').click()")
    browser.wait("!document.querySelector('#list').textContent.includes('blue shoes')")
    browser.wait(f"{NUMBER} === 'Deleted: 2'")
    old = [("search", "oldest of all"), ("result-click", "oldest of all"), ("search", "old too")]
    hats = [("search", f"{colour} hats") for colour in ("blue", "red", "green")]
    assert queries(browser) == [*old, *hats, *real]

    # By word.
    history(browser)
    choose(browser, "#words", "red")
    delete_found(browser, 1, 1)
    del hats[1]
    assert queries(browser) == [*old, *hats, *real]

    # By time: until a day that ends before the newer ones.
    history(browser)
    choose(browser, "#until", f"{datetime.now() - timedelta(days=6):%Y-%m-%d}")
    delete_found(browser, 3, 3)
    assert queries(browser) == [*hats, *real]

    # What was replayed, and nothing that happened.
    browser.page("simulator.html")
    browser.press("Delete what was replayed")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("document.querySelector('#state').textContent === 'Deleted: 2'")
    assert queries(browser) == real
    browser.page("history.html")
    browser.wait(f"{LINES}.some(li => li.textContent.includes('words of engine.example'))")
