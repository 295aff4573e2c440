"""From files to pieces: tasks cut, parse and normalise their lines with the kernels of one machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from crowdlog.engine.spark.load.pieces import Piece, Read, Sent
from crowdlog.engine.spark.load.places import place
from crowdlog.engine.spark.load.sources import Inputs, PlainText, Share, Span
from crowdlog.errors import InputError
from crowdlog.files.address import opened
from crowdlog.log.columns import Batch
from crowdlog.log.pass1_encode import parse_batch
from crowdlog.log.sources import BLOCK

PIECE_ROWS = 1 << 20  # rows of one piece at most: 24 MB as numbers
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class ShareReader:
    """What a task must know to read a share; `parts`: to how many tasks its texts go."""

    inputs: Inputs
    shares: tuple[Share, ...]
    keep_dash: bool
    piece_rows: int

    def read(self, numbers: Iterator[int]) -> Iterator[Sent]:
        """For each message the task that it is for."""
        for number in numbers:
            piece = None
            for span in self.shares[number].spans:
                read = Read(number, span.file, span.low)
                for where, batch in self._batches(span, read):
                    if piece is None or piece.rows >= self.piece_rows:
                        if piece is not None:
                            yield from piece.handed_on()
                        piece = Piece(where, number, len(self.shares))
                    parsed = parse_batch(batch, keep_dash=self.keep_dash)
                    yield from read.note(parsed, where)
                    piece.take(parsed, where)
                read.told = self.inputs.told.taken()
                yield number, read
            if piece is not None:
                yield from piece.handed_on()

    def _batches(self, span: Span, read: Read) -> Iterator[tuple[int, Batch]]:
        """Rows that follow each other, and the place of the first."""
        file = self.inputs.files[span.file]
        if file.plain is None:
            rows = 0
            for batch in file.read(lambda _bytes: None):
                yield place(span.file, rows), batch
                rows += len(batch)
            return
        skip = file.plain.header and span.low == 0
        for at, lines in lines_of(file.plain, span, file.name):
            text = lines.removeprefix(_BOM) if at == 0 else lines
            batch = file.plain.cut(text, read.lines + 1)
            read.lines += lines.count(b"\n")
            if skip and len(batch):
                batch, skip = batch.from_row(1), False
            if len(batch):
                yield place(span.file, at), batch


def lines_of(file: PlainText, span: Span, name: str) -> Iterator[tuple[int, bytes]]:
    """Whole lines, some megabytes at a time, and the byte at which they begin."""
    with opened(file.path) as source:
        at = 0
        if span.low:  # the line that reaches into the span belongs to the one before
            source.seek(span.low - 1)
            at = span.low - 1 + len(_line(source, name))
        while at < span.high:
            source.seek(at)
            lines = source.read(min(BLOCK, span.high - at))
            if not lines:
                return
            if not lines.endswith(b"\n"):
                lines += _line(source, name)
            read = len(lines)
            yield at, lines if lines.endswith(b"\n") else lines + b"\n"
            at += read


def _line(source: BinaryIO, name: str) -> bytes:
    rest: bytes = source.readline(2 * BLOCK)
    if len(rest) == 2 * BLOCK and not rest.endswith(b"\n"):
        raise InputError(f"A line of {name} does not end within {BLOCK >> 20} MB; is it a text file?")
    return rest
