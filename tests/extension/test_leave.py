"""Leaving: the log, collections, studies, answers and settings are gone, and so are granted hosts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.extension.browsers import Firefox, built, firefox
from tests.extension.recording_proxy import RecordingProxy

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

KEPT = """
const done = (request) => new Promise((resolve) => { request.onsuccess = () => resolve(request.result); });
const db = await done(indexedDB.open('crowdlog'));
const kept = {};
for (const name of db.objectStoreNames) {
  kept[name] = await done(db.transaction(name).objectStore(name).count());
}
db.close();
return kept;
"""


@pytest.fixture
def browser(proxy: RecordingProxy, tmp_path: Path) -> Iterator[Firefox]:
    stock = built(tmp_path / "stock", grant=False)
    with firefox(stock, tmp_path / "profile", proxy.port, prompts=True) as running:
        yield running


def test_nothing_is_left(browser: Any) -> None:
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.press("Log pages too")
    browser.answer_prompt(yes=True)
    browser.wait("document.querySelectorAll('[role=status]').length === 2")
    browser.search("blue shoes", click=1)
    browser.page("studies.html")
    browser.click("[data-study=post-query] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=post-query] a')")
    assert browser.events()
    before = browser.run(KEPT)
    assert before["events"] > 0
    assert before["studies"] == 1
    browser.page("leave.html")
    browser.press("Leave all collections and delete everything")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("document.querySelector('[role=status]')?.textContent.startsWith('Everything is deleted')")
    browser.search("after she left", logging=False)
    browser.page("leave.html")
    assert browser.events() == []
    assert set(browser.run(KEPT).values()) <= {0}
    assert browser.run("return await chrome.storage.local.get(null)") == {}
    assert browser.run("return await chrome.permissions.contains({ origins: ['https://*/*'] })") is False
    # Who comes back begins anew, and what she allows at installation still holds.
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.search("she came back")
    assert [event["query"] for event in browser.events() if event["kind"] == "search"] == ["she came back"]
