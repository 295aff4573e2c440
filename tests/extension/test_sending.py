"""Sending by the browser's own alarm; striking out and leaving while reports are on their way; the end of the
time for sending. One person with a browser against real services, the others without one.
"""

import base64
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.operator import Operator, Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from tests.extension.engine_pages import ADDRESS, RESULT
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.shared_browser import WAIT
from tests.extension.simulated import started
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers"), pytest.mark.timeout(1800)]

K = 5
QUERIES = ["first of mine", "second of mine", "third of mine", "fourth of mine"]
OFTEN = 0.01  # minutes between two alarms, in place of one
ALARMS = 40


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    folder: Path = tmp_path_factory.mktemp("services")
    with LocalServices(folder, options=options()) as services, services.operator() as running:
        yield running


def until(condition: Callable[[], Any], what: str) -> Any:
    end = time.monotonic() + WAIT
    while not (value := condition()):
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.05)
    return value


def sealed(browser: Any, operator: Operator, upload_seconds: int = 60) -> Manifest:
    """A member whose reports wait; none of them is empty."""
    terms = Terms("Who sends when", K, limit=len(QUERIES), upload_seconds=upload_seconds)
    manifest, invitations = operator.create(terms, K)
    play_joining(manifest.to_json(), invitations[1:])
    now = int(time.time())
    rows = [{"user": "1", "query": query, "time": now - 60 * n} for n, query in enumerate(QUERIES)]
    browser.page("simulator.html")
    browser.run(f"document.querySelector('#rows').value = {json.dumps(chr(10).join(map(json.dumps, rows)))}")
    browser.press("Replay")
    browser.wait(f"document.querySelector('#state').dataset.done === '{len(rows)}'")
    browser.page("collections.html")
    browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
    browser.press("Read the terms")
    browser.wait("!!document.querySelector('#understood')")
    browser.click("#understood")
    browser.press("I agree, join")
    browser.wait("document.querySelector('article')?.dataset.state === 'joined'")
    browser.press("See what I would send")
    browser.wait(f"document.querySelectorAll('.artifact').length === {len(QUERIES)}")
    browser.press("Seal these reports")
    browser.wait("document.querySelector('article')?.dataset.state === 'waiting'")
    return manifest


def opened(operator: Operator, manifest: Manifest) -> None:
    operator.close(manifest.id)
    operator.wait_open(manifest.id)


def ring(browser: Any) -> None:
    """Let the browser's alarm come more often than each minute; count in the page how often it came."""
    browser.run(
        "window.rung ??= 0; chrome.alarms.onAlarm.addListener(() => { window.rung++; });"
        f"await chrome.alarms.create('send', {{ periodInMinutes: {OFTEN}, delayInMinutes: {OFTEN} }});"
    )


def left(proxy: RecordingProxy, manifest: Manifest) -> list[str]:
    """What was sent to the first mix, in hexadecimal, in order."""
    address = f"/collections/{manifest.id}/envelopes"
    bodies = [json.loads(one.body) for one in proxy.requests if one.url.endswith(address)]
    return [base64.b64decode(text).hex() for body in bodies for text in body["submissions"]]


def until_all_left(proxy: RecordingProxy, manifest: Manifest, reports: list[str]) -> None:
    """A report whose answer was lost with a stopped background is sent again, the same to the byte."""
    until(lambda: len(set(left(proxy, manifest))) == len(QUERIES), "the alarm has sent all reports")
    assert set(left(proxy, manifest)) == set(reports)


def waiting_reports(browser: Any) -> list[str]:
    browser.page("collections.html")
    browser.press("See the reports that wait")
    browser.wait("document.querySelectorAll('article code').length > 0")
    return list(browser.run("return [...document.querySelectorAll('article code')].map(c => c.textContent)"))


def shown(browser: Any, page: str, condition: str) -> None:
    """Wait until a page shows something, loading it anew: it does not redraw itself."""

    def look() -> bool:
        browser.page(page)
        browser.wait("document.querySelectorAll('main section').length > 0")
        return bool(browser.run(f"return {condition}"))

    until(look, condition)


