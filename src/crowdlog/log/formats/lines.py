"""For formats read line by line in Python: cut a stream into lines and gather the rows into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch, batch_of_rows
from crowdlog.log.sources import BLOCK, SourceFile
from crowdlog.progress import Advance

Row = tuple[bytes, ...]  # in the order of ROLES
_ROWS = 1 << 15  # rows of a batch


def read_lines(
    source: SourceFile, parse: Callable[[bytes], tuple[Row, int]], advance: Advance | None = None
) -> Iterator[Batch]:
    """`parse` gives a line's five texts and GOOD, or a reason. Empty lines are passed over."""
    numbered = ((number, line) for number, line in enumerate(lines_of(source, advance), 1) if line.strip())
    while chunk := list(islice(numbered, _ROWS)):
        yield _batch(chunk, parse)


def _batch(numbered: list[tuple[int, bytes]], parse: Callable[[bytes], tuple[Row, int]]) -> Batch:
    parsed = [parse(line) for _number, line in numbered]
    return batch_of_rows(
        [row for row, _reason in parsed],
        [number for number, _line in numbered],
        [reason for _row, reason in parsed],
        [line for _number, line in numbered],
    )


def lines_of(source: SourceFile, advance: Advance | None = None) -> Iterator[bytes]:
    """The lines of a file without their ends."""
    carry, first = b"", True
    for block in source.blocks(BLOCK // 8, advance):
        lines = (carry + (block.removeprefix(b"\xef\xbb\xbf") if first else block)).split(b"\n")
        carry, first = lines.pop(), False
        yield from (line.removesuffix(b"\r") for line in lines)
        if len(carry) > BLOCK:
            raise InputError(
                f"A line of {source.name} does not end within {BLOCK >> 20} MB; is it a text file?"
            )
    if carry:
        yield carry.removesuffix(b"\r")
