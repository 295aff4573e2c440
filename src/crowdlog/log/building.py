"""Build a folder under another name and give it its own at the very end: a reader sees the whole store or
none, whenever we are killed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.durable import force_to_disk
from crowdlog.errors import InputError
from crowdlog.paths import as_pattern
from crowdlog.privacy.randomness import SystemRandomness

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
REJECTS = "rejects.tsv"
_RANDOM = 6  # bytes in the name of a folder that is being built


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """Yield a new folder `TARGET.partial-…`; rename it to the target on success, remove it on failure.

    Rejects move beside the target.
    """
    if target.exists() or target.is_symlink():
        raise InputError(f"{target} exists already. Choose another name or remove it first.")
    _remove_leftovers(target)
    folder = target.with_name(f"{target.name}.partial-{SystemRandomness().bytes(_RANDOM).hex()}")
    try:
        folder.mkdir(parents=True, mode=0o700)
        lock = _lock(folder)
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}. Choose another place.") from error
    try:
        yield folder
        _publish(folder, target)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        if error.errno in _FULL:
            raise InputError(
                f"The disk that should hold {target} is full; nothing was left behind. Make room or choose another place."
            ) from error
        raise
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    finally:
        os.close(lock)


def _lock(folder: Path) -> int:
    """Hold a lock on the folder for as long as this process lives: others see that it is no leftover."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise
    return handle


def _remove_leftovers(target: Path) -> None:
    """Remove what killed imports to the same target left; refuse if one is still running.

    A release to the same name is made in `TARGET.partial-` and more digits: it is not ours to remove.
    """
    digits = "[0-9a-f]" * (2 * _RANDOM)
    for folder in sorted(target.parent.glob(f"{as_pattern(target.name)}.partial-{digits}")):
        try:
            lock = _lock(folder)
        except BlockingIOError as error:
            raise InputError(
                f"Another import is writing to {target} just now. Wait for it or choose another name."
            ) from error
        shutil.rmtree(folder)
        os.close(lock)


def _publish(folder: Path, target: Path) -> None:
    """Make the files durable, then visible.

    The rejects go first: without a store they are replaced by the next import.
    """
    for path in folder.iterdir():
        force_to_disk(path)
    force_to_disk(folder)
    rejects = target.with_name(f"{target.name}.{REJECTS}")
    rejects.unlink(missing_ok=True)
    if (folder / REJECTS).exists():
        (folder / REJECTS).rename(rejects)
    folder.chmod(0o777 & ~_umask())
    try:
        folder.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise InputError(
                f"{target} came into being while this import ran. Choose another name or remove it first."
            ) from error
        raise
    force_to_disk(target.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
