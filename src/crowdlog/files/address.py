"""Files and folders at addresses (s3://, s3a://, gs://, hdfs://, file://), read and written by Arrow's file
systems. Credentials come from the environment, as the tools of those stores have them.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from crowdlog.errors import InputError

SCHEMES = ("s3", "s3a", "gs", "gcs", "hdfs", "file")
# What is written there has its name when it is whole; elsewhere it gets another one first.
_WHOLE_AT_ONCE = ("s3", "gcs")
_BUFFER = 1 << 20
_ADDRESS = re.compile(r"([a-z][a-z0-9+]*)://")


def scheme_of(place: str | Path) -> str | None:
    found = _ADDRESS.match(str(place))
    return None if found is None else found[1]


def local_path(place: str | Path) -> Path:
    """A path on this machine, which may be said as file://; InputError for other addresses."""
    scheme = scheme_of(place)
    if scheme == "file":
        return Path(url2pathname(urlsplit(str(place)).path))
    if scheme is not None:
        raise InputError(
            f"A store is a folder on this machine, because its locks are; {scheme}:// can hold "
            "its tables: crowdlog import LOG --engine spark -o FOLDER --tables ADDRESS"
        )
    return Path(place)


@dataclass(frozen=True, order=True)
class Address:
    """One file or folder. It can be sent to other machines: each makes a connection of its own."""

    text: str

    @classmethod
    def of(cls, text: str) -> Address:
        """InputError for one that cannot be read, or that holds a password: addresses are written down."""
        if scheme_of(text) not in SCHEMES:
            raise InputError(f"{text[:80]} is no address of a known kind: {', '.join(SCHEMES)}.")
        if urlsplit(text).username is not None:
            raise InputError(
                "An address must not hold a password: it is written into the store. Set it in the "
                "environment (for S3 AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), on all machines."
            )
        return cls(re.sub(r"^s3a:", "s3:", text))

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        return PurePosixPath(self._parts()[0]).name

    def __truediv__(self, name: str) -> Address:
        path, query = self._parts()
        return Address(f"{path.rstrip('/')}/{name}{query}")

    def _parts(self) -> tuple[str, str]:
        """What stands before the options of the connection, and these."""
        path, mark, query = self.text.partition("?")
        return path, mark + query

    def relative_to(self, folder: Address) -> PurePosixPath:
        return PurePosixPath(self._parts()[0]).relative_to(folder._parts()[0])

    def open(self) -> Any:
        """To read from any place in it."""
        with self._told() as (system, path):
            return system.open_input_file(path)

    def size(self) -> int:
        with self._told() as (system, path):
            return int(system.get_file_info(path).size)

    def files(self) -> dict[Address, int]:
        """The files in this folder and in those inside it with their bytes, by name; or this one file."""
        from pyarrow import fs

        with self._told() as (system, path):
            found = system.get_file_info(path)
            if found.type == fs.FileType.File:
                return {self: found.size}
            inside = system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
        sizes = {each.path: each.size for each in inside if each.type == fs.FileType.File}
        root = PurePosixPath(path)
        return {self / str(PurePosixPath(name).relative_to(root)): sizes[name] for name in sorted(sizes)}

    def write(self, data: bytes) -> None:
        """Whole or not at all, also when two write the same at once."""
        with self._told() as (system, path):
            if system.type_name in _WHOLE_AT_ONCE:
                with system.open_output_stream(path) as file:
                    file.write(data)
                return
            folder, _slash, name = path.rpartition("/")
            system.create_dir(folder, recursive=True)
            own = f"{folder}/.{name}.{os.urandom(8).hex()}"
            with system.open_output_stream(own) as file:
                file.write(data)
            system.move(own, path)

    def remove(self) -> None:
        """This folder with all in it, if it is there."""
        from pyarrow import fs

        with self._told() as (system, path):
            if system.get_file_info(path).type == fs.FileType.Directory:
                system.delete_dir(path)

    @contextmanager
    def _told(self) -> Iterator[tuple[Any, str]]:
        """The file system and the path in it. What it answers is not quoted: it may hold keys."""
        import pyarrow as pa

        try:
            path, query = self._parts()
            parts = urlsplit(path)
            system = _system(f"{parts.scheme}://{parts.netloc}/{query}")
            inside = f"{parts.netloc}{parts.path}" if parts.scheme in ("s3", "gs", "gcs") else parts.path
            yield system, url2pathname(inside) if parts.scheme == "file" else inside
        except (OSError, pa.ArrowException, ValueError) as error:
            raise InputError(
                f"{self._parts()[0]} cannot be reached ({type(error).__name__}). Is it right, and are its "
                "credentials in the environment of all machines?"
            ) from None


def opened(place: Path | Address) -> Any:
    """A file to read bytes and lines from, wherever it is."""
    return place.open("rb") if isinstance(place, Path) else io.BufferedReader(place.open(), _BUFFER)


def size_of(place: Path | Address) -> int:
    return place.stat().st_size if isinstance(place, Path) else place.size()


@lru_cache(maxsize=16)
def _system(root: str) -> Any:
    from pyarrow import fs

    return fs.FileSystem.from_uri(root)[0]
