"""The files to read: named one by one or by folder, plain, gzip or zstd (told by their first bytes), as a
stream of blocks.
"""

from __future__ import annotations

import shutil
import tempfile
import urllib.parse
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from crowdlog.errors import InputError
from crowdlog.files.address import Address, local_path, opened, scheme_of, size_of
from crowdlog.files.scratch import Scratch
from crowdlog.log.spool import STORES, copy_stream, is_stream, label_of
from crowdlog.log.text_encoding import ONE_BYTE, all_of_one, as_utf8, guess_encoding, with_newlines
from crowdlog.progress import Advance

# bytes of text handled at once: large enough to amortise Python, small enough for the last cache
BLOCK = 1 << 23
HEAD = 1 << 16  # bytes the format is recognised from


def is_packed(head: bytes) -> bool:
    """Whether a file that begins so is gzip or Zstandard."""
    return head.startswith((b"\x1f\x8b", b"\x28\xb5\x2f\xfd"))


@dataclass(frozen=True)
class SourceFile:
    """One file. `name` is what messages call it; `encoding` is that of its text if it is not UTF-8.

    `root`: the folder that was named, if the file was found inside it.
    """

    path: Path | Address
    label: str | None = None
    encoding: str | None = None
    root: Path | Address | None = None
    guessed: bool = False  # the encoding, from the first bytes
    copies: Path | None = None  # where private copies may be made; None: the system's place

    @property
    def name(self) -> str:
        return self.label or self.path.name

    @property
    def partitions(self) -> dict[str, str]:
        """The columns that Hive and Spark keep in the names of folders: `dt=2024-01-31/part-0`."""
        if self.root is None:
            return {}
        inside: Any = self.path
        folders = inside.relative_to(self.root).parts[:-1]
        pairs = (folder.partition("=") for folder in folders if "=" in folder)
        return {name: urllib.parse.unquote(value) for name, _equals, value in pairs}

    @property
    def size(self) -> int:
        return size_of(self.path)

    @property
    def local(self) -> Path:
        """The path, for readers that open nothing but files of this machine."""
        if isinstance(self.path, Address):
            raise InputError(f"{self.name} cannot be read at an address. Copy it to this machine first.")
        return self.path

    @contextmanager
    def here(self) -> Iterator[Path]:
        """The file as it is on this machine; a private copy of one that lies elsewhere."""
        if isinstance(self.path, Path):
            yield self.path
            return
        with self._place_for_a_copy() as folder:
            copy = folder / "copy"
            with self.path.open() as there, copy.open("wb") as file:
                shutil.copyfileobj(there, file, BLOCK)
            yield copy

    @contextmanager
    def _place_for_a_copy(self) -> Iterator[Path]:
        """A folder of mode 0700 whose name tells nothing; gone afterwards, also if the work is killed."""
        if self.copies is None:
            with Scratch("copy") as place:
                yield place
            return
        self.copies.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".partial-", dir=self.copies) as folder:
            yield Path(folder)

    def looks_encoded(self) -> str | None:
        """The encoding that the first bytes look like, if it is not UTF-8."""
        return guess_encoding(next(self.blocks(HEAD), b""))

    @contextmanager
    def plain_file(self) -> Iterator[Path]:
        """A file that other readers can open: uncompressed and in UTF-8; a private copy where this is not."""
        with opened(self.path) as file:
            packed = is_packed(file.read(4))
        if not packed and self.encoding is None:
            with self.here() as path:
                yield path
            return
        with self._place_for_a_copy() as folder:
            copy = folder / "copy"
            with copy.open("wb") as file:
                for block in self.blocks():
                    file.write(block)
            yield copy

    def head(self) -> bytes:
        """The first bytes of the text. Raises if there are none."""
        head = next(self.blocks(HEAD), b"")
        if not head:
            raise InputError(f"{self.name} is empty; there is nothing to import.")
        return head

    def blocks(self, size: int = BLOCK, advance: Advance | None = None) -> Iterator[bytes]:
        """Blocks of the decompressed file; `advance` is told the bytes of the file itself."""
        from isal import igzip, isal_zlib

        try:
            with opened(self.path) as file:
                magic = file.read(4)
                file.seek(0)
                blocks: Iterator[bytes]
                if magic[:2] == b"\x1f\x8b":
                    blocks = _read(igzip.IGzipFile(fileobj=file, mode="rb"), size)
                elif magic == b"\x28\xb5\x2f\xfd":
                    blocks = _zstd(file, size)
                else:
                    blocks = _read(file, size)
                counted = _counted(blocks, file, advance)
                if self.guessed and self.encoding in ONE_BYTE:
                    counted = all_of_one(counted, self.encoding, self.name)
                yield from with_newlines(
                    as_utf8(counted, self.encoding, self.name) if self.encoding else counted
                )
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


def find_sources(paths: Sequence[str | Path], copies: Path | None = None) -> list[SourceFile]:
    """The files in the order of reading: as named; those of a folder by name.

    What can be read only once (`-`, a pipe, an address) is copied into the folder `copies` first.
    """
    found: list[SourceFile] = []
    for number, place in enumerate(paths):
        path = local_path(place) if scheme_of(place) == "file" else Path(place)
        if copies is None and scheme_of(place) in STORES:
            found += _at_address(Address.of(str(place)))
        elif is_stream(path if scheme_of(place) == "file" else place):
            if copies is None:
                raise InputError(f"{label_of(place)} can be read only once; copy it to a file first.")
            copies.mkdir(mode=0o700, exist_ok=True)
            copy_stream(place, copies / str(number))
            found.append(SourceFile(copies / str(number), label_of(place), copies=copies))
        elif path.is_dir():
            found += [SourceFile(inside, root=path, copies=copies) for inside in _inside(path)]
        elif path.is_file():
            found.append(SourceFile(path, copies=copies))
        else:
            raise InputError(f"There is no file or folder {path}.")
    if not found:
        raise InputError("No file was given to import.")
    return found


def _at_address(place: Address) -> list[SourceFile]:
    """Read where they are, by whoever gets them; chosen as those of a folder are."""
    sizes = place.files()
    if list(sizes) == [place]:
        return [SourceFile(place)]
    inside = [each for each in sizes if _is_meant(each.relative_to(place).parts, each.name)]
    if not inside:
        raise InputError(f"There is no file to import at {place}.")
    return [SourceFile(each, root=place) for each in inside if sizes[each]] or [SourceFile(inside[0])]


def _is_meant(parts: tuple[str, ...], name: str) -> bool:
    return not any(part.startswith((".", "_")) for part in parts) and "readme" not in name.lower()


def _inside(folder: Path) -> list[Path]:
    """Without hidden files, read-me's, the marks of Spark and Hive (`_SUCCESS`, `_metadata`) and, among
    others, empty parts.
    """
    inside = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and _is_meant(path.relative_to(folder).parts, path.name)
    )
    if not inside:
        raise InputError(f"The folder {folder} holds no files to import.")
    return [path for path in inside if path.stat().st_size] or inside
