"""Developer mode: an unsigned study of lab tasks runs on this computer alone, with a log of what studies do.
Feedback: what she sees is what is sent, after her click and to the operator she chose.
"""

import copy
import json
from typing import Any

import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.studies.signed import sign
from tests.extension.browsers import ROOT
from tests.extension.engine_pages import SERVED
from tests.extension.recording_proxy import RecordingProxy

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

CASES = json.loads((ROOT / "tests/vectors/studies.json").read_text())
CANARY = "canary-91c4"


def lab_study() -> dict[str, Any]:
    study = copy.deepcopy(CASES["study"])
    study.update({"id": "lab", "from": "2026-01-01", "until": "2099-12-31", "steps": [CASES["lab"]]})
    return dict(study)


def choose_file(browser: Any, selector: str, text: str) -> None:
    browser.wait(f"!!document.querySelector({json.dumps(selector)})")
    browser.run(
        f"const field = document.querySelector({json.dumps(selector)}); const made = new DataTransfer();"
        f"made.items.add(new File([{json.dumps(text)}], 'study.json'));"
        "field.files = made.files; field.dispatchEvent(new Event('change'));"
    )


def choose(browser: Any, value: str) -> None:
    browser.wait("!!document.querySelector('section select')")
    browser.run(f"document.querySelector('section select').value = {json.dumps(value)}")


def to_study(proxy: RecordingProxy) -> list[Any]:
    return [one for one in proxy.requests if one.host == "study.example"]


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_unsigned_lab_study(name: str, start: Any, proxy: RecordingProxy) -> None:
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")

    # Without the mode there is no place for such a file, and the place for signed ones refuses it.
    browser.page("studies.html")
    choose_file(browser, "#study-file", json.dumps(lab_study()))
    browser.wait("document.querySelector('#problems').textContent.includes('no signed study')")
    browser.page("developer.html")
    browser.wait("document.querySelectorAll('button').length > 0")
    assert browser.run("return !!document.querySelector('#unsigned')") is False
    browser.press("Turn developer mode on")
    choose_file(browser, "#unsigned", json.dumps({**lab_study(), "until": "2026-02-30x"}))
    browser.wait("document.querySelector('#problems').textContent.includes('study.until')")
    choose_file(browser, "#unsigned", json.dumps(lab_study()))
    browser.wait("!!document.querySelector('[data-study=lab] button.main')")
    assert "not signed" in browser.run("return document.querySelector('[data-study=lab]').textContent")
    browser.click("[data-study=lab] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=lab] a')")

    # Person 2 begins with the second task. A page that is closed in between loses nothing.
    browser.page("study.html#lab")
    browser.wait("!!document.querySelector('#person')")
    browser.fill("#person", "2")
    browser.press("Begin with the first task")
    browser.wait("document.querySelector('.labtask')?.textContent === 'Find a train.'")
    browser.press("Start this task")
    browser.wait("document.querySelector('#problems').textContent.includes('answer every question')")
    choose(browser, "no")
    browser.press("Start this task")
    browser.wait("document.querySelectorAll('#engines a').length === 2")
    browser.search(f"trains {CANARY}", click=1)
    browser.wait_logged("result-click", f"trains {CANARY}")
    browser.run("await new Promise((done) => setTimeout(done, 10))")
    assert browser.events()
    browser.page("study.html#lab")
    browser.press("I am done with this task")
    choose(browser, "very")
    browser.press("Save the answer")
    browser.wait("document.querySelector('.labtask')?.textContent === 'Find a cake.'")
    (answer,) = json.loads(browser.run("return document.querySelector('pre').textContent"))["answers"]
    counted = {name: answer["values"][name] for name in ("person", "place", "searches", "results_opened")}
    assert counted == {"person": 2, "place": 1, "searches": 1, "results_opened": 1}
    assert (answer["about"], answer["values"]["known"], answer["values"]["sure"]) == ("trains", "no", "very")
    assert CANARY not in json.dumps(answer)

    # What a signed study would send is shown; this one has no button for it.
    assert browser.run("return !!document.querySelector('#clear')") is False
    assert to_study(proxy) == []

    # The log tells what happened in no word of hers; with the mode all of it goes.
    browser.page("developer.html")
    browser.wait("document.body.textContent.includes('task trains answered')")
    assert CANARY not in browser.run("return document.body.textContent")
    browser.press("Turn developer mode off, with its studies and its log")
    browser.wait("!document.querySelector('#unsigned')")
    browser.page("study.html#lab")
    browser.wait("document.body.textContent.includes('You do not take part')")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_feedback_is_what_she_sees(name: str, start: Any, proxy: RecordingProxy) -> None:
    key = SigningKey(b"f" * 32)
    address = "https://study.example/feedback"
    studies = [sign("study", {**CASES["study"], **change}, key) for change in ({}, {"version": 2})]
    listed = sign("catalogue", {"studies": studies, "messages": [], "feedback": address}, key)
    SERVED["catalogue.example"] = json.dumps(listed).encode()
    SERVED["study.example"] = b"{}"
    browser = start(name)
    # A failure whose own words hold a query: the browser's sentence quotes what it could not read.
    browser.page("studies.html")
    choose_file(browser, "#study-file", CANARY)
    browser.wait("document.querySelector('#problems').textContent.length > 0")
    browser.fill("#catalogue", "https://catalogue.example/catalogue.json")
    browser.press("Read it")
    browser.wait("document.body.textContent.includes('signed by')")
    shown = browser.run("return document.body.textContent")
    assert "that need a newer version of the extension: 1." in shown
    assert CASES["study"]["title"] in shown
    browser.page("feedback.html")
    browser.press("Send to study.example")
    browser.wait("document.querySelector('#problems').textContent.includes('no text')")
    browser.fill("#feedback", "The page is blue.")
    browser.press("Add technical details")
    browser.wait("document.querySelector('#feedback').value.includes('studies.js:')")
    text = browser.run("return document.querySelector('#feedback').value")
    assert CANARY not in text
    assert "extension://" not in text
    assert to_study(proxy) == []
    browser.press("Send to study.example")
    browser.wait("document.body.textContent.includes('Sent to study.example.')")
    (sent,) = to_study(proxy)
    assert json.loads(sent.body) == {"feedback": text}
    assert "extension://" not in str(sent.headers)
