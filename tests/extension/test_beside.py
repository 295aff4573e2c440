"""What stands beside a search: suggestions of a crowd log, related tasks, questions at the end of a task, and
labels of pages; and from the answers she saves to `crowdlog frustration`.
"""

import base64
import hashlib
import io
import json
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from tests.extension.recording_proxy import RecordingProxy
from tests.extension.simulated import SAVE_BLOBS, replayed, started

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

DAY = 86_400
SUGGESTED = ["blue shoes size 42", "blue shoes leather"]
SHOES = "https://blue-shoes-1.example/"  # the first result, which she opens


def parquet(**columns: list[Any]) -> str:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, compression="zstd")
    return base64.b64encode(buffer.getvalue()).decode()


def keep_crowd_log(browser: Any) -> None:
    """Two files of a release, chosen on the page."""
    queries = parquet(query=["blue shoes", *SUGGESTED, "cake recipe"], count=[90, 60, 20, 70])
    pairs = parquet(query=["blue shoes"] * 2, next_query=SUGGESTED, count=[40, 10])
    files = json.dumps({"queries.parquet": queries, "pairs.parquet": pairs})
    browser.page("suggestions.html")
    browser.wait("!!document.querySelector('#files')")
    browser.run(
        f"const field = document.querySelector('#files'); const made = new DataTransfer();"
        f"for (const [name, text] of Object.entries({files})) "
        "made.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));"
        "field.files = made.files; field.dispatchEvent(new Event('change'));"
    )
    browser.wait("document.body.textContent.includes('Forget it')")


def join(browser: Any, study: str) -> None:
    browser.page("studies.html")
    browser.wait(f"!!document.querySelector('[data-study={study}] button.main')")
    browser.click(f"[data-study={study}] button.main")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait(f"!!document.querySelector('[data-study={study}] a')")


def select(browser: Any, label: str, value: str) -> None:
    find = f"[...document.querySelectorAll('select')].find(s => s.ariaLabel?.endsWith({json.dumps(label)}))"
    browser.wait(f"!!{find}")
    browser.run(
        f"const one = {find}; one.value = {json.dumps(value)}; one.dispatchEvent(new Event('change'))"
    )
    browser.wait(f"!{find}")  # it is labelled, and asked for no more
    browser.wait(f"document.querySelector('table').textContent.includes({json.dumps(f'label: {value}')})")


def suggestions(browser: Any) -> None:
    """In the popup, beside the page she searches on, and on their own page: links to the engine she used."""
    links = "[...document.querySelectorAll('li a[href*=google]')].map(a => a.textContent)"
    for page in ("popup.html", "suggestions.html"):
        browser.page(page)
        browser.wait(f"{links}.length >= 2")
        assert sorted(browser.run(f"return {links}")[:2]) == sorted(SUGGESTED)
    address = browser.run("return document.querySelector('#next a').href")
    assert address.startswith("https://www.google.com/search?q=blue")


def related(browser: Any) -> None:
    """The older task, once she has said that the current search is another one."""
    lines = "[...document.querySelectorAll('#related li')].map(li => li.textContent)"
    browser.page("assistant.html")
    browser.wait("document.querySelector('#tasks').getAttribute('aria-busy') === 'false'")
    browser.wait("document.querySelector('#related h2').textContent === \"Related to 'blue shoes'\"")
    own = "document.querySelector('#tasks article li select')"  # of the newest search
    browser.wait(f"!!{own}")
    browser.run(
        f"const field = {own}; field.dispatchEvent(new Event('focus')); field.value = 'new';"
        "field.dispatchEvent(new Event('change'))"
    )
    browser.wait(f"{lines}.length === 1 && {lines}[0].startsWith('blue shoes')")
    place = browser.run("return document.querySelector('#related a').getAttribute('href')")
    shown = f"document.querySelector({json.dumps(place)})?.textContent.includes('blue shoes red laces')"
    assert not browser.run(f"return {shown}")  # newer tasks fill the page
    browser.run("document.querySelector('#related a').click()")
    browser.wait(shown)

    # The same beside the page she searches on.
    browser.page("popup.html")
    browser.wait(f"{lines}.length === 1 && {lines}[0].startsWith('blue shoes')")
    address = browser.run("return document.querySelector('#related a').getAttribute('href')")
    assert address == f"assistant.html{place}"
    browser.page(address)
    browser.wait(shown)

    # The popup looks at the newest searches alone, and may know a task by another of its searches.
    newest = browser.run(
        f"return document.querySelector({json.dumps(place)}).querySelector('li').dataset.uid"
    )
    assert place != f"#task-{newest}"
    browser.page("help.html")
    browser.page(f"assistant.html#task-{newest}")
    browser.wait(shown)