NOTHING_ALLOWED = "document.body.textContent.includes('None: what you allow for one request is given back')"


def strike(browser: Any, report: str) -> None:
    line = f"[...document.querySelectorAll('article li')].find(l => l.textContent.includes('{report}'))"
    browser.run(f"{line}.querySelector('button').click()")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_the_alarm_sends(name: str, start: Any, operator: Operator, proxy: RecordingProxy) -> None:
    browser = start(name)
    manifest = sealed(browser, operator)
    # A background that starts often does not push the alarm away.
    alarm = "(await chrome.alarms.get('send'))?.scheduledTime"
    before = browser.wait(alarm)
    for _stop in range(3):
        browser.stop_background()
        browser.run("await chrome.runtime.sendMessage({ do: 'drain' })")
    assert browser.run(f"return {alarm}") == before
    # Before uploads are taken the first mix is asked seldom, at random.
    phase = f"{manifest.mixes[0].url}/collections/{manifest.id}"
    known = len([one for one in proxy.requests if one.url == phase])
    ring(browser)
    browser.wait(f"window.rung >= {ALARMS}")
    assert len([one for one in proxy.requests if one.url == phase]) - known < ALARMS / 2
    assert left(proxy, manifest) == []
    # Then the alarm starts the background, which sends; nobody presses anything.
    reports = waiting_reports(browser)
    opened(operator, manifest)
    browser.stop_background()
    until_all_left(proxy, manifest, reports)
    shown(browser, "collections.html", "document.querySelector('article')?.dataset.state === 'finished'")
    browser.wait("(await chrome.alarms.get('send')) === undefined")
    # What nothing needs any more is given back.
    shown(browser, "status.html", NOTHING_ALLOWED)


def test_after_the_time_for_sending(start: Any, operator: Operator, proxy: RecordingProxy) -> None:
    browser = start("chromium")
    browser.page("help.html")
    manifest = sealed(browser, operator, upload_seconds=1)
    browser.run("await chrome.alarms.clear('send')")  # the computer sleeps
    opened(operator, manifest)
    time.sleep(2)
    ring(browser)
    browser.wait("window.rung > 0")
    state = "(await chrome.alarms.get('send')) === undefined"
    browser.wait(state)
    shown(browser, "collections.html", "document.querySelector('article')?.dataset.state === 'missed'")
    text = browser.run("return document.querySelector('article').textContent")
    assert f"The time for sending is over; {len(QUERIES)} reports were not sent and are deleted." in text
    assert left(proxy, manifest) == []
    # The receipt holds what she agreed to, also what is not guaranteed.
    browser.press("Terms and receipt")
    unsure = json.dumps(manifest.consent.not_guaranteed)
    browser.wait(f"document.querySelector('article .warn:last-child')?.textContent.includes({unsure})")
    # Who comes again with a link keeps what she has: when she agreed to what, and how it ended.
    browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{'0' * 64}")
    browser.press("Read the terms")
    browser.wait("!!document.querySelector('#understood')")
    browser.click("#understood")
    browser.press("I agree, join")
    browser.wait("document.querySelector('#problems').textContent.length > 0")
    assert "already" in browser.run("return document.querySelector('#problems').textContent")
    browser.page("collections.html")
    browser.wait("document.querySelector('article')?.dataset.state === 'missed'")
    assert browser.run("return document.querySelector('article').textContent") == text


