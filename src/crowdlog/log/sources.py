"""The files to read: named one by one or by folder, plain, gzip or zstd (told by their first bytes), as a
stream of blocks.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from crowdlog.errors import InputError
from crowdlog.progress import Advance

# bytes of text handled at once: large enough to amortise Python, small enough for the last cache
BLOCK = 1 << 23
_HEAD = 1 << 16  # bytes the format is recognised from


@dataclass(frozen=True)
class SourceFile:
    """One file. `name` is what messages call it."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    def head(self) -> bytes:
        """The first bytes of the text. Raises if there are none."""
        head = next(self.blocks(_HEAD), b"")
        if not head:
            raise InputError(f"{self.name} is empty; there is nothing to import.")
        return head

    def blocks(self, size: int = BLOCK, advance: Advance | None = None) -> Iterator[bytes]:
        """Blocks of the decompressed file; `advance` is told the bytes of the file itself."""
        from isal import igzip, isal_zlib

        try:
            with self.path.open("rb") as file:
                magic = file.read(4)
                file.seek(0)
                blocks: Iterator[bytes]
                if magic[:2] == b"\x1f\x8b":
                    blocks = _read(igzip.IGzipFile(fileobj=file, mode="rb"), size)
                elif magic == b"\x28\xb5\x2f\xfd":
                    blocks = _zstd(file, size)
                else:
                    blocks = _read(file, size)
                yield from _counted(blocks, file, advance)
        # isal's stubs hide that its error is an exception
        except (EOFError, zlib.error, isal_zlib.error, igzip.BadGzipFile) as error:  # type: ignore[misc]
            raise InputError(
                f"{self.name} is damaged or cut short: its compressed data end before they should. "
                "Get it again."
            ) from error
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {error.strerror}.") from error


def _read(file: Any, size: int) -> Iterator[bytes]:
    while block := file.read(size):
        yield block


def _counted(blocks: Iterator[bytes], file: BinaryIO, advance: Advance | None) -> Iterator[bytes]:
    seen = 0
    for block in blocks:
        yield block
        if advance is not None and (now := file.tell()) > seen:
            advance(now - seen)
            seen = now


def _zstd(file: Any, size: int) -> Iterator[bytes]:
    """Arrow's reader bounds its blocks and notices a frame that ends early; the zstandard package's does one
    or the other.
    """
    import pyarrow as pa

    try:
        yield from _read(pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd"), size)
    except OSError as error:
        if error.errno is None:  # not the system's but Arrow's: the data are bad
            raise EOFError from error
        raise


def find_sources(paths: Sequence[str | Path]) -> list[SourceFile]:
    """The files in the order of reading: as named; those of a folder by name, without hidden files and
    read-me's.
    """
    found: list[SourceFile] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted(
                p
                for p in path.rglob("*")
                if p.is_file() and not p.name.startswith(".") and "readme" not in p.name.lower()
            )
            if not inside:
                raise InputError(f"The folder {path} holds no files to import.")
            found += map(SourceFile, inside)
        elif path.is_file():
            found.append(SourceFile(path))
        else:
            raise InputError(f"There is no file or folder {path}.")
    if not found:
        raise InputError("No file was given to import.")
    return found
