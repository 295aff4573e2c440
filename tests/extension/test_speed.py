"""Long logs: history search in time, and pages that go on answering while workers group and seal."""

from pathlib import Path
from typing import Any

import pytest

from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from tests.extension.big_log import answer_times, busy, queries, write_log
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers"), pytest.mark.timeout(1800)]

EVENTS, SEARCHES, ARTIFACTS, K = 100_000, 5_000, 200, 5
ANSWER = 200  # ms
FRAME = 50  # ms


def test_history_answers_in_time(start: Any) -> None:
    browser = start("chromium")
    browser.page("help.html")
    texts = queries(EVENTS, 1)
    write_log(browser, texts, SEARCHES)
    browser.page("history.html")
    browser.wait("document.querySelectorAll('#list li').length > 0")
    frequent = texts[0].split()[0]
    held = sum(any(word.startswith(frequent) for word in text.split()) for text in texts)
    for words, number in ((texts[-1], 1), (frequent, held), ("engine", EVENTS), (f"https {frequent}", held)):
        assert min(answer_times(browser, words)) < ANSWER, words  # other work of the machine only adds
        shown = browser.run("return document.querySelectorAll('#list li').length")
        assert min(number, 15) <= shown <= 200
    assert min(answer_times(browser, "no such words")) < ANSWER


def test_no_long_frame_while_tasks_are_grouped(start: Any) -> None:
    browser = start("chromium")
    browser.page("help.html")
    write_log(browser, queries(SEARCHES, 2), SEARCHES)
    browser.page("assistant.html")
    ready = "document.querySelector('#tasks').getAttribute('aria-busy') === 'false'"
    browser.wait(ready)

    def grouped() -> None:
        browser.press("Group again")
        browser.wait(f"!({ready})")
        browser.wait(ready)
        browser.wait("document.querySelectorAll('#tasks article').length === 30")

    assert busy(browser, grouped)[0] < FRAME
    assert int(browser.run("return document.querySelector('#tasks').dataset.searches")) > 0.9 * SEARCHES


def test_no_long_frame_while_reports_are_sealed(start: Any, tmp_path: Path) -> None:
    browser = start("chromium")
    browser.page("help.html")
    write_log(browser, queries(2 * ARTIFACTS, 3), 2 * ARTIFACTS)
    with LocalServices(tmp_path / "services", options=options()) as services, services.operator() as operator:
        manifest, invitations = operator.create(Terms("Two hundred", K, limit=ARTIFACTS), K)
        play_joining(manifest.to_json(), invitations[1:])
        browser.page("collections.html")
        browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
        browser.press("Read the terms")
        browser.wait("!!document.querySelector('#understood')")
        browser.click("#understood")
        browser.press("I agree, join")
        browser.wait("document.querySelector('article')?.dataset.state === 'joined'")

        def sealed() -> None:
            browser.press("See what I would send")
            browser.wait(f"document.querySelectorAll('.artifact').length === {ARTIFACTS}")
            browser.press("Seal these reports")
            browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")
            browser.press("See the reports that wait")
            browser.wait(f"document.querySelectorAll('article summary').length === {ARTIFACTS}")

        assert busy(browser, sealed)[0] < FRAME
