"""What is logged in real browsers: searches, results, clicks, pages, tabs; and what is not."""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crowdlog.log.importer import import_log
from tests.extension.browsers import ROOT
from tests.extension.engine_pages import ADDRESS, PAGES, answer_for, target
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.simulated import SAVE_BLOBS
from tests.extension.test_developer import choose_file

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

# What browsers ask for by themselves, extension or not.
OF_THE_BROWSER = (
    ".googleapis.com",
    ".mozilla.org",
    ".mozilla.com",
    ".mozilla.net",
    ".mozgcp.net",
    ".firefox.com",
)
CANARY = "canary-5f2d"


def of_kind(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["kind"] == kind]


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_logging(name: str, start: Any, proxy: RecordingProxy, tmp_path: Path) -> None:
    browser = start(name)
    browser.search("before she agreed", logging=False)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.press("Log pages too")
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    for engine in ADDRESS:
        browser.search(f"blue shoes {engine}", engine, click=2)
    # A next page is a page of the same query; going back asks nothing; a click there belongs to the first.
    hats = f"red hats {CANARY}"
    browser.search(hats)
    address = browser.run("return location.href")
    browser.run("document.querySelector('#next').click()")
    browser.wait("location.search.includes('start=10')")
    browser.wait_logged("search", hats, 2)
    loads = browser.logged("load", address)
    browser.run("history.back()")
    browser.wait("!location.search.includes('start=10') && document.querySelectorAll('#rso a').length === 10")
    if name == "chromium":  # Firefox shows the page as it was left, with its scripts
        browser.wait_logged("load", address, loads + 1)
    time.sleep(0.5)
    browser.run("document.querySelectorAll('#rso a')[0].click()")
    browser.wait("location.hostname.endsWith('.example')")
    browser.page("popup.html")
    browser.press("Pause logging")
    browser.wait("document.querySelector('#toggle')?.textContent === 'Start logging'")
    browser.search("while paused", click=1, logging=False)
    events = browser.events()

    searches = of_kind(events, "search")
    asked = [(event["engine"], event["query"], event["start"]) for event in searches]
    five = [(engine, f"blue shoes {engine}", 1) for engine in ADDRESS]
    assert asked == [*five, ("google", f"red hats {CANARY}", 1), ("google", f"red hats {CANARY}", 11)]
    for event in searches:
        urls = [target(event["query"], event["start"] + n) for n in range(10)]
        assert [(one["rank"], one["url"]) for one in event["results"]] == list(
            zip(range(event["start"], event["start"] + 10), urls, strict=True)
        )
    clicks = of_kind(events, "result-click")
    clicked = [(event["query"], event["rank"], event["target"], event["search"]) for event in clicks]
    first = {event["query"]: event["uid"] for event in reversed(searches)}
    wanted = [(f"blue shoes {engine}", 2) for engine in ADDRESS] + [(f"red hats {CANARY}", 1)]
    assert clicked == [(query, rank, target(query, rank), first[query]) for query, rank in wanted]
    assert [event["on"] for event in of_kind(events, "logging")] == [True, False]
    kinds = Counter(event["kind"] for event in events)
    assert min(kinds[kind] for kind in ("load", "focus", "link-click", "tab-add", "tab-select")) >= 1
    assert len({event["uid"] for event in events}) == len(events)

    # Nothing left the browser but what the person opened, and no request of the extension at all.
    opened = [*{event.get("url", "") for event in events}, *ADDRESS.values()]
    extension = [r for r in proxy.requests if "extension://" in " ".join(r.headers.values())]
    assert extension == []
    others = {r.host for r in proxy.requests if not r.host.endswith(OF_THE_BROWSER)}
    known = {url.split("/")[2] for url in opened if "//" in url}
    assert {host for host in others if not host.endswith(".example")} <= known | {
        "accounts.google.com",
        "r.search.yahoo.com",
    }
    told = {r.host for r in proxy.requests if r.holds(CANARY)}
    assert told <= {"www.google.com", target(f"red hats {CANARY}", 1).split("/")[2]}

    # What is exported can be imported.
    browser.page("history.html")
    browser.wait("document.querySelectorAll('#list li').length > 0")
    for label, file in (("Save as table (AOL format)", "log.tsv"), ("Save as JSON Lines", "log.jsonl")):
        browser.run(SAVE_BLOBS)
        browser.press(label)
        text = browser.wait("window.saved")
        (tmp_path / file).write_text(text)
        store = import_log([tmp_path / file], tmp_path / f"{file}.store")
        assert (store.info.rows, store.info.users, store.info.clicks) == (7, 1, 6)


