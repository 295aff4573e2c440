"""What the owner of a service sees on its line: every call, with the caller's address. The watcher passes
calls on unchanged, so the service behind it is the shipped one.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

_PASSED_ON = ("authorization", "content-type")


@dataclass(frozen=True)
class Call:
    """One call as it was seen on the line."""

    moment: float
    address: str
    method: str
    path: str
    body: bytes = field(repr=False)

    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller that hung up before the answer is no trouble of the watcher's."""


class WatchedLine:
    """Stands before a service and writes down what comes; `rewrite` may change an answer, as a service that
    lies would.
    """

    def __init__(self, target: str) -> None:
        self.calls: list[Call] = []
        self.rewrite: Callable[[str, bytes], bytes] = lambda _path, answer: answer
        self._server = _Server(("127.0.0.1", 0), _handler(self, urlsplit(target).netloc))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(line: WatchedLine, target: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            address = str(self.client_address[0])
            line.calls.append(Call(time.monotonic(), address, self.command, self.path, body))
            headers = {name: self.headers[name] for name in _PASSED_ON if self.headers[name]}
            connection = http.client.HTTPConnection(target, timeout=120)
            try:
                connection.request(self.command, self.path, body or None, headers)
                answer = connection.getresponse()
                status, content = answer.status, line.rewrite(self.path, answer.read())
            except OSError:  # the service is down or too busy: the caller may try again
                status, content = 503, b"{}"
            finally:
                connection.close()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _pass  # noqa: N815 - names that http.server prescribes

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as above
            """Say nothing."""

    return Handler
