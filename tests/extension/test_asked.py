"""Only what she asked is a search: not what the browser makes ready, nor what a page does to its address."""

import json
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.extension.browsers import chromium, undriven_chromium
from tests.extension.engine_pages import ADDRESS, PAGES, answer_for
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.shared_browser import WAIT
from tests.extension.simulated import started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

BROWSERS = ["chromium", "firefox"]
SETTLED = 3  # seconds; longer than the content script waits for results


def searches(browser: Any) -> list[str]:
    return [event["query"] for event in browser.events() if event["kind"] == "search"]


def seen(proxy: RecordingProxy, *urls: str) -> None:
    """Wait until all of these have been asked for."""
    end = time.monotonic() + WAIT
    while missing := set(urls) - {one.url for one in proxy.requests}:
        assert time.monotonic() < end, missing
        time.sleep(0.05)


def test_a_page_made_ready_is_a_search_only_when_it_is_opened(
    extension: Path, playwright: Any, proxy: RecordingProxy, tmp_path: Path
) -> None:
    """Chromium loads pages in advance and runs their scripts; Firefox does not."""
    asked, never = ADDRESS["google"].format("asked"), ADDRESS["google"].format("never")
    rules = {"prerender": [{"urls": [asked, never], "eagerness": "immediate"}]}
    address = "https://www.google.com/search?x=start"
    go = f"setTimeout(() => document.querySelector('a').click(), {SETTLED * 2000})"
    PAGES[address] = (
        f"<!doctype html><title>start</title><script type='speculationrules'>{json.dumps(rules)}</script>"
        f"<a href='{asked}'>go</a><script>{go}</script>"
    )
    tell = "fetch(`https://tells.example/${document.prerendering}`, { mode: 'no-cors' })"
    script = f"<script>{tell}; document.addEventListener('prerenderingchange', () => {tell});</script>"
    for url in (asked, never):
        PAGES[url] = answer_for(url)[2].decode() + script
    # Started without a driver, which would keep the browser from making pages ready, in a new profile.
    on = tmp_path / "on"
    shutil.copytree(extension, on)
    background = on / "chromium/background.js"
    welcome, *rest = background.read_text().split('chrome.tabs.create({ url: "welcome.html" })')
    assert len(rest) == 1
    there = f"chrome.tabs.create({{ url: '{address}' }})"  # in the place of the welcome page
    begun = "chrome.storage.local.set({ logging: true, pages: true });"
    background.write_text(f"{welcome}{there}{rest[0]}\n{begun}\n")
    profile = tmp_path / "profile"
    with undriven_chromium(on, profile, proxy.port):
        seen(proxy, "https://tells.example/true", "https://tells.example/false")  # made ready, then opened
        time.sleep(SETTLED)
    with chromium(on, profile, proxy.port, playwright=playwright) as browser:
        events = browser.events()
    for url in (asked, never):
        del PAGES[url]
    assert [event["query"] for event in events if event["kind"] == "search"] == ["asked"]
    visited = [event["url"] for event in events if event["kind"] == "load"]
    assert [url for url in visited if url in (asked, never)] == [asked]


RESULTS = "document.querySelectorAll('#rso a')"


# What it does by itself, in the first seconds; scripts of a driver count as the person's doing.
EDITS = """
const edits = ['one&ia=web', 'one&ia=web#top', 'other', 'another'];
edits.forEach((edit, n) => setTimeout(() => {
  history[edit === 'another' ? 'pushState' : 'replaceState']({}, '', '/search?q=' + edit);
  document.body.append(' ');
}, 500 * (n + 1)));
"""


@pytest.mark.parametrize("name", BROWSERS)
def test_what_a_page_does_to_its_address_is_no_search(name: str, start: Any) -> None:
    address = ADDRESS["google"].format
    page = answer_for(address("one"))[2].decode() + f"<script>{EDITS}</script>"
    browser = started(start(name))
    browser.watch("return 0")
    PAGES[address("one")] = page
    browser.open(address("one"))
    del PAGES[address("one")]
    time.sleep(SETTLED)
    browser.wait("location.search === '?q=another'")
    # What she opens there belongs to what she asked.
    browser.run(f"{RESULTS}[1].addEventListener('click', e => e.preventDefault()); {RESULTS}[1].click()")
    browser.wait_logged("result-click", "one")
    # A page that changes its address when she does something has asked for her.
    browser.press_key()
    browser.run(f"history.pushState({{}}, '', '{address('two')}'); document.body.append(' ')")
    browser.wait_logged("search", "two")
    # Going back shows again what was asked, whatever the page adds to its address.
    browser.press_key()
    browser.run("history.back()")
    browser.wait("location.search === '?q=another'")
    browser.run("history.back()")
    browser.wait("location.search === '?q=other'")
    browser.run("history.forward(); await new Promise(r => addEventListener('popstate', r, { once: true }))")
    browser.run("history.forward()")
    browser.wait("location.search === '?q=two'")
    browser.run(f"{RESULTS}[2].addEventListener('click', e => e.preventDefault()); {RESULTS}[2].click()")
    browser.wait_logged("result-click", "two")
    time.sleep(SETTLED)
    events = browser.events()
    asked = [event for event in events if event["kind"] == "search"]
    assert [event["query"] for event in asked] == ["one", "two"]
    clicks = [event for event in events if event["kind"] == "result-click"]
    assert [(one["query"], one["search"]) for one in clicks] == [(one["query"], one["uid"]) for one in asked]


