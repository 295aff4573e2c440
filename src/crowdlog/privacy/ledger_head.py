"""The end of a ledger, kept beside the log: whoever brings an older ledger back is noticed."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.json_safe import strict_json
from crowdlog.privacy.journal import Journal, Line

HEAD = "ledger.head"
_LONGEST = 1000  # characters of such a file: a number and a hash


class LedgerHead:
    """A small file with the number and hash of the last line that was seen.

    The folder is held open: when another store comes to lie at the path, its file is not touched.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._folder = os.open(path.parent, os.O_RDONLY)
        except OSError:  # the ledger's own opening says what is missing
            self._folder = -1

    def read(self) -> tuple[int, str] | None:
        """Line and hash; None where the file is missing or damaged."""
        try:
            with open(self.path.name, encoding="ascii", opener=self._opener) as file:
                stored = strict_json(file.read(_LONGEST))
        except (OSError, ValueError):
            return None
        line, digest = (stored.get(name) for name in ("line", "hash")) if isinstance(stored, dict) else (0, 0)
        return (line, digest) if type(line) is int and line > 0 and isinstance(digest, str) else None

    def keep(self, line: int, digest: str) -> None:
        """After the line is safe. It may fail, or be killed: a head that lags behind is still one that the
        ledger continues.
        """
        known = self.read()
        if known is not None and known[0] >= line:
            return
        new = f"{self.path.name}.{os.getpid()}.new"
        with suppress(OSError):
            with open(new, "w", encoding="ascii", opener=self._opener) as file:
                json.dump({"line": line, "hash": digest}, file)
            os.replace(new, self.path.name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def forget(self) -> None:
        with suppress(OSError):
            os.unlink(self.path.name, dir_fd=self._folder)

    def close(self) -> None:
        if self._folder >= 0:
            os.close(self._folder)
            self._folder = -1

    def _opener(self, name: str, flags: int) -> int:
        return os.open(name, flags, 0o600, dir_fd=self._folder)


def check_head(
    journal: Journal, head: LedgerHead, seen: tuple[int, str] | None, lines: Sequence[Line]
) -> None:
    """Refuse a ledger that lacks the last line that was seen of it: it is older, or was emptied."""
    accept = "crowdlog check STORE --accept-ledger"
    if seen is None:
        raise InputError(
            f"{head.path}, in which the end of the ledger is kept, is missing or damaged, so nobody can tell "
            f"whether the ledger is the newest. If you know that it is: {accept}"
        )
    number, digest = seen
    if number > len(lines) or lines[number - 1].hash != digest:
        raise InputError(
            f"The ledger {journal.name} is older than its store, or was emptied: "
            f"it has {len(lines)} lines, and {head.path} knows line {number}. "
            f"Put the newest ledger back. If it is lost: {accept}, then book what the labels of the "
            "missing releases say: "
            "crowdlog budget STORE --book EPSILON DELTA"
        )
