"""The place of a release: reserved, and tried for writing, before anything is charged.

Beside OUT lies a folder `OUT.partial-…` for as long as a release to OUT is being made. It holds a lock, so
that two releases to one OUT, also of two stores, never run at once, and the release until it is complete.
Its name is made from OUT's name: a later run finds what a killed one left.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.disk import force_to_disk
from crowdlog.files.locks import hold

_LOCK = "lock"
_TRIAL = "trial"
_LONGEST = 200  # bytes of OUT's name that are repeated: with the ending a name stays below 255
_PARTIAL = re.compile(r"\.partial-[0-9a-f]{16}$")
_STORE = "store.json"  # what makes a folder a log store
_PATIENCE = 0.2  # seconds to wait for a lock; a sweep holds one for less than a millisecond


@dataclass(frozen=True)
class Place:
    """Where a release will be (`target`), and the folder beside it where it is made (`partial`)."""

    target: Path
    partial: Path

    def staged(self, store: str, charge: int) -> Path:
        """The release of this charge of this store before it is shown."""
        return self.partial / f"{store[:16]}-{charge}"


def find_place(out: str | Path) -> Place:
    """The place of this name. Two spellings of one folder (through `..` or a link) give one place."""
    path = Path(out).absolute()
    target = Path(os.path.realpath(path.parent)) / path.name
    name = os.fsencode(target.name)
    readable = name[:_LONGEST].decode("utf-8", errors="ignore")
    return Place(target, target.with_name(f"{readable}.partial-{hashlib.sha256(name).hexdigest()[:16]}"))


def refuse_existing(target: Path) -> None:
    """A published release is never overwritten, nor is anything else."""
    if not is_taken(target):
        return
    try:
        target.stat()
    except OSError:
        raise InputError(f"{target} is a symbolic link that leads nowhere. Choose another name.") from None
    raise InputError(f"{target} exists already. Choose another name: a release is never overwritten.")


def is_taken(target: Path) -> bool:
    """Whether something has this name, be it a link that leads nowhere."""
    try:
        target.lstat()
    except OSError:  # not there, or not to be reached: `reserve` says why
        return False
    return True


def refuse_inside(target: Path) -> None:
    """No release lies in a partial folder, which is removed, nor among the files of a log store."""
    for folder in Path(os.path.realpath(target)).parents:
        if _PARTIAL.search(folder.name):
            outside = folder.with_name(_PARTIAL.sub("", folder.name))
            where = f"{target} lies in {folder}, where a release lies until it is shown"
            raise InputError(f"{where}. Choose a place outside, such as {outside}.")
        with suppress(OSError):  # where nobody may look, nobody can write: `reserve` says so
            if (folder / _STORE).is_file():
                raise InputError(f"{target} lies in the log store {folder}. Choose a place outside of it.")


def is_in_partial(path: Path) -> bool:
    """Whether this is, or leads to, something in a partial folder."""
    return any(_PARTIAL.search(folder.name) for folder in Path(os.path.realpath(path)).parents)


@contextmanager
def reserve(out: str | Path, *, advice: str) -> Iterator[Place]:
    """Keep the place to ourselves after it was tried for writing. What was made for it is removed at the end.

    `advice` ends the sentence that says why a place cannot be used.
    """
    place = find_place(out)
    made: list[Path] = []
    lock = None
    try:
        lock = _take(place, made, advice)
        yield place
    finally:
        if lock is not None:
            _give_back(place.partial, lock)
        for folder in reversed(made):
            with suppress(OSError):  # a release lies in it
                folder.rmdir()


def _take(place: Place, made: list[Path], advice: str) -> int:
    target = place.target
    try:
        str(target).encode()
        refuse_inside(target)
        refuse_existing(target)
        _make_parents(target.parent, made)
        sweep(target.parent)
        lock = _lock(place.partial)
    except UnicodeEncodeError:
        raise InputError(f"The name {os.fsencode(target)!r} is not valid UTF-8. {advice}") from None
    except BlockingIOError:
        raise InputError(f"Another release is being written to {target}. Wait for it. {advice}") from None
    except OSError as error:
        raise InputError(f"A release cannot be written to {target}: {error.strerror}. {advice}") from None
    try:
        refuse_existing(target)  # once more: now nobody else of us can make it
        _try(place)
    except OSError as error:
        _give_back(place.partial, lock)
        raise InputError(f"A release cannot be written to {target}: {error.strerror}. {advice}") from None
    except BaseException:
        _give_back(place.partial, lock)
        raise
    return lock


def _make_parents(folder: Path, made: list[Path]) -> None:
    """Make the missing folders, outermost first, and note them: they go again if they stay empty."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        with suppress(FileExistsError):
            path.mkdir()
            made.append(path)


def _lock(partial: Path) -> int:
    """Tried for a moment: another release's sweep may just hold the lock, or have removed the folder."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            _make(partial)
            return hold(partial / _LOCK)
        except (BlockingIOError, FileNotFoundError):
            if time.monotonic() > until:
                raise
            time.sleep(0.002)


def _make(partial: Path) -> None:
    """Nobody else may look at what is not published. The name can be foreseen: what has it may be a trap."""
    try:
        partial.mkdir(mode=0o700)
    except FileExistsError:
        if not _is_ours_alone(partial):
            what = "is a link or a file, belongs to somebody else, or can be opened by others"
            why = f"It would be made in {partial}, but that {what}"
            raise PermissionError(errno.EACCES, why) from None


def _is_ours_alone(partial: Path) -> bool:
    found = partial.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _try(place: Place) -> None:
    """Write a file durably where the release will be written, below a folder of the release's own name."""
    trial = place.partial / _TRIAL
    shutil.rmtree(trial, ignore_errors=True)
    try:
        folder = trial / place.target.name
        folder.mkdir(parents=True)
        file = folder / _TRIAL
        file.write_bytes(b"?")
        force_to_disk(file)
        force_to_disk(place.partial)
        force_to_disk(place.target.parent)
    finally:
        shutil.rmtree(trial, ignore_errors=True)


def _give_back(partial: Path, lock: int) -> None:
    """Remove the lock, and the folder unless a release waits in it to be resumed."""
    try:
        with suppress(OSError):
            shutil.rmtree(partial / _TRIAL, ignore_errors=True)
            (partial / _LOCK).unlink()  # while we hold it: whoever opened it before sees that it is gone
            partial.rmdir()
    finally:
        os.close(lock)


def sweep(folder: Path) -> None:
    """Remove the reservations that killed runs left in this folder; those that hold a release are kept."""
    with suppress(OSError):
        for partial in folder.iterdir():
            if _PARTIAL.search(partial.name):
                _sweep_one(partial)


def _sweep_one(partial: Path) -> None:
    with suppress(OSError):
        if _is_ours_alone(partial) and {path.name for path in partial.iterdir()} <= {_LOCK, _TRIAL}:
            _give_back(partial, hold(partial / _LOCK))  # a lock that is held belongs to a run that lives
