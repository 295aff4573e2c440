"""Calls to a service: JSON in, JSON out, refusals as one sentence, retries where a call may safely be
repeated.
"""

from __future__ import annotations

import io
import json
import ssl
import time
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import httpx

from crowdlog.crowd.bounded_answers import (
    FILE_SECONDS,
    MOST_FILE,
    MOST_JSON,
    MOST_SIGNED,
    SECONDS,
    UNPACKED,
    TooMuch,
    pieces,
)
from crowdlog.errors import CrowdlogError, InputError

# Refusals that pass by themselves: too slow, too many, overloaded, full.
_PASSING = {408, 429, 503, 507}
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 5.0


class Unreachable(CrowdlogError):  # noqa: N818 - a state of the network
    """The service did not take the call, but may later; nothing is lost by trying again."""


class Connection:
    """Keeps a connection to one service open.

    `retries`: how often a call that passing trouble stopped is made again.

    Every call of the protocol may be repeated: reports are idempotent, keys and credentials are bound to
    their request.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        cafile: str | None = None,
        retries: int = 5,
        timeout: float = 60,
    ) -> None:
        self.url, self._retries = url.rstrip("/"), retries
        headers = {**UNPACKED, **({"Authorization": f"Bearer {token}"} if token else {})}
        self._client = httpx.Client(headers=headers, timeout=timeout, verify=trusting(cafile))

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Return the JSON object that the service answers."""
        content = io.BytesIO()
        self._pour(method, path, body, content, MOST_JSON)
        try:
            answer = json.loads(content.getvalue())
        except (ValueError, RecursionError) as error:
            raise self._no_service() from error
        if not isinstance(answer, dict):
            raise self._no_service()
        return answer

    def fetch(self, path: str, to: Path) -> None:
        """Write a file that the service has."""
        with to.open("wb") as file:
            self._pour("GET", path, None, file, MOST_FILE, FILE_SECONDS)

    def _no_service(self) -> InputError:
        return InputError(f"{self.url} does not answer as a service of crowdlog; check the address.")

    def _pour(
        self, method: str, path: str, body: Any, to: IO[bytes], most: int, seconds: float = SECONDS
    ) -> None:
        """Make a call, again where passing trouble stopped it, and write what is answered."""
        pause = _FIRST_PAUSE
        for attempt in range(self._retries + 1):
            try:
                answer = self._exchange(method, path, body, to, most, seconds)
            except TooMuch as error:
                raise self._no_service() from error
            except httpx.TransportError as error:
                if "CERTIFICATE_VERIFY_FAILED" in str(error):
                    raise InputError(
                        f"The certificate of {self.url} is not trusted; name its authority's with --cafile "
                        "if you know that it is right."
                    ) from error
                problem = f"{self.url} cannot be reached; check the address and the network, then try again."
            except (httpx.InvalidURL, UnicodeError, ValueError) as error:
                raise InputError(
                    "The address of the service is not a URL; write it like https://host:8000."
                ) from error
            else:
                if answer.status_code not in _PASSING:
                    _refuse_failure(answer, self.url)
                    return
                problem = _sentence(answer, self.url)
            if attempt < self._retries:
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        raise Unreachable(problem)

    def _exchange(
        self, method: str, path: str, body: Any, to: IO[bytes], most: int, seconds: float
    ) -> httpx.Response:
        """Ask once. What is asked for goes to `to`; the answer that is returned holds a refusal's words."""
        to.seek(0)
        to.truncate()  # what came before the line broke
        with self._client.stream(method, self.url + path, json=body) as answer:
            if answer.is_success:
                for piece in pieces(answer, most, seconds):
                    to.write(piece)
                return httpx.Response(answer.status_code)
            try:
                said = b"".join(pieces(answer, MOST_SIGNED, SECONDS))
            except TooMuch:  # a proxy's page: its number tells whether the trouble passes
                said = b""
            return httpx.Response(answer.status_code, content=said)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()


def trusting(cafile: str | None) -> ssl.SSLContext | bool:
    """Return which certificates to trust: those of a file, or the usual ones."""
    if cafile is None:
        return True
    try:
        return ssl.create_default_context(cafile=cafile)
    except OSError as error:
        raise InputError(f"{cafile} is not a file of certificates to trust.") from error


def _refuse_failure(answer: httpx.Response, url: str) -> None:
    if answer.is_success:
        return
    if answer.is_client_error:
        raise InputError(_sentence(answer, url))
    raise Unreachable(_sentence(answer, url))


def _sentence(answer: httpx.Response, url: str) -> str:
    """The service's own sentence; a stranger's page is not repeated."""
    try:
        sentence = answer.json()["error"]
    except (ValueError, KeyError, TypeError, RecursionError):
        sentence = f"It answered {answer.status_code}."
    return f"{url}: {str(sentence)[:300]}"
