"""The background is stopped a hundred times while events come: none is lost, none is doubled."""

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest

from tests.extension.browsers import chromium, firefox
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.shared_browser import WAIT
from tests.extension.test_developer import choose_file, lab_study

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

RESTARTS = 100
SEARCHES = 15
ASKED_OFTEN = {
    "do": "questionnaire",
    "when": "search",
    "most_per_day": 50,
    "questions": [{"id": "found", "text": "Found?", "answer": "choice", "choices": ["yes", "no"]}],
}


def test_no_event_is_lost_or_doubled(start: Any) -> None:
    browser = start("chromium")
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.search("many clicks")
    browser.run("addEventListener('click', (event) => event.preventDefault())")
    session = browser.context.browser.new_browser_cdp_session()
    draw = random.Random(1)
    stopped = number = 0
    while stopped < RESTARTS:  # some clicks come while it is still down
        browser.run(f"document.querySelectorAll('#rso a')[{number % 10}].click()")
        number += 1
        assert number < 50 * RESTARTS
        time.sleep(draw.choice([0, 0, 0.005, 0.02, 0.05]))
        for one in session.send("Target.getTargets")["targetInfos"]:
            if one["type"] == "service_worker" and one["url"].startswith(browser.base):
                stopped += session.send("Target.closeTarget", {"targetId": one["targetId"]})["success"]
    browser.wait_logged("result-click", "many clicks", number)
    events = browser.events()
    clicks = [event for event in events if event["kind"] == "result-click"]
    assert [event["rank"] for event in clicks] == [one % 10 + 1 for one in range(number)]
    assert len({event["uid"] for event in events}) == len(events)
    assert len([event for event in events if event["kind"] == "search"]) == 1
    opened = [event["tab"] for event in events if event["kind"] == "tab-add"]
    assert len(opened) == len(set(opened))
    assert {event["search"] for event in clicks} == {
        event["uid"] for event in events if event["kind"] == "search"
    }


def test_a_browser_that_starts_again(
    extension: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path
) -> None:
    """The log is there, logging goes on, and that it does is an event of the start."""
    for turn, query in enumerate(("first", "second")):
        with chromium(extension, tmp_path / "profile", proxy.port, playwright=playwright) as browser:
            if turn == 0:
                browser.page("welcome.html")
                browser.press("Start logging")
                browser.wait("document.querySelectorAll('[role=status]').length === 1")
            browser.search(query)
            events = browser.events()
            assert len([one for one in events if one["kind"] == "logging" and one["on"]]) == turn + 1
    assert [one["query"] for one in events if one["kind"] == "search"] == ["first", "second"]


def test_firefox_that_starts_again(extension: Path, proxy: RecordingProxy, tmp_path: Path) -> None:
    """The background starts with the browser: until then the icon would be that of logging."""
    profile = tmp_path / "profile"
    with firefox(extension, profile, proxy.port, lasting=True) as browser:
        browser.page("welcome.html")
        browser.press("Start logging")
        browser.wait("document.querySelectorAll('[role=status]').length === 1")
        browser.page("popup.html")
        browser.press("Pause logging")
        browser.wait("document.querySelector('.state img').getAttribute('src') === 'icons/off-32.png'")
        assert [one["on"] for one in browser.events() if one["kind"] == "logging"] == [True, False]
    with firefox(extension, profile, proxy.port, lasting=True) as browser:
        end = time.monotonic() + WAIT
        while browser.background_state() != "running":
            assert time.monotonic() < end, "nothing runs, and the icon says that searches are logged"
            time.sleep(0.1)
        browser.page("help.html")
        browser.wait("(await chrome.action.getTitle({})) === 'Logging is paused: nothing is recorded'")


def test_a_question_is_asked_once_for_each_search(start: Any) -> None:
    """A study is told of a search also when the background is stopped right after it was logged."""
    browser = start("chromium")
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    study = {**lab_study(), "steps": [ASKED_OFTEN]}
    browser.page("developer.html")
    browser.press("Turn developer mode on")
    choose_file(browser, "#unsigned", json.dumps(study))
    browser.wait("!!document.querySelector('[data-study=lab] button.main')")
    browser.click("[data-study=lab] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=lab] a')")
    asked = [f"question {n}" for n in range(SEARCHES)]
    browser.search("the first of all")
    draw = random.Random(2)
    for query in asked:
        change = f"history.pushState({{}}, '', '/search?q={query.replace(' ', '+')}')"
        browser.run(f"{change}; document.querySelector('#rso').append(' ')")
        browser.run("document.querySelector('#rso').innerHTML = ''")  # it has no results and is logged so
        time.sleep(draw.choice([0, 0.01, 0.03, 0.1]))
        browser.stop_background()
    for query in asked:
        browser.wait_logged("search", query)
    browser.events()
    browser.page("study.html#lab")
    browser.wait(f"document.querySelectorAll('.question h3').length === {SEARCHES + 1}")
    titles = browser.run("return [...document.querySelectorAll('.question h3')].map(h => h.textContent)")
    assert sorted(titles) == sorted(f"Your search: {query}" for query in ["the first of all", *asked])
