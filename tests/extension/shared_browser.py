"""What tests do with a browser, whichever it is."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote_plus

from tests.extension.engine_pages import ADDRESS, RESULT

WAIT = 120.0  # a busy machine is slow


class Browser(Protocol):
    """What the tests do with a browser, whichever it is."""

    def open(self, url: str) -> None: ...
    def page(self, name: str) -> None: ...
    def run(self, script: str) -> Any:
        """Run the body of an async function in the page and return what it returns, as JSON."""
        ...

    def click(self, selector: str) -> None: ...
    def fill(self, selector: str, text: str) -> None: ...
    def press_key(self) -> None: ...
    def drag(self, source: str, target: str) -> None: ...
    def wait(self, condition: str) -> Any:
        """Wait until a JavaScript expression is true in the page; return its value."""
        ...

    def screenshot(self, path: Path, width: int) -> None: ...


class PageGoneError(Exception):
    """The page went away while a script ran in it: what the script did is not known."""


class NotClickedError(Exception):
    """The element was gone before it could be clicked."""


class Shared:
    """What both browsers do in the same way."""

    run: Any
    watch: Any
    open: Any
    page: Any
    click: Any
    click_once: Any

    def wait(self, condition: str) -> Any:
        end = time.monotonic() + WAIT
        while time.monotonic() < end:
            with contextlib.suppress(Exception):  # the page may be on its way to another
                if value := self.run(f"return {condition}"):
                    return value
            time.sleep(0.05)
        shown = self.run("return document.querySelector('#problems')?.textContent ?? location.href")
        raise AssertionError(f"waited in vain for {condition}; the page says: {shown}")

    def press(self, label: str) -> None:
        """Press the first button with this label, once. A page may draw itself anew until the click: the
        button is then looked for again; never after it.
        """
        buttons = "[...document.querySelectorAll('button')]"
        find = f"{buttons}.find(b => b.textContent === {json.dumps(label)} && !b.disabled)"
        unmark = "document.querySelectorAll('[data-press]').forEach(b => b.removeAttribute('data-press'))"
        end = time.monotonic() + WAIT
        while True:
            self.wait(f"(() => {{ {unmark}; {find}.setAttribute('data-press', '1'); return true; }})()")
            try:
                self.click_once("[data-press]")
                break
            except NotClickedError:
                if time.monotonic() > end:
                    raise
        with contextlib.suppress(Exception):  # the click may have led away
            self.run(unmark)

    def logged(self, kind: str, text: str) -> int:
        """How many events of a kind hold this query or address, in the log or on their way to it; read in
        a tab of its own, so that the page under test stays where it is.
        """
        held = f"e.kind === {json.dumps(kind)} && [e.query, e.url].includes({json.dumps(text)})"
        script = f"const all = await (async () => {{ {READ_LOG} }})();" + READ_JOURNAL
        return int(self.watch(f"{script} return new Set(all.filter(e => {held}).map(e => e.uid)).size;"))

    def wait_logged(self, kind: str, text: str, number: int = 1) -> None:
        end = time.monotonic() + WAIT
        while (found := self.logged(kind, text)) < number:
            assert time.monotonic() < end, f"{found} instead of {number} events {kind} of {text!r}"
            time.sleep(0.05)

    def search(self, query: str, engine: str = "google", click: int = 0, logging: bool = True) -> None:
        """Search, wait until the log has it (unless it must not), and open the result of this rank."""
        before = self.logged("search", query) if logging else 0
        self.open(ADDRESS[engine].format(quote_plus(query)))
        self.wait(f"document.querySelectorAll({json.dumps(RESULT[engine])}).length > 0")
        if logging:
            self.wait_logged("search", query, before + 1)
        else:
            time.sleep(1)  # nothing to wait for: nothing may come
        if click:
            self.run(f"document.querySelectorAll({json.dumps(RESULT[engine])})[{click - 1}].click()")
            self.wait(f"!location.href.startsWith({json.dumps(ADDRESS[engine].split('?')[0] + '?')})")

    def events(self) -> list[dict[str, Any]]:
        """The whole log, read in an extension page."""
        self.page("help.html")
        self.run("await chrome.runtime.sendMessage({ do: 'drain' })")
        return list(self.run(READ_LOG))


READ_LOG = """
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = reject;
});
const db = await done(indexedDB.open('crowdlog'));
const all = await done(db.transaction('events').objectStore('events').getAll());
db.close();
return all;
"""
READ_JOURNAL = """
for (const [name, event] of Object.entries(await chrome.storage.local.get(null))) {
  if (name.startsWith('event:')) all.push(event);
}
"""
