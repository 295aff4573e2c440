"""Sources that can be read only once or lie elsewhere: standard input, pipes, http(s):// and s3:// addresses.

They are copied into a folder that only the owner can read, inside the store that is being built, and removed
with it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from pathlib import Path
from typing import Any, BinaryIO

from crowdlog.errors import InputError

_ADDRESS = re.compile(r"([a-z][a-z0-9+]*)://")
STORES = ("s3", "s3a", "gs", "gcs", "hdfs")  # Arrow's own file systems


def is_stream(place: str | Path) -> bool:
    """Whether a source must be copied before it can be looked at."""
    if str(place) == "-" or _ADDRESS.match(str(place)):
        return True
    try:
        mode = Path(place).stat().st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


def label_of(place: str | Path) -> str:
    """What messages call a source: an address may hold a password or a signature."""
    if str(place) in ("-", "/dev/stdin"):
        return "standard input"
    if re.fullmatch(r"/(dev|proc/self)/fd/\d+", str(place)):
        return "the pipe"  # <(…) of a shell: its number says nothing
    return re.split(r"[?#]", str(place))[0].rstrip("/").rpartition("/")[2] or "the address"


def copy_stream(place: str | Path, target: Path) -> None:
    """Copy everything there is to read into a new private file."""
    name = label_of(place)
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        scheme = _ADDRESS.match(str(place))
        try:
            if scheme is None:
                _from_pipe(place, file)
            elif scheme[1] in ("http", "https"):
                _from_web(str(place), file, name)
            elif scheme[1] in STORES:
                _from_object_store(str(place), file)
            else:
                raise InputError(
                    f"Addresses that begin with {scheme[1]}:// cannot be read. Known are http, https, "
                    f"{', '.join(STORES)}; else copy the file here first."
                )
        except OSError as error:
            raise InputError(
                f"{name} cannot be read: {error.strerror or type(error).__name__}. "
                "Copy the file to this machine and import the copy."
            ) from error


def _from_pipe(place: str | Path, file: BinaryIO) -> None:
    if str(place) == "-":
        shutil.copyfileobj(sys.stdin.buffer, file)
        return
    with Path(place).open("rb") as source:
        shutil.copyfileobj(source, file)


def _from_web(address: str, file: BinaryIO, name: str) -> None:
    import httpx

    try:
        with httpx.stream("GET", address, follow_redirects=True, timeout=60) as answer:
            if answer.status_code != 200:
                raise InputError(f"The server does not give {name}: it answered {answer.status_code}.")
            for block in answer.iter_bytes():
                file.write(block)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise InputError(f"{name} cannot be fetched ({type(error).__name__}).") from None


def _from_object_store(address: str, file: BinaryIO) -> None:
    """Arrow knows the clouds' protocols; credentials come from the environment, as their tools have them."""
    import pyarrow as pa
    from pyarrow import fs

    try:
        system, path = fs.FileSystem.from_uri(re.sub(r"^s3a:", "s3:", address))
        with system.open_input_stream(path) as source:
            _copy(source, file)
    except (pa.ArrowException, ValueError) as error:
        raise InputError(
            f"{label_of(address)} cannot be read from {address.partition(':')[0]} ({type(error).__name__})."
        ) from None


def _copy(source: Any, file: BinaryIO) -> None:
    while block := source.read(1 << 20):
        file.write(block)
