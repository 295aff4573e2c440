"""The files to read, and how: found by the readers of one machine. Plain text is cut anywhere between two
lines; every other file is read whole, by one task, with the reader of one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from crowdlog.engine.spark.load.places import check_number, place
from crowdlog.files.address import Address, opened, scheme_of, size_of
from crowdlog.log.columns import Batch
from crowdlog.log.formats import Reader, ReadOptions, readers
from crowdlog.log.formats.jsonlines import LinesOfJson
from crowdlog.log.formats.table_roles import TableRead
from crowdlog.log.scan import LineLayout, cut_lines, read_delimited
from crowdlog.log.sources import SourceFile, find_sources
from crowdlog.progress import Advance

_SPACE = b"\xef\xbb\xbf \t\r\n"
_PACKED = (b"\x28\xb5\x2f\xfd", b"\x1f\x8b")  # zstd, gzip
Cut = Callable[[bytes, int], Batch]  # lines that each end in a newline, and the number of the first


@dataclass(frozen=True)
class PlainText:
    """A file of lines that can be cut anywhere between two of them."""

    path: Path | Address
    cut: Cut
    header: bool  # the first record is none


@dataclass(frozen=True)
class Input:
    """One file, or files that belong together. `plain`: None where it is read whole, by `read`."""

    name: str
    size: int
    read: Callable[[Advance], Iterator[Batch]]
    plain: PlainText | None


@dataclass(frozen=True)
class Inputs:
    """In the order of reading."""

    files: tuple[Input, ...]
    formats: tuple[str, ...]


@dataclass(frozen=True)
class Span:
    """The lines of a plain file that begin at the bytes low … high − 1; or a whole file."""

    file: int
    low: int
    high: int


@dataclass(frozen=True)
class Share:
    """What one task reads: spans that follow each other in the order of reading."""

    spans: tuple[Span, ...]

    @property
    def first(self) -> int:
        """Below the place of every row in it and above those of the shares before."""
        return place(self.spans[0].file, self.spans[0].low)


def find_inputs(paths: Sequence[str | Path], options: ReadOptions) -> Inputs:
    sources = find_sources([_from_anywhere(path) for path in paths])
    found = readers(sources, options)
    check_number(len(found))
    files = tuple(_input(reader, sources) for reader in found)
    return Inputs(files, tuple(sorted({reader.format for reader in found})))


def _from_anywhere(path: str | Path) -> str | Path:
    """Tasks run in folders of their own."""
    return Path(path).absolute() if scheme_of(path) is None and Path(path).exists() else path


def _input(reader: Reader, sources: Sequence[SourceFile]) -> Input:
    read: Any = reader.read
    plain = _plain(reader)
    if plain is not None:
        return Input(reader.name, size_of(plain.path), read, plain)
    sizes = [source.size for source in sources if source.name == reader.name]
    return Input(reader.name, sum(sizes), read, None)


def _plain(reader: Reader) -> PlainText | None:
    """How the file is cut, if its texts and times are as the import's kernels take them."""
    read: Any = reader.read
    roles: Any = None
    if isinstance(read, TableRead):
        if not read.is_plain():
            return None
        read, roles = read.batches, read.roles
    if isinstance(read, partial) and read.func is read_delimited:
        source, layout = read.args[0], read.args[1]
        if _packed(source) or source.encoding is not None or layout.quoted_lines:
            return None
        return _lines(source, layout)
    if reader.format == "jsonl" and roles is not None:
        source = reader.read.source  # type: ignore[attr-defined]  # a TableRead
        if not _packed(source) and source.head().lstrip(_SPACE).startswith(b"{"):
            first = read.args[2]
            return PlainText(source.path, LinesOfJson(roles.columns, source.name, first), header=False)
    return None


def _lines(source: SourceFile, layout: LineLayout) -> PlainText:
    return PlainText(source.path, partial(cut_lines, layout=layout, name=source.name), layout.header)


def _packed(source: SourceFile) -> bool:
    with opened(source.path) as file:
        head: bytes = file.read(4)
    return head.startswith(_PACKED)


def make_shares(inputs: Inputs, size: int) -> tuple[Share, ...]:
    """Shares of about this many bytes: parts of large files, several small ones."""
    shares: list[Share] = []
    spans: list[Span] = []
    taken = 0
    for number, file in enumerate(inputs.files):
        low = 0
        while low < file.size or (low == 0 and not file.size):
            high = min(file.size, low + size - taken) if file.plain is not None else file.size
            spans.append(Span(number, low, high))
            taken += high - low
            low = max(high, low + 1)
            if taken >= size:
                shares.append(Share(tuple(spans)))
                spans, taken = [], 0
    return (*shares, Share(tuple(spans))) if spans else tuple(shares)
