"""Search Task Assistant: searches moved from task to task by hand, in both browsers."""

import json
import time
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

TASKS = {
    "shoes": ["blue shoes", "blue shoes size 42"],
    "trains": ["train times", "train times tomorrow"],
    "cake": ["cake recipe"],
}


def replayed(browser: Any) -> None:
    """A task a day, so that the model has no doubt."""
    now = int(time.time())
    rows = [
        {"user": "1", "query": query, "time": now - 86_400 * day + 60 * n}
        for day, task in enumerate(TASKS.values(), 1)
        for n, query in enumerate(task)
    ]
    browser.page("simulator.html")
    text = json.dumps("\n".join(map(json.dumps, rows)))
    browser.run(f"document.querySelector('#rows').value = {text}")
    browser.press("Replay")
    browser.wait("document.querySelector('#state').dataset.done === '5'")


GROUPS = """
[...document.querySelectorAll('#tasks article')].map((task) =>
  [...task.querySelectorAll('li')].map((line) => line.querySelector('.grow').textContent).sort())
"""


def groups(browser: Any) -> list[list[str]]:
    return sorted(browser.run(f"return {GROUPS.strip()}"))


def marked(browser: Any, name: str, query: str) -> None:
    """Names the line of a query and its task, for a selector."""
    line = (
        f"[...document.querySelectorAll('#tasks li')]"
        f".find(li => li.querySelector('.grow').textContent === {json.dumps(query)})"
    )
    browser.wait("document.querySelector('#tasks').getAttribute('aria-busy') === 'false'")
    browser.wait(f"!!{line}")
    browser.run(f"const li = {line}; li.id = '{name}'; li.closest('article').id = '{name}-task'")


def wait_groups(browser: Any, wanted: list[list[str]]) -> None:
    browser.wait(
        f"JSON.stringify({GROUPS}.sort()) === {json.dumps(json.dumps(sorted(wanted), separators=(',', ':')))}"
    )


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_searches_are_dragged_from_task_to_task(name: str, start: Any) -> None:
    browser = start(name)
    replayed(browser)
    browser.page("assistant.html")
    shoes, trains, cake = TASKS.values()
    wait_groups(browser, [shoes, trains, cake])
    marked(browser, "cake", "cake recipe")
    marked(browser, "trains", "train times")
    browser.drag("#cake .grow", "#trains-task h3")
    wait_groups(browser, [shoes, [*cake, *trains]])
    browser.page("assistant.html")
    wait_groups(browser, [shoes, [*cake, *trains]])
    marked(browser, "blue", "blue shoes")
    browser.drag("#blue .grow", "#new-task")
    wait_groups(browser, [["blue shoes"], ["blue shoes size 42"], [*cake, *trains]])
    # What she said is kept, also for a fresh grouping.
    browser.page("assistant.html")
    wait_groups(browser, [["blue shoes"], ["blue shoes size 42"], [*cake, *trains]])
    # The keyboard's way.
    marked(browser, "again", "blue shoes")
    browser.run("document.querySelector('#again select').dispatchEvent(new Event('focus'))")
    options = "[...document.querySelectorAll('#again select option')]"
    find = f"{options}.find(one => one.textContent === 'blue shoes size 42').value"
    browser.run(
        f"const field = document.querySelector('#again select'); field.value = {find};"
        "field.dispatchEvent(new Event('change'))"
    )
    wait_groups(browser, [shoes, [*cake, *trains]])
    # Searching tasks.
    browser.fill("#words", "tomorrow")
    wait_groups(browser, [[*cake, *trains]])
