"""Folders for what is not kept: they go with the work, and with the next work if it was killed.

Such a folder may hold text of a log (a comparison's trials, a log that was read from a pipe). A process that
is killed cannot remove its own; so each is locked while its process lives, and whoever makes the next one
removes those of the same user that nobody holds.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from crowdlog.files.locks import hold

_PREFIX = "crowdlog-scratch-"
# As mkdtemp names them: nothing that somebody made by hand is taken for one.
_OURS = re.compile(re.escape(_PREFIX) + r"[a-z]+-[a-z0-9_]{8}")


class Scratch:
    """A new folder in the system's place for temporary files, for its owner alone. `kind`: what it is for."""

    def __init__(self, kind: str) -> None:
        sweep(Path(tempfile.gettempdir()))
        while True:
            # mkdtemp's folders have mode 0700.
            self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-"))
            try:
                self._lock = hold(self.path, make=False)
            except (FileNotFoundError, BlockingIOError):  # swept before it was locked
                continue
            return

    def cleanup(self) -> None:
        """Remove it with everything in it. Twice does no harm."""
        if self._lock < 0:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1

    def __enter__(self) -> Path:
        return self.path

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cleanup()


def sweep(place: Path) -> None:
    """Remove the folders that killed processes of this user left there. One that is held belongs to work
    that goes on. Windows has no lock of a folder: there nothing is swept.
    """
    if os.name == "nt":
        return
    with suppress(OSError):
        for found in os.scandir(place):
            if _OURS.fullmatch(found.name):
                _sweep_one(Path(found.path))


def _sweep_one(folder: Path) -> None:
    with suppress(OSError):
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
            return
        lock = hold(folder, make=False)
        try:
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)
