"""The trail of a service: which role made which call that changes something, or looks at a crowd log before
it is public. Written before the call is answered; each line holds the hash of the one before.

It names calls and collections, never what was sent, and nobody's address.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from crowdlog.crowd.services.storage import StorageFull
from crowdlog.errors import InputError

FILE = "trail.jsonl"
_START = "0" * 64


class Trail:
    """A file in the folder of one service, which its workers share."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._lock = threading.Lock()
        self._known: tuple[int, str] | None = None  # size of the file and the hash of its last line

    def add(self, role: str, call: str) -> None:
        """Write one line, on disk when this returns; what cannot be written down is not done."""
        with self._lock:
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
                with os.fdopen(descriptor, "r+b") as file:
                    _lock(file)
                    self._append(file, role, call)
            except OSError as error:
                self._known = None
                raise StorageFull("The trail of this service cannot be written; nothing was done.") from error

    def _append(self, file: BinaryIO, role: str, call: str) -> None:
        size = file.seek(0, os.SEEK_END)
        if self._known is None or self._known[0] != size:
            self._known = (size, (self.lines() or [{"hash": _START}])[-1]["hash"])
        line = {"time": int(time.time()), "role": role, "call": call, "before": self._known[1]}
        line["hash"] = _hash(line)
        # what a crash left of a line before must not swallow this one
        cut_short = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
        file.write((b"\n" if cut_short else b"") + json.dumps(line).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())
        self._known = (file.tell(), str(line["hash"]))

    def lines(self) -> list[dict[str, Any]]:
        """Every whole line, checked against the one before; a line cut short by a crash was not answered."""
        if not self._path.exists():
            return []
        lines: list[dict[str, Any]] = []
        last = _START
        for text in self._path.read_text().splitlines():
            try:
                line = json.loads(text)
                whole = line.pop("hash")
            except (ValueError, KeyError, AttributeError):
                continue
            if line.get("before") != last or _hash(line) != whole:
                raise InputError("The trail was changed: a line does not follow from the one before.")
            last = whole
            lines.append({**line, "hash": whole})
        return lines


def _lock(file: BinaryIO) -> None:
    """Wait for the other workers of the service, which share the file."""
    try:
        import fcntl
    except ImportError:  # elsewhere than on Unix a service is one process
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def _hash(line: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(line, sort_keys=True).encode()).hexdigest()
