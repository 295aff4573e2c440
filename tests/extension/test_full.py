"""A browser without room for the log: she is told, nothing is lost, and what she deletes stays deleted."""

from typing import Any

import pytest

from tests.extension.simulated import started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

TITLE = "(await chrome.action.getTitle({}))"
SAID = "could not be written into the log"
FULL = """
self.tried = 0;
self.before = [IDBObjectStore.prototype.add, IDBObjectStore.prototype.put];
IDBObjectStore.prototype.add = IDBObjectStore.prototype.put = () => {
  self.tried++;
  throw new DOMException('full', 'QuotaExceededError');
};
"""
ROOM = "[IDBObjectStore.prototype.add, IDBObjectStore.prototype.put] = self.before;"


def queries(browser: Any) -> list[str]:
    return [event["query"] for event in browser.events() if event["kind"] == "search"]


def delete_everything(browser: Any) -> None:
    browser.page("history.html")
    browser.press("Delete everything")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("document.querySelector('#number').textContent.startsWith('Deleted: ')")


def test_a_log_without_room(start: Any) -> None:
    browser = started(start("chromium"))
    browser.page("help.html")
    (worker,) = browser.context.service_workers
    worker.evaluate(f"() => {{ {FULL} }}")
    browser.search("blue shoes")  # it waits in the journal
    browser.watch(f"while (!{TITLE}.includes('{SAID}')) await new Promise((next) => setTimeout(next, 20))")
    browser.page("popup.html")
    browser.wait(f"document.querySelector('.state').textContent.includes('{SAID}')")
    tried = worker.evaluate("self.tried")
    answer = browser.run("return chrome.runtime.sendMessage({ do: 'drain' })")
    assert answer == {"error": {"sentence": "told_full", "values": []}}
    assert worker.evaluate("self.tried") < tried + 20  # failing is no work without an end
    worker.evaluate(f"() => {{ {ROOM} }}")
    browser.search("red hats")
    assert queries(browser) == ["blue shoes", "red hats"]
    browser.wait(f"!{TITLE}.includes('{SAID}')")

    worker.evaluate(f"() => {{ {FULL} }}")
    browser.search("green hats")
    delete_everything(browser)
    worker.evaluate(f"() => {{ {ROOM} }}")
    assert queries(browser) == []


def test_what_was_deleted_does_not_come_back(start: Any) -> None:
    """The background was stopped between writing a search into the log and forgetting that it waits."""
    browser = started(start("chromium"))
    browser.page("help.html")
    (worker,) = browser.context.service_workers
    worker.evaluate("() => { self.forget = chrome.storage.local.remove; }")
    worker.evaluate("() => { chrome.storage.local.remove = async () => undefined; }")
    browser.search("blue shoes")
    browser.page("history.html")
    browser.wait("document.querySelector('#list').textContent.includes('blue shoes')")
    worker.evaluate("() => { chrome.storage.local.remove = self.forget; }")
    delete_everything(browser)
    assert queries(browser) == []
