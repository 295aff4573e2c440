"""What several workers of one service tell each other in its data folder: that a task of theirs fails.

A worker holds a lock on a file as long as it fails. The lock dies with it, so a killed worker, which is
started again, is not held against the others.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from crowdlog.files.locks import hold, wait_for

_ENDING = ".failing"
_PATIENCE = 1.0  # somebody who looks has the lock for a moment only


class Sign:
    """What one worker shows of one task. Without a folder nobody else is there to see it."""

    def __init__(self, folder: Path | None, task: str) -> None:
        self._path = folder and folder / f"{task.replace(' ', '-')}.{os.getpid()}{_ENDING}"
        self._handle: int | None = None

    def put_up(self) -> None:
        if self._path is not None and self._handle is None:
            with suppress(OSError):  # a full disk: then this worker alone says that it fails
                self._handle = wait_for(self._path, _PATIENCE)

    def take_down(self) -> None:
        if self._path is not None and self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def any_fails(folder: Path) -> bool:
    """Whether a worker that lives has put a sign up; what the dead have left is removed."""
    return any(_is_held(path) for path in folder.glob(f"*{_ENDING}"))


def _is_held(path: Path) -> bool:
    try:
        handle = hold(path, shared=True, make=False)  # shared: two who look do not take each other for it
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    path.unlink(missing_ok=True)
    os.close(handle)
    return False
