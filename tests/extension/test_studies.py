"""A signed study from an operator's catalogue: consent, a question after a search, and an upload in the clear
only after a screen of its own.
"""

import copy
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.studies.signed import STUDY, catalogue, sign
from tests.extension.browsers import ROOT
from tests.extension.engine_pages import SERVED
from tests.extension.recording_proxy import RecordingProxy

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

CASES = json.loads((ROOT / "tests/vectors/studies.json").read_text())
KEY = SigningKey(b"s" * 32)
ANSWER = "canary in an answer"


def served_catalogue(key: SigningKey) -> bytes:
    study = copy.deepcopy(CASES["study"])
    today = datetime.now(UTC)
    study["from"] = (today - timedelta(days=1)).strftime("%Y-%m-%d")
    study["until"] = (today + timedelta(days=1)).strftime("%Y-%m-%d")
    notes = [{"from": "The institute", "date": "2026-11-17", "text": "Thank you for taking part."}]
    return json.dumps(catalogue([sign(STUDY, study, KEY)], notes, key)).encode()


def to_study_server(proxy: RecordingProxy) -> list[bytes]:
    return [one.body for one in proxy.requests if one.host == "study.example" and one.method == "POST"]


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_a_study(name: str, start: Any, proxy: RecordingProxy) -> None:
    SERVED["catalogue.example"] = served_catalogue(KEY)
    SERVED["study.example"] = b"{}"
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.page("studies.html")
    browser.fill("#catalogue", "https://catalogue.example/catalogue.json")
    browser.press("Read it")
    browser.wait("!!document.querySelector('[data-study=example]')")
    text = browser.run("return document.querySelector('[data-study=example]').textContent")
    assert "Your behaviour" in text
    assert "Servers" in text
    assert "Crowd data" not in text
    assert "readable to https://study.example/answers" in text

    # Nothing is asked before she takes part.
    browser.search("first search")
    assert browser.events()
    browser.page("studies.html")
    browser.click("[data-study=example] button.main")
    browser.wait("document.querySelector('dialog')?.textContent.includes('You are asked one thing.')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=example] a')")
    browser.search("second search")
    assert browser.events()  # the background has seen it
    browser.page("popup.html")
    browser.wait("document.querySelector('#waiting a')?.href.endsWith('study.html#example')")
    browser.page("study.html#example")
    browser.wait("document.querySelectorAll('.question').length === 1")
    assert "second search" in browser.run("return document.querySelector('.question').textContent")
    browser.wait("(await chrome.action.getBadgeText({})) === '1'")

    # While it is paused nothing is asked, and what waited waits on.
    browser.page("studies.html")
    browser.press("Pause the study")
    browser.wait("(await chrome.action.getBadgeText({})) === ''")
    browser.page("study.html#example")
    browser.wait("document.body.textContent.includes('paused: nothing is asked')")
    assert browser.run("return document.querySelectorAll('.question').length") == 0
    browser.page("studies.html")
    browser.press("Go on with the study")
    browser.wait("(await chrome.action.getBadgeText({})) === '1'")
    browser.page("study.html#example")
    browser.wait("document.querySelectorAll('.question').length === 1")
    browser.run("document.querySelector('.question select').value = 'no'")
    browser.fill(".question textarea", ANSWER)
    browser.press("Save the answer")
    browser.wait("document.querySelector('pre')?.textContent.includes('canary in an answer')")
    browser.wait("(await chrome.action.getBadgeText({})) === ''")

    # The upload shows what would leave, and needs a tick of its own.
    assert to_study_server(proxy) == []
    browser.press("Send it readable")
    browser.wait("document.querySelector('#problems').textContent.includes('tick the box')")
    assert to_study_server(proxy) == []
    shown = json.loads(browser.run("return document.querySelector('pre').textContent"))
    browser.click("#clear")
    browser.press("Send it readable")
    browser.wait("!document.querySelector('pre').textContent.includes('canary')")
    (sent,) = to_study_server(proxy)
    assert json.loads(sent) == shown
    assert shown["answers"][0]["values"] == {"found": "no", "goal": ANSWER}
    told = {one.host for one in proxy.requests if one.holds(ANSWER)}
    assert told == {"study.example"}

    # Messages are shown; another signer at the same address is refused.
    browser.page("status.html")
    browser.wait("document.body.textContent.includes('Thank you for taking part.')")
    SERVED["catalogue.example"] = served_catalogue(SigningKey(b"x" * 32))
    browser.page("studies.html")
    browser.fill("#catalogue", "https://catalogue.example/catalogue.json")
    browser.press("Read it")
    browser.wait("document.querySelector('#problems').textContent.includes('somebody else')")
