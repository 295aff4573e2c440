"""A page that is open when she takes something back is not logged any more, although it stays open."""

import json
from typing import Any

import pytest

from tests.extension.simulated import started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

ENGINE = {
    "version": 1,
    "id": "own",
    "name": "Own engine",
    "host": "www.own.example",
    "path": "/find",
    "query": "words",
    "page": None,
    "results": {"item": "p", "link": "a", "title": "a"},
}


def follow(browser: Any, name: str) -> None:
    """A click on a link of the open page, which stays."""
    browser.run(
        "const made = document.createElement('a');"
        f"made.href = 'https://followed.example/{name}';"
        "made.onclick = (event) => event.preventDefault();"
        "document.body.append(made); made.click();"
    )


def keep(browser: Any, **values: Any) -> None:
    """As the Status page does when a button is pressed; the open page knows it a moment later."""
    browser.watch(f"await chrome.storage.local.set({json.dumps(values)})")


def followed(browser: Any) -> list[str]:
    """In the log or on their way to it."""
    events = browser.events()
    targets = [event["target"] for event in events if event["kind"].endswith("click")]
    return [target.rsplit("/", 1)[1] for target in targets]


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_pages_and_engines_of_her_own(name: str, start: Any) -> None:
    browser = started(start(name), pages=True)
    browser.open("https://open.example/")
    browser.wait_logged("load", "https://open.example/")
    keep(browser, pages=False)
    follow(browser, "unseen")
    keep(browser, pages=True)
    follow(browser, "seen")
    assert followed(browser) == ["seen"]

    keep(browser, pages=False, engines=[ENGINE])
    browser.watch(
        "while ((await chrome.scripting.getRegisteredContentScripts()).length !== 1)"
        " await new Promise((next) => setTimeout(next, 20))"
    )
    browser.open("https://www.own.example/find?words=blue+shoes")
    browser.wait_logged("search", "blue shoes")
    follow(browser, "of-mine")
    keep(browser, engines=[])
    follow(browser, "of-nobody")
    assert followed(browser) == ["seen", "of-mine"]


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_an_engine_that_the_browser_takes_back(name: str, start_stock: Any) -> None:
    browser = started(start_stock(name))
    browser.search("blue shoes")
    follow(browser, "seen")
    if name == "firefox":
        browser.watch("")  # its tab, while addresses can be read
        browser.take_back("*://www.google.com/*")
    else:
        browser.take_back_engines()
    browser.watch(
        "while (!(await chrome.storage.local.get('blocked')).blocked?.includes('google'))"
        " await new Promise((next) => setTimeout(next, 20))"
    )
    follow(browser, "unseen")
    assert followed(browser) == ["seen"]