def labels(browser: Any) -> None:
    browser.page("study.html#web-search-behavior")
    select(browser, f" {SHOES}", "useful")
    select(browser, f" {SUGGESTED[0]}", "yes")
    asked = browser.run("return [...document.querySelectorAll('select')].map(s => s.ariaLabel)")
    assert not [text for text in asked if text.endswith((SHOES, SUGGESTED[0]))]
    assert [text for text in asked if text.endswith(SUGGESTED[1])]  # is still to be labelled


def answer(browser: Any, about: str, choice: str) -> None:
    """At the end of a task, one question that waits behind the icon."""
    browser.events()
    browser.page("popup.html")
    browser.wait("document.querySelector('#waiting a')?.href.endsWith('study.html#frustration')")
    browser.page("study.html#frustration")
    browser.wait("document.querySelectorAll('.question').length === 1")
    shown = browser.run("return document.querySelector('.question h3').textContent")
    assert shown == f"Your search: {about}"
    browser.run(f"document.querySelector('.question select').value = {json.dumps(choice)}")
    browser.press("Save the answer")
    browser.wait("document.querySelectorAll('.question').length === 0")
    browser.wait("(await chrome.action.getBadgeText({})) === ''")


def forget(browser: Any, words: str) -> None:
    """What History deletes is in no answer any more: neither the query nor the page that was labelled."""
    browser.page("history.html")
    browser.wait("document.querySelectorAll('#list li').length > 0")
    browser.fill("#words", words)
    browser.press("Delete what is found")
    browser.wait("!!document.querySelector('dialog button')")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("document.querySelector('#number').textContent.startsWith('Deleted: ')")
    browser.page("study.html#frustration")
    browser.wait("document.querySelectorAll('table tbody tr').length === 1")
    assert words not in browser.run("return document.body.textContent")
    browser.page("study.html#web-search-behavior")
    browser.wait("document.body.textContent.includes('There are none.')")
    assert SHOES not in browser.run("return document.body.textContent")


def frustration(*arguments: Any) -> str:
    done = CliRunner().invoke(cli, ["frustration", *map(str, arguments)])
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_beside_a_search(name: str, start: Any, proxy: RecordingProxy, tmp_path: Path) -> None:
    browser = start(name)
    started(browser)
    before = int(time.time()) - 4 * DAY
    old = ["blue shoes red laces", "blue shoes red"]
    newer = [hashlib.sha256(bytes([n])).hexdigest()[:12] for n in range(35)]  # tasks of their own
    rows = [{"query": query, "time": before + 60 * n} for n, query in enumerate(old)]
    rows += [{"query": query, "time": before + 3600 * (n + 1)} for n, query in enumerate(newer)]
    replayed(browser, rows, len(rows))
    browser.events()  # they are in the log before a study could ask about them
    keep_crowd_log(browser)
    for study in ("frustration", "web-search-behavior"):
        join(browser, study)
    known = len(proxy.requests)
    browser.search("blue shoes", click=1)
    browser.wait_logged("result-click", "blue shoes")
    suggestions(browser)
    related(browser)
    labels(browser)

    # The first search of another task ends the one before; another search of the same task does not.
    browser.search("quantum entanglement lecture")
    answer(browser, "blue shoes", "not at all")
    browser.search("quantum entanglement lecture notes")
    browser.search("cake recipe")
    answer(browser, "quantum entanglement lecture notes", "very")

    # What she saves is a study: its numbers are those that are shown.
    browser.run(SAVE_BLOBS)
    browser.press("Save as a file")
    saved = browser.wait("window.saved")
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "her.json").write_text(saved, encoding="utf-8")
    first, second = json.loads(saved)["answers"]
    assert (first["label"], second["label"]) == (1, 4)
    assert first["values"]["characters"] == len("blue shoes")
    assert (first["values"]["task_actions"], first["values"]["urls"]) == (2, 1)
    assert (second["values"]["task_actions"], second["values"]["urls"]) == (2, 0)
    frustration("train", folder / "her.json", "-o", tmp_path / "model.json")
    (folder / "other.json").write_text(saved, encoding="utf-8")
    made = json.loads(frustration("vectors", folder, "-o", tmp_path / "store", "--json"))
    assert (made["people"], made["vectors"]) == (2, 4)
    found = ("find", folder, "--model", tmp_path / "model.json", "--train-tasks", 0)
    frustration(*found, "--merge", "global", "-o", tmp_path / "found.tsv")
    assert json.loads(frustration("score", tmp_path / "found.tsv", "--json"))["people"] == 2

    forget(browser, "blue shoes")

    # Nobody but the engine and the page she opened was told anything.
    asked = {one.host for one in proxy.requests[known:] if one.holds("shoes") or one.holds("quantum")}
    assert asked <= {"www.google.com", "blue-shoes-1.example"}
