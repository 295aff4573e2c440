"""What only the owner of a log may read: modes of files, and no memory on disk when a program dies."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from crowdlog.files.whole import new_file

FOLDER, FILE = 0o700, 0o600
_PR_SET_DUMPABLE = 4


def no_core_dumps() -> None:
    """From now on no core file of this process or its children: it would hold the log's texts."""
    with suppress(ImportError, OSError, ValueError):  # Windows has none; a limit may be fixed by others
        import resource

        _soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # for systems that pipe cores to a program and ask no limit
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def keep_private(folder: Path) -> None:
    """Let only the owner into a folder, and at each of its files."""
    for path in folder.iterdir():
        path.chmod(FOLDER if path.is_dir() else FILE)
    folder.chmod(FOLDER)


@contextmanager
def private_files() -> Iterator[None]:
    """Everything that is written within can be read by its owner alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def owners_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that appears whole or not at all, and that nobody else may read, whatever lay there
    before: for texts, ids and exact figures of a log.
    """
    with new_file(path, secret=True) as file:
        yield file


def write_for_owner(path: Path, text: str) -> None:
    """Write a text that is for the owner of a log alone."""
    with owners_file(path) as file:
        file.write(text.encode())
