"""The extension in headless Chromium: searching a log of 100,000 events, grouping 5,000 searches, sealing 200
artifacts, and how long the page is held up meanwhile.

python benchmarks/extension.py [history] [grouping] [sealing]
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import sync_playwright

from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from tests.extension.big_log import answer_times, busy, queries, write_log
from tests.extension.browsers import Chromium, built, chromium
from tests.extension.recording_proxy import RecordingProxy
from tests.support.volunteers import options

EVENTS, SEARCHES, ARTIFACTS, K = 100_000, 5_000, 200, 5


def history(browser: Chromium, texts: Sequence[str]) -> dict[str, Any]:
    browser.page("history.html")
    browser.wait("document.querySelectorAll('#list li').length > 0")
    asked = {"a rare query": texts[-1], "a frequent word": texts[0].split()[0], "every event": "engine"}
    found = {}
    for name, words in asked.items():
        times = sorted(answer_times(browser, words))
        found[name] = {"quickest ms": times[0], "median ms": times[len(times) // 2], "slowest ms": times[-1]}
    return found


def tasks(browser: Chromium, work: Callable[[], Any]) -> dict[str, Any]:
    started = time.perf_counter()
    longest = busy(browser, work)
    seconds = round(time.perf_counter() - started, 1)
    return {"seconds": seconds, "longest tasks of the page, ms of processor time": longest[:5]}


def grouping(browser: Chromium) -> dict[str, Any]:
    browser.page("assistant.html")
    ready = "document.querySelector('#tasks').getAttribute('aria-busy') === 'false'"
    browser.wait(ready)

    def grouped() -> None:
        browser.press("Group again")
        browser.wait(f"!({ready})")
        browser.wait(ready)

    found = tasks(browser, grouped)
    number = browser.run("return document.querySelector('#tasks').dataset.searches")
    return {"searches": int(number), **found}


def sealing(browser: Chromium, folder: Path) -> dict[str, Any]:
    with LocalServices(folder / "services", options=options()) as services, services.operator() as operator:
        manifest, invitations = operator.create(Terms("Benchmark", K, limit=ARTIFACTS), K)
        play_joining(manifest.to_json(), invitations[1:])
        browser.page("collections.html")
        browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
        browser.press("Read the terms")
        browser.wait("!!document.querySelector('#understood')")
        browser.click("#understood")
        browser.press("I agree, join")
        browser.press("See what I would send")
        browser.wait("document.querySelectorAll('.artifact').length > 0")

        def sealed() -> None:
            browser.press("Seal these reports")
            browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")

        return {"artifacts": ARTIFACTS, **tasks(browser, sealed)}


def main() -> None:
    wanted = sys.argv[1:] or ["history", "grouping", "sealing"]
    number = EVENTS if "history" in wanted else SEARCHES
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        texts = queries(number, 1)
        with RecordingProxy(folder).running() as proxy:
            extension = built(folder / "extension")
            with chromium(extension, folder / "profile", proxy.port, playwright=driver) as browser:
                browser.page("welcome.html")
                browser.press("Start logging")
                browser.wait("document.querySelectorAll('[role=status]').length === 1")
                write_log(browser, texts, SEARCHES)
                measures = {
                    "history": lambda: history(browser, texts),
                    "grouping": lambda: grouping(browser),
                    "sealing": lambda: sealing(browser, folder),
                }
                for one in wanted:
                    print(json.dumps({one: measures[one]()}, indent=1), flush=True)


if __name__ == "__main__":
    main()
