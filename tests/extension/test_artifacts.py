"""Collections of triples and of pages reached from a search, in a browser: what would be sent is what the
Python client would send.
"""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from crowdlog.artifacts.kinds import Artifact
from crowdlog.crowd.client.mining import mine_each
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from crowdlog.log.importer import import_log
from tests.extension.engine_pages import target
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers"), pytest.mark.timeout(1800)]

K = 5


def would_send(browser: Any, terms: Terms, folder: Path) -> list[str]:
    """Join, look at the artifacts, and seal them."""
    with LocalServices(folder, options=options()) as services, services.operator() as operator:
        manifest, invitations = operator.create(terms, K)
        play_joining(manifest.to_json(), invitations[1:])
        browser.page("collections.html")
        browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
        browser.press("Read the terms")
        browser.wait("!!document.querySelector('#understood')")
        browser.click("#understood")
        browser.press("I agree, join")
        browser.wait("document.querySelector('article')?.dataset.state === 'joined'")
        browser.press("See what I would send")
        browser.wait("document.querySelectorAll('.artifact').length > 0")
        texts = browser.run("return [...document.querySelectorAll('.artifact')].map(one => one.textContent)")
        browser.press("Seal these reports")
        browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")
        return sorted(texts)


def test_triples_of_stems(start: Any, tmp_path: Path) -> None:
    browser = start("chromium")
    asked = ["running shoes", "the running shoe", "trains", "train timetables", "best cakes", "cake recipes"]
    now = int(time.time())
    rows = [{"user": "1", "query": query, "time": now - 600 + 60 * n} for n, query in enumerate(asked)]
    lines = "\n".join(map(json.dumps, rows))
    browser.page("simulator.html")
    browser.run(f"document.querySelector('#rows').value = {json.dumps(lines)}")
    browser.press("Replay")
    browser.wait(f"document.querySelector('#state').dataset.done === '{len(rows)}'")
    terms = Terms("Three in a row", K, artifact="triple", representation="heavy", limit=8)
    texts = would_send(browser, terms, tmp_path / "services")
    (tmp_path / "log.jsonl").write_text(lines)
    log = import_log([tmp_path / "log.jsonl"], tmp_path / "log")
    ((_user, wanted),) = mine_each(log, Artifact("triple", "heavy"))
    assert texts == sorted(" | ".join(item.texts) for item in wanted)
    assert "run shoe | train | timet train" in texts


def test_pages_reached_from_a_search(start: Any, tmp_path: Path) -> None:
    browser = start("chromium")
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.press("Log pages too")
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    browser.search("blue shoes", click=2)
    first, second = target("blue shoes", 2), "https://page1.example/"
    browser.wait_logged("load", first)
    browser.run("document.querySelectorAll('a')[1].click()")
    browser.wait(f"location.href === {json.dumps(second)}")
    browser.wait_logged("link-click", first)
    browser.events()  # everything is in the log
    terms = Terms("Where searches lead", K, artifact="query-visit", limit=8)
    texts = would_send(browser, terms, tmp_path / "services")
    assert texts == [f"blue shoes | {first}", f"blue shoes | {second}"]
