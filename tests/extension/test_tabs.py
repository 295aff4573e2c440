"""Tabs that come and go while the background is stopped are logged; those of a pause are not."""

import time
from typing import Any

import pytest

from tests.extension.shared_browser import WAIT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

STOPS = 5
ABRUPT = 20
PASSING = "https://passing.example/"


def open_and_close(browser: Any, name: str) -> None:
    """A tab of its own, closed as soon as it is there."""
    if name == "chromium":
        session = browser.context.browser.new_browser_cdp_session()
        made = session.send("Target.createTarget", {"url": PASSING})["targetId"]
        session.send("Target.closeTarget", {"targetId": made})
        session.detach()
        return
    own = browser.client.current_window_handle
    made = browser.client.open(type="tab", focus=False)["handle"]
    browser.client.switch_to_window(made, focus=False)
    browser.client.close()
    browser.client.switch_to_window(own, focus=False)


def tabs_logged(browser: Any) -> list[tuple[str, int]]:
    everything = [event for event in browser.events() if event["kind"] in ("tab-add", "tab-remove")]
    return [(event["kind"], event["tab"]) for event in everything]


def wait_for_tabs(browser: Any, number: int) -> list[tuple[str, int]]:
    end = time.monotonic() + WAIT
    while len(found := tabs_logged(browser)) < number:
        assert time.monotonic() < end, found
    return found


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_a_stop_right_after_a_tab_was_closed(name: str, start: Any) -> None:
    """The background has been told, and is stopped before it could write."""
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    known = tabs_logged(browser)
    for _stop in range(ABRUPT):
        browser.run("await chrome.runtime.sendMessage({ do: 'badge' })")  # it runs
        open_and_close(browser, name)
        browser.stop_background()
    found = wait_for_tabs(browser, len(known) + 2 * ABRUPT)[len(known) :]
    by_tab: dict[int, list[str]] = {}
    for kind, tab in found:  # what one stop cut off may be written after the next tab has come
        by_tab.setdefault(tab, []).append(kind)
    assert list(by_tab.values()) == [["tab-add", "tab-remove"]] * ABRUPT


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_tabs(name: str, start: Any) -> None:
    browser = start(name)
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    known = tabs_logged(browser)
    for stop in range(1, STOPS + 1):
        browser.stop_background()
        open_and_close(browser, name)
        found = wait_for_tabs(browser, len(known) + 2 * stop)[len(known) :]
        assert [kind for kind, _tab in found] == ["tab-add", "tab-remove"] * stop
        assert [tab for _kind, tab in found[::2]] == [tab for _kind, tab in found[1::2]]
    # One that is opened in a pause, and stays, is not logged at its end; nor one that is closed in it.
    before = tabs_logged(browser)
    browser.page("popup.html")
    browser.press("Pause logging")
    browser.wait("document.querySelector('#toggle')?.textContent === 'Start logging'")
    open_and_close(browser, name)
    staying = "await chrome.tabs.create({ url: 'help.html', active: false })"
    tab = browser.run(f"const tab = {staying}; return tab.id;")
    browser.page("popup.html")
    browser.press("Start logging")
    browser.wait("document.querySelector('#toggle')?.textContent === 'Pause logging'")
    browser.stop_background()
    assert tabs_logged(browser) == before
    # Its closing is an event again.
    browser.run(f"await chrome.tabs.remove({tab})")
    assert wait_for_tabs(browser, len(before) + 1) == [*before, ("tab-remove", tab)]
