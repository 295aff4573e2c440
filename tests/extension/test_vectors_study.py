"""A study that asks for feature vectors: the named collection gets numbers about searches, and no query."""

import copy
import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from crowdlog.crowd.studies.signed import STUDY, catalogue, sign
from tests.extension.browsers import ROOT
from tests.extension.engine_pages import SERVED
from tests.extension.test_assistant import TASKS, marked, replayed, wait_groups
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers"), pytest.mark.timeout(1800)]

CASES = json.loads((ROOT / "tests/vectors/studies.json").read_text())
KEY = SigningKey(b"v" * 32)
K, LIMIT = 5, 8
VECTOR = re.compile(r"bin1 (same|different)( [0-9.]+){5}")


def study_for(collection: str) -> dict[str, Any]:
    study = copy.deepcopy(CASES["study"])
    today = datetime.now(UTC)
    study["from"] = (today - timedelta(days=1)).strftime("%Y-%m-%d")
    study["until"] = (today + timedelta(days=1)).strftime("%Y-%m-%d")
    study["id"] = "vectors"
    study["permissions"] = ["behaviour", "aggregate", "interface", "storage", "privacy"]
    study["upload"] = {"how": "nothing"}
    step = {"do": "join-collection", "what": "Numbers about your tasks", "collection": collection}
    study["steps"] = [{"do": "group-tasks"}, {**step, "vectors": "bin1"}]
    return dict(study)


def kept(browser: Any, name: str) -> None:
    """A picture of this state, wide and narrow, where somebody wants to look at them."""
    if folder := os.environ.get("CROWDLOG_SCREENSHOTS"):
        for width in (1100, 360):
            browser.screenshot(Path(folder) / f"{name}-{width}.png", width)


def test_vectors_instead_of_queries(start: Any, tmp_path: Path) -> None:
    browser = start("chromium")
    replayed(browser)
    browser.page("assistant.html")
    wait_groups(browser, list(TASKS.values()))
    marked(browser, "moved", "blue shoes")
    browser.run("document.querySelector('#moved select').dispatchEvent(new Event('focus'))")
    browser.run("document.querySelector('#moved select').value = 'new'")
    browser.run("document.querySelector('#moved select').dispatchEvent(new Event('change'))")
    wait_groups(browser, [["blue shoes"], ["blue shoes size 42"], *list(TASKS.values())[1:]])
    with LocalServices(tmp_path / "services", options=options()) as services, services.operator() as operator:
        manifest, invitations = operator.create(Terms("Vectors of tasks", K, limit=LIMIT), K)
        play_joining(manifest.to_json(), invitations[1:])
        signed = sign(STUDY, study_for(manifest.id), KEY)
        SERVED["catalogue.example"] = json.dumps(catalogue([signed], [], KEY)).encode()
        browser.page("studies.html")
        browser.fill("#catalogue", "https://catalogue.example/catalogue.json")
        browser.press("Read it")
        browser.wait("!!document.querySelector('[data-study=vectors] button.main')")
        browser.click("[data-study=vectors] button.main")
        browser.wait("!!document.querySelector('dialog button')")
        kept(browser, "consent-dialog")
        browser.run("document.querySelector('dialog button').click()")
        browser.wait("!!document.querySelector('[data-study=vectors] a')")
        browser.page("study.html#vectors")
        browser.wait(f"document.body.textContent.includes('{manifest.id}')")
        kept(browser, "study-vectors")
        browser.page("collections.html")
        browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
        browser.press("Read the terms")
        browser.wait("!!document.querySelector('#understood')")
        assert "no query" in browser.run("return document.querySelector('#collection').textContent")
        kept(browser, "terms")
        browser.click("#understood")
        browser.press("I agree, join")
        browser.wait("document.querySelector('article')?.dataset.state === 'joined'")
        browser.press("See what I would send")
        browser.wait("document.querySelectorAll('.artifact').length > 0")
        texts = browser.run("return [...document.querySelectorAll('.artifact')].map(one => one.textContent)")
        # Only the two searches that she moved apart are labelled: one pair.
        assert len(texts) == 1
        assert VECTOR.fullmatch(texts[0])
        assert " different " in texts[0]
        kept(browser, "preview")
        browser.press("Seal these reports")
        browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")
        browser.press("See the reports that wait")
        browser.wait(f"document.querySelectorAll('article summary').length === {LIMIT}")
        kept(browser, "waiting")
