"""The files to read, and how: found by the readers of one machine. Plain text is cut anywhere between two
lines; every other file is read whole, by one task, with the reader of one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
from crowdlog.log.sources import SourceFile, find_sources, is_packed
from crowdlog.log.text_encoding import LINES, only_returns
from crowdlog.progress import Advance

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
    """In the order of reading. `told`: where their readers say what the owner should know."""

    files: tuple[Input, ...]
    formats: tuple[str, ...]
    told: Told


class Told:
    """Sentences of readers, each once: to the owner where she is; in a task they are kept until the task
    hands them on. All readers have the same one, also in a task, because they are sent there together.
    """

    def __init__(self, tell: Callable[[str], None] | None = None) -> None:
        self._tell = tell
        self._kept: dict[str, None] = {}  # with an owner: what she knows

    def __reduce__(self) -> tuple[type[Told], tuple[()]]:
        return Told, ()

    def __call__(self, sentence: str) -> None:
        if self._tell is not None and sentence not in self._kept:
            self._tell(sentence)
        self._kept[sentence] = None

    def taken(self) -> list[str]:
        kept, self._kept = list(self._kept), {}
        return kept


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
    told = Told(options.tell)
    found = readers(sources, replace(options, tell=told))
    check_number(len(found))
    files = tuple(_input(reader, sources) for reader in found)
    return Inputs(files, tuple(sorted({reader.format for reader in found})), told)


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
    if isinstance(read, TableRead):
        if not read.is_plain():
            return None
        if reader.format == "jsonl" and _has_newlines(read.source):
            cut = LinesOfJson.of(read)
            return None if cut is None else PlainText(read.source.path, cut, header=False)
        read = read.batches
    if isinstance(read, partial) and read.func is read_delimited:
        source, layout = read.args[0], read.args[1]
        if not _has_newlines(source) or source.encoding is not None or layout.quoted_lines:
            return None
        return _lines(source, layout)
    return None


def _lines(source: SourceFile, layout: LineLayout) -> PlainText:
    return PlainText(source.path, partial(cut_lines, layout=layout, name=source.name), layout.header)


def _has_newlines(source: SourceFile) -> bool:
    """Whether the lines of the file as it lies there end with newlines: not packed ones, nor those
    of old spreadsheets.
    """
    with opened(source.path) as file:
        head: bytes = file.read(LINES)
    return not is_packed(head) and not only_returns(head)


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
