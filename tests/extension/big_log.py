"""A long log, written by the extension's own store, and how busy a page was meanwhile."""

from __future__ import annotations

import json
import random
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

from tests.extension.browsers import ROOT, Chromium

_PORTION = 5_000
_TASKS = ["-*", "disabled-by-default-devtools.timeline", "devtools.timeline", "toplevel"]


# As the content scripts write them: a search has its ten results.
_EVENTS = """
const site = (n) => `https://www.site${n}.example/a/path/of/some/length/${n}.html`;
const shown = (query) => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((rank) =>
  ({ rank, title: `${query}: what everybody should know about it, part ${rank}`, url: site(rank) }));
const events = rows.map(([time, kind, query, url]) => ({
  uid: crypto.randomUUID(), time, kind, query, url, title: query, engine: 'google',
  ...(kind === 'search' ? { start: 1, results: shown(query) } : {}),
}));
"""


def queries(number: int, seed: int) -> list[str]:
    """Queries of one to four words, of 3,000 words of which some are frequent."""
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(3000)]
    return [
        " ".join(words[int(draw.random() ** 2 * len(words))] for _ in range(draw.randint(1, 4)))
        for _ in range(number)
    ]


def write_log(browser: Chromium, texts: Sequence[str], searches: int) -> None:
    """An event a minute until now; every so many-th is a search, the others are page loads."""
    command = ["npx", "esbuild", "src/store/events.ts", "--bundle", "--format=iife", "--global-name=log"]
    store = subprocess.run(command, cwd=ROOT / "extension", check=True, capture_output=True, text=True).stdout
    now = int(time.time() * 1000)
    every = len(texts) // searches
    for start in range(0, len(texts), _PORTION):
        rows = []
        for n in range(start, min(start + _PORTION, len(texts))):
            address = f"https://engine.example/search?q={texts[n].replace(' ', '+')}"
            kind = "search" if n % every == 0 else "load"
            rows.append([now - 60_000 * (len(texts) - n), kind, texts[n], address])
        browser.run(f"{store}; const rows = {json.dumps(rows)}; {_EVENTS} await log.addEvents(events);")


def answer_times(browser: Chromium, words: str) -> list[float]:
    """Milliseconds from a search in the open history page to the first lines of its answer, ten times."""
    times = []
    for _repeat in range(10):
        browser.run("delete document.querySelector('#list').dataset.milliseconds")
        typed = f"const field = document.querySelector('#words'); field.value = {json.dumps(words)};"
        browser.run(f"{typed} field.dispatchEvent(new Event('input'))")
        times.append(float(browser.wait("document.querySelector('#list').dataset.milliseconds")))
    return times


def busy(browser: Chromium, work: Callable[[], Any]) -> list[float]:
    """Milliseconds of each task of pages' main threads while something was done, longest first. Of the
    thread's own processor time: a busy machine lengthens the clock's.
    """
    whole = browser.context.browser
    browser.tab.bring_to_front()  # frames of a tab behind another are rare
    whole.start_tracing(page=browser.tab, categories=_TASKS)
    work()
    events = json.loads(whole.stop_tracing())["traceEvents"]
    named = [one for one in events if one["name"] == "thread_name"]
    threads = {(one["pid"], one["tid"]) for one in named if one["args"]["name"] == "CrRendererMain"}
    ran = [one for one in events if one["name"] == "RunTask" and (one["pid"], one["tid"]) in threads]
    return sorted((one["tdur"] / 1000 for one in ran if "tdur" in one), reverse=True)
