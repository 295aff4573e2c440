"""Which requests the rule about `Origin` is for, and what happens when hosts are taken or given back."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.extension.engine_pages import SERVED
from tests.extension.recording_proxy import Recorded, RecordingProxy
from tests.extension.shared_browser import WAIT

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browsers")]

BROWSERS = ["chromium", "firefox"]
SERVER = "https://server.example"

# A site whose worker asks another server.
WORKER = """
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
self.addEventListener('message', ({ data }) =>
  fetch(data, { method: 'POST', mode: 'no-cors', body: 'of the worker' }));
"""
SITE = """<!doctype html><title>site</title><script>
navigator.serviceWorker.register('/worker.js');
navigator.serviceWorker.ready.then((found) => { window.worker = found.active; });
</script>"""


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, text = ("text/javascript", WORKER) if self.path == "/worker.js" else ("text/html", SITE)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_args: object) -> None:
        """Nothing is printed."""


@contextmanager
def site() -> Iterator[str]:
    """Its address; a worker may be registered there, because it is on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def allow(browser: Any, origin: str) -> None:
    """As the extension notes it after a button named the server."""
    hosts = json.dumps({origin: {"why": "a test", "since": int(time.time() * 1000)}})
    browser.run(
        "const db = await new Promise((resolve, reject) => { const one = indexedDB.open('crowdlog');"
        " one.onsuccess = () => resolve(one.result); one.onerror = reject; });"
        "const change = db.transaction('state', 'readwrite');"
        f"change.objectStore('state').put({hosts}, 'hosts');"
        "await new Promise((resolve) => { change.oncomplete = resolve; }); db.close();"
    )


def post(browser: Any, url: str) -> Any:
    """What the gate answers to a page of the extension."""
    request = {"do": "call", "method": "POST", "url": url, "body": {}}
    return browser.run(f"return chrome.runtime.sendMessage({json.dumps(request)})")


def asked(proxy: RecordingProxy, url: str) -> list[Recorded]:
    return [one for one in proxy.requests if one.url == url]


def origin_of(request: Recorded) -> str | None:
    return {name.lower(): value for name, value in request.headers.items()}.get("origin")


def grant(browser: Any, *patterns: str) -> None:
    """On a click, as browsers want it."""
    ask = f"chrome.permissions.request({{ origins: {json.dumps(patterns)} }})"
    browser.run(
        "const made = document.createElement('button'); made.textContent = 'Grant';"
        f"made.onclick = () => {ask}.then((yes) => {{ made.dataset.done = yes; }});"
        "document.body.prepend(made);"
    )
    browser.press("Grant")
    browser.wait("document.querySelector('[data-done=true]')?.remove() === undefined")


def holds(browser: Any, pattern: str) -> bool:
    found = browser.run(f"return chrome.permissions.contains({{ origins: [{json.dumps(pattern)}] }})")
    return bool(found)


@pytest.mark.parametrize("name", BROWSERS)
def test_workers_of_other_sites_keep_their_origin(name: str, start: Any, proxy: RecordingProxy) -> None:
    """Also when they ask a server that the extension asks, too, without one."""
    SERVED["server.example"] = b"{}"
    browser = start(name)
    browser.page("help.html")
    allow(browser, SERVER)
    assert post(browser, f"{SERVER}/ours") == {"value": {}}
    with site() as address:
        browser.open(address)
        browser.wait("!!window.worker")
        browser.run(f"window.worker.postMessage('{SERVER}/theirs')")
        end = time.monotonic() + WAIT
        while not asked(proxy, f"{SERVER}/theirs"):
            assert time.monotonic() < end, "the worker asked nothing"
            time.sleep(0.05)
        (theirs,) = asked(proxy, f"{SERVER}/theirs")
        (ours,) = asked(proxy, f"{SERVER}/ours")
        assert (origin_of(ours), origin_of(theirs)) == (None, address)


@pytest.mark.parametrize("name", BROWSERS)
def test_a_server_that_was_taken_back_is_not_asked(
    name: str, start_stock: Any, proxy: RecordingProxy
) -> None:
    SERVED["server.example"] = b"{}"
    browser = start_stock(name)
    browser.page("help.html")
    allow(browser, SERVER)
    grant(browser, f"{SERVER}/*")
    assert post(browser, f"{SERVER}/before") == {"value": {}}
    browser.take_back(f"{SERVER}/*")
    answer = post(browser, f"{SERVER}/after")
    assert answer == {"error": {"sentence": "told_taken_back", "values": [SERVER]}}
    if name == "chromium":  # even if the browser's word came too late for the gate
        (worker,) = browser.context.service_workers
        worker.evaluate("chrome.permissions.contains = async () => true")
        answer = post(browser, f"{SERVER}/after")
        assert answer == {"error": {"sentence": "told_unreached", "values": [SERVER]}}
    assert [origin_of(one) for one in proxy.requests if one.host == "server.example"] == [None]


@pytest.mark.parametrize("name", BROWSERS)
def test_a_server_that_never_answers_is_told(name: str, start: Any) -> None:
    """Before the browser stops the background for it; about half a minute, of waiting."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        browser = start(name)
        browser.page("help.html")
        allow(browser, address)
        answer = post(browser, f"{address}/collections")
    assert answer == {"error": {"sentence": "told_no_answer", "values": [address]}}


@pytest.mark.parametrize("name", BROWSERS)
def test_pages_are_given_back_without_what_was_allowed_meanwhile(name: str, start_stock: Any) -> None:
    browser = start_stock(name)
    browser.page("status.html")
    browser.press("Log pages too")
    browser.wait("[...document.querySelectorAll('button')].some(b => b.textContent === 'Stop logging pages')")
    assert holds(browser, "https://anything.example/*")
    allow(browser, SERVER)
    grant(browser, f"{SERVER}/*")
    browser.press("Stop logging pages")
    browser.wait("[...document.querySelectorAll('button')].some(b => b.textContent === 'Log pages too')")
    assert not holds(browser, "https://anything.example/*")
    assert holds(browser, f"{SERVER}/*")