LATE = 6  # seconds; browsers know of a press for five

# An engine that only changes its address, late: by its field, a suggestion, a button for more; and by itself.
SLOW = f"""
<form><input id='asked'></form><ul><li id='suggested'>red hats</li></ul><p id='more'>More</p><p id='any'>x</p>
<script>
const late = (words) => setTimeout(() => {{
  history.pushState({{}}, '', '/search?q=' + words); document.body.append(' ');
}}, {LATE * 1000});
const on = (name, kind, act) => document.querySelector(name).addEventListener(kind, act);
on('form', 'submit', (event) => {{ event.preventDefault(); late(document.querySelector('#asked').value); }});
on('#suggested', 'click', () => late('red+hats'));
on('#more', 'click', () => late('red+hats&start=10'));
on('#any', 'click', () => late('of+the+page'));
</script>
"""


@pytest.mark.parametrize("name", BROWSERS)
def test_an_engine_may_take_its_time(name: str, start: Any) -> None:
    """Twenty-five seconds, most of them waiting."""
    browser = started(start(name))
    browser.watch("return 0")
    address = ADDRESS["google"].format("one")
    PAGES[address] = answer_for(address)[2].decode() + SLOW
    browser.open(address)
    del PAGES[address]
    browser.wait_logged("search", "one")
    browser.fill("#asked", "shoes")
    browser.press_enter("#asked")
    time.sleep(LATE + 1)  # not looked at meanwhile: scripts of a driver count as the person's doing
    browser.wait_logged("search", "shoes")
    for pressed in ("#suggested", "#more", "#any"):
        browser.click(pressed)
        time.sleep(LATE + 1)
    browser.wait("location.search === '?q=of+the+page'")
    time.sleep(SETTLED)
    asked = [(one["query"], one["start"]) for one in browser.events() if one["kind"] == "search"]
    assert asked == [("one", 1), ("shoes", 1), ("red hats", 1), ("red hats", 11)]


@pytest.mark.parametrize("name", BROWSERS)
def test_a_page_shown_again_is_no_search(name: str, start: Any) -> None:
    """Also in another tab, after the page has added to its address."""
    browser = started(start(name))
    browser.search("one")
    longer = ADDRESS["google"].format("one&ia=web")
    browser.run(f"history.replaceState({{}}, '', '{longer}'); location.reload()")
    browser.wait(f"location.href === '{longer}' && document.querySelectorAll('#rso a').length === 10")
    time.sleep(SETTLED)
    browser.run(f"{RESULTS}[1].addEventListener('click', e => e.preventDefault()); {RESULTS}[1].click()")
    browser.wait_logged("result-click", "one")
    browser.watch(
        f"const [tab] = await chrome.tabs.query({{ url: '{longer}' }});"
        "const made = await chrome.tabs.duplicate(tab.id);"
        f"await new Promise((resolve) => setTimeout(resolve, {SETTLED * 1000}));"
        "await chrome.tabs.remove(made.id); await chrome.tabs.update(tab.id, { active: true });"
    )
    events = browser.events()
    (asked,) = [event for event in events if event["kind"] == "search"]
    (click,) = [event for event in events if event["kind"] == "result-click"]
    assert click["search"] == asked["uid"]


@pytest.mark.parametrize("name", BROWSERS)
def test_a_tab_behind_is_a_search_when_it_is_looked_at(name: str, start: Any) -> None:
    browser = started(start(name))
    address = ADDRESS["google"].format("behind")
    tab = browser.watch(f"return (await chrome.tabs.create({{ url: '{address}', active: false }})).id")
    time.sleep(SETTLED)
    if name == "firefox":  # a driven Chromium takes every tab to be in sight
        assert browser.logged("search", "behind") == 0
    browser.watch(f"await chrome.tabs.update({tab}, {{ active: true }})")
    browser.wait_logged("search", "behind")


@pytest.mark.parametrize("name", BROWSERS)
def test_logging_begins_on_the_welcome_page_alone(name: str, start: Any) -> None:
    browser = start(name)
    for page in ("popup.html", "status.html"):
        browser.page(page)
        browser.wait("!!document.querySelector('a.button[href=\"welcome.html\"]')")
        labels = browser.run("return [...document.querySelectorAll('button')].map(b => b.textContent)")
        assert "Start logging" not in labels
    browser.page("simulator.html")
    browser.run('document.querySelector(\'#rows\').value = \'{"user": "1", "query": "a", "time": 1}\'')
    browser.press("Replay")
    browser.wait("document.querySelector('#state').dataset.done === '1'")
    browser.search("not yet", logging=False)
    assert searches(browser) == ["a"]
    started(browser)
    browser.page("popup.html")
    browser.press("Pause logging")
    browser.press("Start logging")
    browser.search("now")
    assert searches(browser) == ["a", "now"]
