"""A server on this machine that answers as no service would: without end, byte by byte, or packed."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = b" " * 65_536
MOST_SENT = 2**30  # nobody should ever take so much


class HostileServer(ThreadingHTTPServer):
    """`sent`: how many bytes of content the last caller took."""

    daemon_threads = True
    sent = 0
    status = 200


class _Handler(BaseHTTPRequestHandler):
    server: HostileServer

    def do_GET(self) -> None:
        self.server.sent = 0
        self.send_response(self.server.status)
        if self.path.startswith("/packed"):
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        try:
            self._answer()
        except OSError:  # the caller has had enough
            self.close_connection = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def _answer(self) -> None:
        if self.path.startswith("/packed"):
            self._send(gzip.compress(b'{"receipt": "' + b" " * 10**7 + b'"}'))
        elif self.path.startswith("/slow"):
            for _second in range(600):
                self._send(b" ")
                time.sleep(0.1)
        else:
            while self.server.sent < MOST_SENT:
                self._send(PIECE)

    def _send(self, content: bytes) -> None:
        self.wfile.write(content)
        self.server.sent += len(content)

    def log_message(self, *_words: object) -> None:
        pass


@contextmanager
def hostile_server() -> Iterator[HostileServer]:
    with HostileServer(("127.0.0.1", 0), _Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()
