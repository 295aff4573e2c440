"""A page stays where it is when something is done in it: it does not jump, who works with the keyboard keeps
her place, and what goes wrong is told in sight. Entries lead to what they tell of.
"""

import time
from typing import Any

import pytest

from tests.extension.simulated import replayed, started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

FOCUSED = "document.activeElement"
LINES = "[...document.querySelectorAll('#list li')]"
NUMBER = "document.querySelector('#number').textContent"
PHONE = {"width": 360, "height": 640}


@pytest.fixture
def browser(start: Any) -> Any:
    return started(start("chromium"))


def rows(number: int) -> list[dict[str, Any]]:
    """In order of time, number 0 last; each has its click."""
    now = int(time.time()) - 600
    return [
        {"query": f"asked {n}", "time": now - 60 * n, "rank": 1, "url": f"https://page{n}.example/"}
        for n in reversed(range(number))
    ]


def place(browser: Any) -> float:
    return float(browser.run("return scrollY"))


def test_the_keyboard_keeps_its_place(browser: Any) -> None:
    browser.page("status.html")
    for label, then in (("Pause logging", "Start logging"), ("Start logging", "Pause logging")):
        find = f"[...document.querySelectorAll('button')].find(b => b.textContent === '{label}')"
        browser.wait(f"!!{find}")
        browser.run(f"{find}.focus()")
        browser.tab.keyboard.press("Enter")
        browser.wait(f"{FOCUSED}.textContent === '{then}' && !{FOCUSED}.disabled")
    browser.page("popup.html")
    browser.wait("!!document.querySelector('#toggle')")
    browser.run("document.querySelector('#toggle').focus()")
    browser.tab.keyboard.press("Enter")
    browser.wait(f"{FOCUSED}.id === 'toggle' && {FOCUSED}.textContent === 'Start logging'")


def test_labelling_page_after_page(browser: Any) -> None:
    replayed(browser, rows(20), 40)
    browser.page("studies.html")
    browser.click("[data-study=web-search-behavior] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    assert (
        browser.run(f"return {FOCUSED}.textContent") == "Cancel"
    )  # a key that was pressed twice agrees to nothing
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("!!document.querySelector('[data-study=web-search-behavior] a')")
    browser.tab.set_viewport_size(PHONE)
    browser.page("study.html#web-search-behavior")
    fields = "[...document.querySelectorAll('li select')]"
    browser.wait(f"{fields}.length === 20")
    line = browser.run("return document.querySelector('li:has(select)').textContent")
    assert "Your search: asked 0" in line
    assert browser.run("return document.querySelector('li:has(select) a').href") == "https://page0.example/"
    browser.run(f"{fields}[12].scrollIntoView({{ block: 'center' }}); {fields}[12].focus()")
    before = place(browser)
    assert before > 500
    browser.run(f"{fields}[12].value = 'useful'; {fields}[12].dispatchEvent(new Event('change'))")
    browser.wait(f"{fields}.length === 19")
    assert abs(place(browser) - before) < 5
    assert browser.run(f"return {FOCUSED}.ariaLabel").endswith("https://page13.example/")


def test_history_goes_back_as_far_as_she_likes(browser: Any) -> None:
    replayed(browser, rows(225), 450)
    browser.page("history.html")
    browser.run("document.querySelector('#kind').value = 'search,result-click,link-click,load'")
    browser.run("document.querySelector('#kind').dispatchEvent(new Event('change'))")
    for number in (200, 400, 450):
        browser.wait(f"{LINES}.length === {number}")
        if number < 450:  # who presses a key goes on at the first line that came
            more = "[...document.querySelectorAll('button')].find(b => b.textContent === 'Show older ones')"
            browser.run(f"{more}.focus()")
            browser.tab.keyboard.press("Enter")
            browser.wait(f"{LINES}.indexOf({FOCUSED}.closest('li')) === {number}")
    browser.wait("![...document.querySelectorAll('button')].some(b => b.textContent === 'Show older ones')")
    texts = browser.run(f"return {LINES}.map(li => li.querySelector('.grow').textContent)")
    searches = [text for text in texts if text.startswith("asked")]
    assert len(set(texts)) == 450
    assert [text.split("Search")[0] for text in searches] == [f"asked {n}" for n in range(225)]
    days = browser.run("return [...document.querySelectorAll('#list h3')].map(h => h.textContent)")
    assert len(days) == len(set(days))

    # An entry opens its page; one of them goes, with what belongs to it, and she stays where she was.
    find = f"{LINES}.find(li => li.textContent.includes('asked 150Search'))"
    assert browser.run(f"return {find}.querySelector('a').href").startswith(
        "https://engine.example/search?q=asked"
    )
    browser.run(f"{find}.scrollIntoView({{ block: 'center' }}); {find}.querySelector('button').focus()")
    before = place(browser)
    browser.tab.keyboard.press("Enter")
    browser.wait(f"{NUMBER} === 'Deleted: 2'")
    assert browser.run(f"return {LINES}.length") == 448
    assert abs(place(browser) - before) < 200  # two lines are gone
    assert browser.run(f"return {FOCUSED}.ariaLabel") == "Delete: https://page151.example/"
    # A key that is held deletes one line, not all below it.
    browser.tab.keyboard.down("Enter")
    browser.wait(f"{LINES}.length === 447")
    for _again in range(3):
        browser.tab.keyboard.down("Enter")
    browser.tab.keyboard.up("Enter")
    time.sleep(0.5)
    assert browser.run(f"return {LINES}.length") == 447


def test_what_is_found_without_a_filter_is_the_whole_log(browser: Any) -> None:
    replayed(browser, rows(3), 6)
    browser.page("history.html")
    browser.wait(f"{LINES}.length > 5")
    browser.press("Delete what is found")
    browser.wait("document.querySelector('dialog')?.textContent.startsWith('Delete all ')")
    browser.press("Cancel")
    browser.fill("#words", "nothing like it")
    browser.wait(f"{NUMBER} === 'Nothing fits.'")


def test_what_goes_wrong_is_told_in_sight(browser: Any) -> None:
    browser.tab.set_viewport_size(PHONE)
    browser.page("studies.html")
    browser.wait("!!document.querySelector('#catalogue')")
    browser.fill("#catalogue", "no address")
    browser.press("Read it")
    browser.wait("document.querySelector('#problems').textContent.includes('must look like')")
    assert place(browser) > 500
    problem = "document.querySelector('.problem').getBoundingClientRect()"
    top, bottom = browser.run(f"const {{ top, bottom }} = {problem}; return [top, bottom]")
    assert 0 <= top < bottom <= PHONE["height"]


def test_an_address_that_is_no_link_leaves_a_page_to_work_with(browser: Any) -> None:
    browser.page("collections.html#%zz")
    browser.wait("document.querySelector('#link')?.value === ''")
    browser.press("Read the terms")
    browser.wait("document.querySelector('#problems').textContent.includes('must look like')")
    browser.page("study.html#%zz")
    browser.wait("document.body.textContent.includes('You do not take part in this study.')")