def test_striking_out_while_reports_are_sent(start: Any, operator: Operator, proxy: RecordingProxy) -> None:
    browser = start("chromium")
    manifest = sealed(browser, operator)
    opened(operator, manifest)
    reports = waiting_reports(browser)
    with proxy.holding("/envelopes"):
        browser.run("void chrome.runtime.sendMessage({ do: 'send' })")
        (flying,) = until(lambda: left(proxy, manifest), "the first report is on its way")
        struck = next(one for one in reports if one != flying)
        strike(browser, struck)
        browser.wait("document.body.textContent.includes('an empty report goes instead')")
        strike(browser, flying)
        browser.wait("document.querySelector('#problems').textContent.includes('may have left already')")
    until(lambda: len(left(proxy, manifest)) == len(QUERIES), "the others have followed")
    sent = left(proxy, manifest)
    assert struck not in sent
    assert set(reports) - set(sent) == {struck}
    assert len(set(sent)) == len(QUERIES)  # an empty one went instead


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_leaving_while_reports_wait(name: str, start: Any, operator: Operator, proxy: RecordingProxy) -> None:
    browser = start(name)
    manifest = sealed(browser, operator)
    opened(operator, manifest)
    browser.page("collections.html")
    with proxy.holding("/envelopes"):
        browser.run("void chrome.runtime.sendMessage({ do: 'send' })")
        until(lambda: left(proxy, manifest), "the first report is on its way")
        browser.press("Leave")
        browser.wait("!!document.querySelector('dialog button')")
        browser.run("document.querySelector('dialog button').click()")
        browser.wait("document.querySelector('article')?.dataset.state === 'left'")
    # The sending that was under way ends without another report; the next one finds nothing.
    assert browser.run("return (await chrome.runtime.sendMessage({ do: 'send' })).value") == 0
    assert len(left(proxy, manifest)) == 1
    assert browser.run("return (await chrome.alarms.get('send')) ?? null") is None
    kept = (
        "const request = indexedDB.open('crowdlog');"
        "const db = await new Promise((done) => { request.onsuccess = () => done(request.result); });"
        "const all = (store) => new Promise((done) => { const one = db.transaction(store).objectStore(store)"
        ".getAll(); one.onsuccess = () => done(one.result); });"
        "const [member] = await all('memberships'); const waiting = (await all('outbox')).length; db.close();"
        "return [waiting, 'credentials' in member, 'invitation' in member];"
    )
    assert browser.run(kept) == [0, False, False]
    shown(browser, "status.html", NOTHING_ALLOWED)
    # What is left of it goes when she likes.
    browser.page("collections.html")
    browser.press("Take it from this list")
    browser.wait("document.body.textContent.includes('You are in none.')")


PAGES = ["popup", "history", "plots", "assistant", "suggestions", "collections", "studies", "status", "help"]
UNREACHED = "document.body.textContent.includes('cannot be reached')"


def searched_offline(browser: Any) -> None:
    """On a page that was open before: another search of hers there, and a result that she opens."""
    browser.press_key()
    browser.run(
        f"history.pushState({{}}, '', '{ADDRESS['google'].format('cut')}'); document.body.append(' ')"
    )
    browser.wait_logged("search", "cut")
    browser.run(f"document.querySelector({json.dumps(RESULT['google'])}).click()")
    browser.wait_logged("result-click", "cut")
    until(browser.error_page, "the browser says that the result cannot be reached")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_without_a_network(name: str, start: Any, operator: Operator, proxy: RecordingProxy) -> None:
    """Logging goes on, every page opens, and what could not be sent is sent later."""
    browser = start(name)
    started(browser)
    manifest = sealed(browser, operator, upload_seconds=119)
    opened(operator, manifest)
    reports = waiting_reports(browser)
    browser.search("before")
    with proxy.cut():
        searched_offline(browser)
        for page in PAGES:
            browser.page(f"{page}.html")
            browser.wait("document.body.children.length > 1 && document.body.textContent.length > 100")
            assert browser.run("return document.querySelector('#problems')?.textContent ?? ''") == "", page
        assert browser.run("return (await chrome.runtime.sendMessage({ do: 'send' })).value") == 0
        shown(browser, "collections.html", UNREACHED)
        browser.stop_background()  # nothing of it is kept in memory alone
    assert left(proxy, manifest) == []
    browser.page("help.html")
    ring(browser)  # the next alarm
    until_all_left(proxy, manifest, reports)
    shown(browser, "collections.html", "document.querySelector('article')?.dataset.state === 'finished'")
    assert not browser.run(f"return {UNREACHED}")
    asked = [event["query"] for event in browser.events() if event["kind"] == "search"]
    assert sorted(asked) == sorted([*QUERIES, "before", "cut"])
