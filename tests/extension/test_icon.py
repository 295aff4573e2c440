"""The icon, the popup and the Status page tell what is logged, also when the browser lets less be seen."""

from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

TITLE = "(await chrome.action.getTitle({}))"
ON = "Your searches are being logged, on this computer only"


def started(browser: Any) -> Any:
    browser.page("welcome.html")
    browser.press("Start logging")
    browser.wait("document.querySelectorAll('[role=status]').length === 1")
    browser.wait(f"{TITLE} === '{ON}'")
    return browser


def popup(browser: Any) -> list[str]:
    """What the popup says, and its picture."""
    browser.page("popup.html")
    browser.wait("!!document.querySelector('.state strong')")
    find = "document.querySelector('.state {}')".format
    words, picture = f"{find('strong')}.textContent", f"{find('img')}.getAttribute('src')"
    return list(browser.run(f"return [{words}, {picture}]"))


def test_one_engine_is_taken_back(start_stock: Any) -> None:
    """As she can in Firefox."""
    browser = started(start_stock("firefox"))
    browser.take_back("*://www.google.com/*")
    said = f"{ON}, but not on Google: the browser does not allow it"
    browser.wait(f"{TITLE} === '{said}'")
    assert popup(browser) == [said, "icons/some-32.png"]
    browser.search("not seen", logging=False)
    browser.search("seen", "bing")
    assert [event["query"] for event in browser.events() if event["kind"] == "search"] == ["seen"]
    browser.page("status.html")
    browser.press("Allow these engines again")
    browser.wait(f"{TITLE} === '{ON}'")
    browser.search("seen again")


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_all_engines_are_taken_back(name: str, start_stock: Any) -> None:
    browser = started(start_stock(name))
    browser.take_back_engines()
    said = "No search is recorded: the browser does not let CrowdLog see any search engine"
    browser.wait(f"{TITLE} === '{said}'")
    assert popup(browser) == [said, "icons/off-32.png"]
    browser.search("not seen", logging=False)
    browser.page("status.html")
    if name == "firefox":
        browser.press("Allow these engines again")
    else:  # without a screen it shows no question
        browser.wait("document.body.textContent.includes('Allow these engines again')")
        browser.site_access("ON_ALL_SITES")
    browser.wait(f"{TITLE} === '{ON}'")
    assert popup(browser) == [ON, "icons/on-32.png"]
    browser.search("seen again")
    asked = [event["query"] for event in browser.events() if event["kind"] == "search"]
    assert asked == ["seen again"]


def test_one_site_alone_is_allowed(start_stock: Any) -> None:
    """As Chromium does with "On this site": of an engine's pages those of one origin."""
    browser = started(start_stock("chromium"))
    browser.allow_site("https://www.google.com/*")
    browser.search("seen")
    browser.search("not seen", "bing", logging=False)
    said = f"{ON}, but not on Bing, DuckDuckGo, Yahoo!, Brave Search: the browser does not allow it"
    assert popup(browser) == [said, "icons/some-32.png"]
    asked = [event["query"] for event in browser.events() if event["kind"] == "search"]
    assert asked == ["seen"]
