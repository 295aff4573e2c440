"""File locks that die with the process: a run that was killed blocks nobody."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path


def hold(path: Path, *, shared: bool = False, make: bool = True, mode: int = 0o666) -> int:
    """Lock the file, made with `mode` if it is missing, and return a handle: the lock lasts until it is
    closed.

    Raises BlockingIOError at once when somebody else holds it. Many may hold it `shared`. With `make=False` a
    file or folder that is there, or FileNotFoundError.
    """
    if os.name == "nt" and not make:  # Windows removes nothing that is open, which is lock enough
        return os.open(os.devnull, os.O_RDONLY)
    lock = _locker(shared=shared)
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT if make else os.O_RDONLY, mode)
        try:
            lock(handle)
            if _is_at(handle, path):
                return handle
        except BaseException:
            os.close(handle)
            raise
        # Its last holder removed the file after we opened it: this lock is nobody's concern.
        os.close(handle)


def wait_for(path: Path, patience: float = inf) -> int:
    """Lock the file as soon as nobody else holds it: BlockingIOError after `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return hold(path)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """One process at a time is within; the others wait."""
    handle = wait_for(path)
    try:
        yield
    finally:
        os.close(handle)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _locker(*, shared: bool) -> Callable[[int], None]:
    try:
        import fcntl
    except ImportError:  # Windows has no shared locks: there, everybody is alone
        return _lock_on_windows
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    return lambda handle: fcntl.flock(handle, how | fcntl.LOCK_NB)


def _lock_on_windows(handle: int) -> None:
    import msvcrt

    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except PermissionError as error:
        raise BlockingIOError from error
