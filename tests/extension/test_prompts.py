"""The browser's own questions about permissions, with the extension as a store gets it: nothing is sent and
nothing is logged on a refusal.
"""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.studies.signed import catalogue
from tests.extension.browsers import Firefox, built, firefox
from tests.extension.engine_pages import SERVED
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.shared_browser import WAIT
from tests.support.volunteers import options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

ENGINE = {
    "version": 1,
    "id": "own",
    "name": "Own engine",
    "host": "www.own.example",
    "path": "/find",
    "query": "q",
    "page": None,
    "results": {"item": "li", "link": "a", "title": "a"},
}


@pytest.fixture
def browser(proxy: RecordingProxy, tmp_path: Path) -> Iterator[Firefox]:
    stock = built(tmp_path / "stock", grant=False)
    with firefox(stock, tmp_path / "profile", proxy.port, prompts=True) as running:
        yield running


def asked(proxy: RecordingProxy, host: str) -> int:
    return len([one for one in proxy.requests if one.host == host])


def held(browser: Firefox) -> list[list[str]]:
    """Hosts beyond those of the engines' pages, and kinds of data that may be sent; given back soon."""
    script = (
        "const { origins = [], data_collection = [] } = await chrome.permissions.getAll();"
        "const hostOf = (pattern) => pattern.split('/')[2];"
        "const engines = chrome.runtime.getManifest().content_scripts[0].matches.map(hostOf);"
        "const others = origins.filter((one) => !engines.includes(hostOf(one)));"
        "return [others.sort(), [...data_collection].sort()];"
    )
    return list(browser.run(script))


def wait_held(browser: Firefox, hosts: list[str], data: list[str]) -> None:
    end = time.monotonic() + WAIT
    while (found := held(browser)) != [hosts, data]:
        assert time.monotonic() < end, found
        time.sleep(0.1)


def test_all_pages_are_logged_only_when_the_browser_says_so(browser: Firefox) -> None:
    held = "await chrome.permissions.contains({ origins: ['https://*/*'] })"
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.press("Log pages too")
    assert "all websites" in browser.answer_prompt(yes=False)
    browser.wait("[...document.querySelectorAll('button')].some(b => b.textContent === 'Log pages too')")
    assert browser.run(f"return {held}") is False
    assert browser.run("return (await chrome.storage.local.get('pages')).pages ?? false") is False
    browser.press("Log pages too")
    browser.answer_prompt(yes=True)
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    assert browser.run(f"return {held}") is True


def test_no_request_before_the_browser_says_so(browser: Firefox, proxy: RecordingProxy) -> None:
    browser.page("studies.html")
    browser.fill("#catalogue", "https://nobody.example/catalogue.json")
    browser.press("Read it")
    assert "nobody.example" in browser.answer_prompt(yes=False)
    browser.wait("document.querySelector('#problems').textContent.length > 0")
    assert asked(proxy, "nobody.example") == 0
    browser.press("Read it")
    assert "nobody.example" in browser.answer_prompt(yes=True)
    browser.wait("document.querySelector('#problems').textContent.length > 0")  # it is no catalogue
    assert asked(proxy, "nobody.example") == 1
    (one,) = [one for one in proxy.requests if one.host == "nobody.example"]
    assert "moz-extension" not in str(one.headers)
    wait_held(browser, [], [])  # it was for one request


def test_feedback_asks_for_its_server_and_its_kind_of_data(browser: Firefox, proxy: RecordingProxy) -> None:
    address = "https://listening.example/words"
    SERVED["catalogue.example"] = json.dumps(catalogue([], [], SigningKey(b"s" * 32), address)).encode()
    SERVED["listening.example"] = b"{}"
    browser.page("studies.html")
    browser.fill("#catalogue", "https://catalogue.example/catalogue.json")
    browser.press("Read it")
    browser.answer_prompt(yes=True)
    browser.wait("document.body.textContent.includes('signed by')")
    wait_held(browser, [], [])
    browser.page("feedback.html")
    browser.fill("#feedback", "It works.")
    browser.press("Send to listening.example")
    asking = browser.answer_prompt(yes=False)
    assert "listening.example" in asking
    assert "technical and interaction data" in asking
    browser.wait("document.querySelector('#problems').textContent.length > 0")
    assert asked(proxy, "listening.example") == 0
    browser.press("Send to listening.example")
    browser.answer_prompt(yes=True)
    browser.wait("document.body.textContent.includes('Sent to listening.example.')")
    assert asked(proxy, "listening.example") == 1
    wait_held(browser, [], [])


def test_a_collection_asks_for_its_servers_and_for_search_terms(browser: Firefox, tmp_path: Path) -> None:
    with LocalServices(tmp_path / "services", options=options()) as services, services.operator() as operator:
        manifest, invitations = operator.create(Terms("Asked by the browser", 5), 5)
        browser.page("collections.html")
        browser.fill("#link", f"{manifest.aggregation.url}/collections/{manifest.id}#{invitations[0]}")
        browser.press("Read the terms")
        assert "search terms" not in browser.answer_prompt(yes=True)
        browser.wait("!!document.querySelector('#understood')")
        wait_held(browser, [], [])  # who reads terms and goes away leaves nothing allowed
        browser.click("#understood")
        browser.press("I agree, join")
        assert "search terms" in browser.answer_prompt(yes=False)
        browser.wait("document.querySelector('#problems').textContent.length > 0")
        assert operator.status(manifest.id)["joined"] == 0
        browser.press("I agree, join")
        browser.answer_prompt(yes=True)
        browser.wait("document.querySelector('article')?.dataset.state === 'joined'")
        assert held(browser) == [["http://127.0.0.1/*"], ["searchTerms"]]
        # What she takes back in the browser's settings is asked for again before anything goes on.
        browser.take_back("http://127.0.0.1/*")
        browser.page("collections.html")
        browser.press("Allow its servers again")
        browser.answer_prompt(yes=True)
        browser.wait("!!document.querySelector('article') && !document.querySelector('article .warn')")
        assert held(browser) == [["http://127.0.0.1/*"], ["searchTerms"]]
        browser.press("Leave")
        browser.wait("!!document.querySelector('dialog button')")
        browser.run("document.querySelector('dialog button').click()")
        browser.wait("document.querySelector('article')?.dataset.state === 'left'")
        wait_held(browser, [], [])


def test_an_engine_of_her_own(browser: Firefox, tmp_path: Path) -> None:
    file = tmp_path / "own.json"
    file.write_text(json.dumps(ENGINE))
    held = "await chrome.permissions.contains({ origins: ['https://www.own.example/*'] })"
    browser.page("status.html")
    browser.client.find_element("css selector", "#engine").send_keys(str(file))
    browser.wait("document.querySelector('#engine').dataset.engine === 'own'")
    browser.press("Add this engine")
    assert "own.example" in browser.answer_prompt(yes=False)
    browser.wait("document.querySelector('#problems').textContent.length > 0")
    assert browser.run("return (await chrome.storage.local.get('engines')).engines ?? []") == []
    browser.press("Add this engine")
    browser.answer_prompt(yes=True)
    browser.wait("document.body.textContent.includes('Own engine')")
    assert browser.run(f"return {held}") is True
    # What is no longer needed is given back.
    browser.press("Delete")
    browser.wait("!document.body.textContent.includes('Own engine')")
    assert browser.run(f"return {held}") is False
