"""Files and folders that appear whole or not at all, whenever we are killed.

Each is made beside its place as `NAME.partial-` and eight digits, forced to disk, and renamed at the very
end. The maker holds a lock on it: what is not locked was left by a killed run, and the next one to the same
place removes it unread.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from crowdlog.errors import InputError
from crowdlog.files.disk import FULL, force_folder_to_disk, force_to_disk
from crowdlog.files.locks import hold
from crowdlog.files.patterns import as_pattern

_DIGITS = 8  # a release that waits to be resumed has more: it is not ours to remove
_PARTIAL = f".partial-{'[0-9a-f]' * _DIGITS}"  # how such a name ends, as a pattern
_TAKEN = {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}


@contextmanager
def new_file(path: Path, *, secret: bool = False) -> Iterator[BinaryIO]:
    """Yield a file to write to, which replaces what has the name. `secret`: nobody else may read it."""
    remove_leftovers(path.parent, as_pattern(path.name))
    mode = 0o600 if secret else 0o666
    partial, lock = _made(path, lambda it: os.close(os.open(it, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)))
    try:
        with partial.open("wb") as file:
            yield file
        force_to_disk(partial)
        partial.replace(path)
        force_to_disk(path.parent)
    finally:
        partial.unlink(missing_ok=True)
        os.close(lock)


def write_whole(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    with new_file(path) as file:
        file.write(text.encode())


@contextmanager
def new_folder(target: Path, *, secret: bool = False, replaces: bool = False) -> Iterator[Path]:
    """Yield a folder to fill, which takes the name; nobody else may look into it before, nor after if it is
    `secret`.

    InputError where the name is taken, unless it `replaces` what has it, somebody else is about to take it,
    or there is no room.
    """
    if not replaces and (target.exists() or target.is_symlink()):
        raise InputError(f"{target} exists already. Choose another name or remove it first.")
    if remove_leftovers(target.parent, as_pattern(target.name)):
        raise InputError(f"Another run is writing to {target} just now. Wait for it or choose another name.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder, lock = _made(target, lambda it: it.mkdir(mode=0o700))
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}. Choose another place.") from error
    try:
        yield folder
        force_folder_to_disk(folder)
        if replaces:
            _put_away(target)
        _show(folder, target, secret=secret)
        if replaces:
            remove_leftovers(target.parent, as_pattern(target.name))
    except OSError as error:
        if error.errno in FULL:
            raise InputError(
                f"The disk that should hold {target} is full; nothing was left behind. "
                "Make room or choose another place."
            ) from error
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _made(target: Path, make: Callable[[Path], None]) -> tuple[Path, int]:
    """A new partial file or folder, and the lock on it.

    Somebody who cleans up may be quicker than the lock: then it is made again.
    """
    while True:
        partial = _partial(target)
        make(partial)
        with suppress(BlockingIOError, FileNotFoundError):
            return partial, hold(partial, make=False)


def _partial(target: Path) -> Path:
    return target.with_name(f"{target.name}.partial-{os.urandom(_DIGITS // 2).hex()}")


def _put_away(target: Path) -> None:
    """What has the name becomes a leftover, in one step: nobody finds half of it, even if we are killed."""
    with suppress(FileNotFoundError):
        target.rename(_partial(target))


def is_partial(path: Path) -> bool:
    """Whether a file or folder, by its name, is one that is being made, or that a killed run left."""
    return fnmatchcase(path.name, f"*{_PARTIAL}")


def remove_leftovers(folder: Path, pattern: str = "*") -> bool:
    """Remove what killed runs left in the folder of things of these names. Whether one of them is alive."""
    alive = False
    for partial in sorted(folder.glob(f"{pattern}{_PARTIAL}")):
        try:
            lock = hold(partial, make=False)
        except FileNotFoundError:
            continue
        except OSError:
            alive = True
            continue
        try:
            shutil.rmtree(partial) if partial.is_dir() else partial.unlink(missing_ok=True)
        except PermissionError:  # Windows removes nothing that is open
            alive = True
        finally:
            os.close(lock)
    return alive


def _show(folder: Path, target: Path, *, secret: bool) -> None:
    if not secret:
        folder.chmod(0o777 & ~_umask())
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno in _TAKEN:
            raise InputError(
                f"{target} came into being meanwhile. Choose another name or remove it first."
            ) from error
        raise
    force_to_disk(target.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
