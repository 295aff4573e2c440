"""A proxy on loopback that writes down every request a browser makes, answers for search engines with pages
of ours, and passes on only what goes to this machine.
"""

from __future__ import annotations

import base64
import datetime
import json
import re
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.extension.engine_pages import answer_for

LOOPBACK = ("127.0.0.1", "localhost")
# Seconds; longer than any test. A browser waits longer for a busy service than a minute.
PATIENCE = 1800


@dataclass(frozen=True)
class Recorded:
    method: str
    url: str
    headers: dict[str, str]
    body: bytes = field(repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    def holds(self, text: str) -> bool:
        """Whether a text stands anywhere in the request, header names and values included: as it is, in other
        case, escaped as in addresses, or in what its runs of base64 or hexadecimal digits stand for.
        """
        whole = " ".join([self.url, *self.headers, *self.headers.values()]).encode() + b" " + self.body
        readings = [whole, unquote_to_bytes(whole.replace(b"+", b" ")), *_decoded(whole)]
        return any(text.lower().encode() in one.lower() for one in readings)


def _decoded(whole: bytes) -> Iterator[bytes]:
    for run in re.findall(rb"[0-9A-Za-z+/_-]{8,}", whole):
        if len(run) % 2 == 0 and re.fullmatch(rb"[0-9a-fA-F]+", run):
            yield bytes.fromhex(run.decode())
        for start in range(4):  # a text may begin inside
            cut = run[start:].replace(b"-", b"+").replace(b"_", b"/")
            yield base64.b64decode(cut + b"A" * (-len(cut) % 4))


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # several browsers at once; what finds no place tries again a second later


class RecordingProxy:
    """`requests`: everything seen so far, in the order of arrival."""

    def __init__(self, folder: Path) -> None:
        self.requests: list[Recorded] = []
        self._passing: dict[str, threading.Event] = {}
        self.is_cut = False
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(_certificate(folder))
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self.port = self._server.server_address[1]

    @contextmanager
    def running(self) -> Iterator[RecordingProxy]:
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    @contextmanager
    def cut(self) -> Iterator[None]:
        """No network: connections end without an answer, also those that are open, and nothing is written
        down."""
        self.is_cut = True
        try:
            yield
        finally:
            self.is_cut = False

    @contextmanager
    def holding(self, ending: str) -> Iterator[None]:
        """Requests to addresses that end so are written down, and passed on only afterwards."""
        self._passing[ending] = threading.Event()
        try:
            yield
        finally:
            self._passing.pop(ending).set()

    def wait_for_passage(self, url: str) -> None:
        for ending, event in list(self._passing.items()):
            if url.endswith(ending):
                event.wait()

    def wrap(self, connection: socket.socket) -> ssl.SSLSocket:
        return self._context.wrap_socket(connection, server_side=True)


def _handler(proxy: RecordingProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        tunnel = ""

        def do_CONNECT(self) -> None:
            if proxy.is_cut:
                self.close_connection = True
                return
            self.send_response(200)
            self.end_headers()
            self.tunnel = f"https://{self.path.removesuffix(':443')}"
            try:
                self.connection = proxy.wrap(self.connection)
            except (ssl.SSLError, OSError):
                self.close_connection = True
                return
            self.rfile = self.connection.makefile("rb")
            self.wfile = self.connection.makefile("wb", buffering=0)  # type: ignore[assignment]

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if proxy.is_cut:
                self.close_connection = True
                return
            url = self.path if "://" in self.path else self.tunnel + self.path
            seen = Recorded(self.command, url, dict(self.headers.items()), body)
            proxy.requests.append(seen)
            proxy.wait_for_passage(url)
            status, kind, content = _passed_on(seen) if seen.host in LOOPBACK else answer_for(url)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_POST = do_PUT = do_HEAD = do_OPTIONS = do_GET  # noqa: N815 - names that http.server looks for

        def finish(self) -> None:
            super().finish()
            if self.tunnel:
                self.connection.close()

        def log_message(self, *_args: object) -> None:
            """Nothing is printed."""

    return Handler


def _passed_on(seen: Recorded) -> tuple[int, str, bytes]:
    dropped = ("host", "proxy-connection", "connection", "content-length", "accept-encoding")
    headers = {name: value for name, value in seen.headers.items() if name.lower() not in dropped}
    try:
        with httpx.Client(timeout=PATIENCE, trust_env=False) as client:
            answer = client.request(seen.method, seen.url, headers=headers, content=seen.body)
    except httpx.HTTPError as error:
        told = f"the tests' proxy could not ask: {type(error).__name__}"  # shown by the page that asked
        return 502, "application/json", json.dumps({"error": told}).encode()
    return answer.status_code, answer.headers.get("content-type", "text/plain"), answer.content


def _certificate(folder: Path) -> Path:
    """A certificate that nobody trusts; the browsers under test are told to take it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("www.google.com")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = folder / "proxy.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(secret + made.public_bytes(serialization.Encoding.PEM))
    return path