IN_PAGE = """
const fill = (query) => { document.querySelector('#rso').innerHTML = Array.from({length: 10}, (_, i) =>
  `<div class='g'><div><a href='https://${query}-${i + 1}.example/'><h3>${query}</h3></a></div></div>`)
  .join(''); };
const ask = (query) => { history.pushState({}, '', `/search?q=${query}`); document.body.append(' '); };
"""


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_searches_that_change_the_address_without_loading_a_page(name: str, start: Any) -> None:
    """Each is logged with its own results, or with none if another came first; after a reload, too."""
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.search("one")
    browser.press_key()
    browser.run(IN_PAGE + "ask('two'); setTimeout(() => fill('two'), 300);")
    browser.wait_logged("search", "two", 1)
    browser.press_key()
    browser.run(IN_PAGE + "ask('three'); setTimeout(() => { ask('four'); fill('four'); }, 200);")
    browser.wait_logged("search", "four", 1)
    browser.run("location.reload()")
    browser.wait("document.querySelector('#rso h3')?.textContent === 'four 1'")
    time.sleep(0.5)  # its script looks at the page again and logs nothing
    browser.press_key()
    browser.run(IN_PAGE + "ask('five'); fill('five');")
    browser.wait_logged("search", "five", 1)
    found = {
        event["query"]: [one["url"] for one in event["results"]]
        for event in of_kind(browser.events(), "search")
    }
    own = {query: [target(query, n + 1) for n in range(10)] for query in ("one", "two", "four", "five")}
    assert found == own | {"three": []}
    assert len(of_kind(browser.events(), "search")) == 5


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_engine_of_her_own(name: str, start: Any) -> None:
    """Described by a file alone: the query, the results of its page, a next page, a click."""
    engine = {
        "version": 1,
        "id": "own",
        "name": "Own engine",
        "host": "www.own.example",
        "path": "/find",
        "query": "words",
        "page": {"parameter": "from", "first": 1, "step": 3},
        "results": {"item": "p", "link": "a", "title": "a"},
    }
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.page("status.html")
    choose_file(browser, "#engine", json.dumps(engine))
    browser.wait("document.querySelector('#engine').dataset.engine === 'own'")
    browser.press("Add this engine")
    browser.wait("document.body.textContent.includes('Own engine')")
    registered = "(await chrome.scripting.getRegisteredContentScripts()).length === 1"
    browser.wait(registered)
    browser.open("https://www.own.example/find?words=blue+shoes&from=2")
    browser.wait_logged("search", "blue shoes")
    browser.run("document.querySelectorAll('a')[1].click()")
    browser.wait("location.hostname === 'page1.example'")
    browser.wait_logged("result-click", "blue shoes")
    events = browser.events()
    (search,) = of_kind(events, "search")
    assert (search["engine"], search["query"], search["start"]) == ("own", "blue shoes", 4)
    assert [one["rank"] for one in search["results"]] == [4, 5, 6]
    (click,) = of_kind(events, "result-click")
    assert (click["rank"], click["target"]) == (5, "https://page1.example/")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_engine_at_another_address(name: str, start: Any) -> None:
    """Of her country; and one that is described twice is logged once."""
    german = "https://www.google.de/search?q=blaue+schuhe"
    PAGES[german] = answer_for(ADDRESS["google"].format("blaue+schuhe"))[2].decode()
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.page("status.html")
    browser.fill("#host", "www.google.de")
    browser.press("Add this address")
    browser.wait("document.body.textContent.includes('Google (www.google.de)')")
    google = json.loads((ROOT / "extension/src/engines/google.json").read_text())
    choose_file(browser, "#engine", json.dumps({**google, "id": "twice", "name": "Twice"}))
    browser.wait("document.querySelector('#engine').dataset.engine === 'twice'")
    browser.press("Add this engine")
    browser.wait("document.body.textContent.includes('Twice')")
    browser.wait("(await chrome.scripting.getRegisteredContentScripts()).length === 2")
    browser.open(german)
    browser.wait_logged("search", "blaue schuhe")
    browser.search("blue shoes")
    time.sleep(3)  # longer than a content script waits for results
    searches = of_kind(browser.events(), "search")
    assert [(one["engine"], one["query"], len(one["results"])) for one in searches] == [
        ("google@www.google.de", "blaue schuhe", 10),
        ("google", "blue shoes", 10),
    ]


def test_nothing_is_logged_in_private_windows(start: Any) -> None:
    browser = start("firefox")
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.press("Log pages too")
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    own = browser.client.current_window_handle
    private = browser.client.open(type="window", private=True)["handle"]
    browser.client.switch_to_window(private)
    browser.search("private matters", logging=False)
    browser.client.close()
    browser.client.switch_to_window(own)
    browser.search("public matters")
    assert [event["query"] for event in of_kind(browser.events(), "search")] == ["public matters"]


def test_nothing_is_logged_in_incognito_windows(start: Any, proxy: RecordingProxy) -> None:
    browser = start("chromium")
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.press("Log pages too")
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    # A context beside the profile is what Chromium makes of an incognito window.
    devtools = browser.context.browser.new_browser_cdp_session()
    beside = devtools.send("Target.createBrowserContext", {})["browserContextId"]
    address = ADDRESS["google"].format("private+matters")
    devtools.send("Target.createTarget", {"url": address, "browserContextId": beside})
    end = time.monotonic() + 20
    while not any("private+matters" in one.url for one in proxy.requests) and time.monotonic() < end:
        time.sleep(0.1)
    assert any("private+matters" in one.url for one in proxy.requests)
    time.sleep(2)  # longer than the content script waits for results
    browser.search("public matters")
    assert [event["query"] for event in of_kind(browser.events(), "search")] == ["public matters"]


def test_private_windows_are_forbidden_in_the_manifest() -> None:
    assert '"incognito": "not_allowed"' in (ROOT / "extension/manifest.json").read_text()
