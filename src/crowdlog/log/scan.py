"""The kernel that splits delimited text into fields, and the reader around it that cuts a stream at record
ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, TIME, Batch, Texts
from crowdlog.log.rejects import COLUMNS, GOOD
from crowdlog.log.rejects import TIME as BAD_TIME
from crowdlog.log.sources import BLOCK, SourceFile
from crowdlog.progress import Advance
from crowdlog.types import Bytes, Ints

_NEWLINE, _RETURN = 10, 13
_PIECE = 1 << 16  # bytes compared at once


@njit(cache=True, nogil=True)
def _quoted(data: Bytes, at: int, end: int, quote: int, delimiter: int) -> tuple[int, int, int]:
    """Undouble the quoted field whose opening quote is before `at`, in place: (its size, where it ended,
    newlines in it); end -1 if it is open.
    """
    to, lines, inside = at, 0, True
    i = at
    while i < end:
        c = data[i]
        if inside and c == quote:
            if i + 1 < end and data[i + 1] == quote:
                i += 1
            else:
                inside = False
                i += 1
                continue
        elif not inside and (c in (delimiter, _NEWLINE)):
            return to - at, i, lines
        lines += c == _NEWLINE
        data[to] = c
        to += 1
        i += 1
    return 0, -1, 0


@njit(cache=True, nogil=True)
def _scan(
    data: Bytes,
    delimiter: int,
    quote: int,
    roles: Ints,
    start: Ints,
    size: Ints,
    line: Ints,
    record: Ints,
    fields: Ints,
    first: int,
) -> tuple[int, int, int, int]:
    """Split into records. start, size: [role, record]; record: where each begins.

    Returns (records, bytes used, next line, the first line whose quotes reach over its end or 0).
    """
    n, at, end, begun, field = 0, 0, len(data), 0, 0
    reaching = 0
    now = first
    left = 0  # where the current field begins
    while at < end:
        if quote != 0 and data[at] == quote:
            length, at, lines = _quoted(data, at + 1, end, quote, delimiter)
            if at < 0:
                break
            left += 1
            now += lines
            if lines > 0 and reaching == 0:
                reaching = first
        else:
            while at < end and data[at] != delimiter and data[at] != _NEWLINE:
                at += 1
            if at == end:
                break
            length = at - left
        newline = data[at] == _NEWLINE
        if newline and length > 0 and data[left + length - 1] == _RETURN:
            length -= 1
        role = roles[field] if field < len(roles) else -1
        if role >= 0:
            start[role, n], size[role, n] = left, length
        field += 1
        at += 1
        left = at
        if newline:
            if field > 1 or length > 0:  # an empty line is no record
                for absent in range(field, len(roles)):
                    if roles[absent] >= 0:
                        start[roles[absent], n], size[roles[absent], n] = 0, 0
                record[n], fields[n], line[n] = begun, field, first
                n += 1
            now += 1
            begun, field, first = left, 0, now
    return n, begun, first, reaching


@dataclass(frozen=True)
class LineLayout:
    """How the lines of one file are cut. `roles`: for each field the role it plays, or -1.

    `shorter`: another allowed number of fields. `quoted_lines`: a quoted field may go on in the next line.
    `time_size`: how long every time is, where fewer digits would be taken for another kind; 0: any.
    """

    delimiter: str
    roles: tuple[int, ...]
    quoted: bool = False
    header: bool = False
    shorter: int = 0
    quoted_lines: bool = False
    time_size: int = 0


def read_delimited(
    source: SourceFile, layout: LineLayout, advance: Advance | None = None, size: int = BLOCK
) -> Iterator[Batch]:
    """Batches of whole records."""
    carry, line, skip = b"", 1, layout.header
    for block in _until_end(source.blocks(size, advance)):
        data = bytearray(carry)
        data += block
        batch, carry, line, reaching = _split(data, layout, line)
        if reaching and not layout.quoted_lines:
            raise _stray_quote(f"line {reaching} of {source.name}", layout)
        if len(carry) > size + BLOCK:
            raise InputError(
                f"Line {line} of {source.name} does not end within {BLOCK >> 20} MB; "
                "is it a text file, with every quotation mark closed?"
            )
        if skip and len(batch):
            batch, skip = batch.from_row(1), False
        if len(batch):
            yield batch
    if carry:
        raise _open_quote(f"line {line} of {source.name}", layout)


def cut_lines(data: bytes, first: int, layout: LineLayout, name: str) -> Batch:
    """The records of whole lines out of the middle of a file, of which the first has this number."""
    batch, carry, _line, reaching = _split(bytearray(data), layout, first)
    if reaching:
        raise _stray_quote(name, layout)
    if carry:
        raise _open_quote(name, layout)
    return batch


def _stray_quote(where: str, layout: LineLayout) -> InputError:
    """One person's stray quotation mark would swallow the rows of others."""
    return InputError(
        f"A quotation mark opened in {where} is closed in a later line: the "
        "rows between would become one text. If texts of this log do have several lines, add "
        f"--quoted-lines; if quotes mean nothing, {_without_quotes(layout)}."
    )


def _open_quote(where: str, layout: LineLayout) -> InputError:
    return InputError(
        f"A quotation mark opened in {where} is never closed. "
        f"Close it; if quotes mean nothing, {_without_quotes(layout)}."
    )


def _without_quotes(layout: LineLayout) -> str:
    """How to say that quotes mean nothing. In a table cut by tabs they mean something only because the
    header is in them, or because the file is in UTF-16, as Excel's are.
    """
    if layout.delimiter == "\t":
        return "take those of the header off, or save what is in UTF-16 as UTF-8"
    return "use --format tsv"


def _until_end(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks without a byte order mark, and with a newline at the very end."""
    last = b""
    for i, block in enumerate(blocks):
        last = block[-1:] or last
        yield block.removeprefix(b"\xef\xbb\xbf") if i == 0 else block
    if last != b"\n":
        yield b"\n"


def _newlines(buffer: Bytes) -> int:
    """How many there are, counted piece by piece: what is compared stays in the cache, and no memory of the
    size of the block is asked of the system for it.
    """
    pieces = (buffer[low : low + _PIECE] for low in range(0, len(buffer), _PIECE))
    return sum(int(np.count_nonzero(piece == _NEWLINE)) for piece in pieces)


def _split(data: bytearray, layout: LineLayout, first: int) -> tuple[Batch, bytes, int, int]:
    """The whole records of the buffer, what is left over, the line it begins with, and the first line whose
    quotes reach over its end.
    """
    # undoubling quotes changes the buffer, and rejects are kept word for word
    raw = bytes(data) if layout.quoted else data
    buffer = np.frombuffer(data, np.uint8)
    n = _newlines(buffer) + 1  # the record at the end may lack its newline, but not its place
    start, size = np.empty((len(ROLES), n), np.int64), np.empty((len(ROLES), n), np.int64)
    line, record, fields = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    roles = np.array(layout.roles, np.int64)
    nowhere = np.setdiff1d(np.arange(len(ROLES)), roles)
    start[nowhere], size[nowhere] = 0, 0
    n, used, following, reaching = _scan(
        buffer,
        ord(layout.delimiter),
        34 if layout.quoted else 0,
        roles,
        start,
        size,
        line,
        record,
        fields,
        first,
    )
    columns = tuple(Texts(buffer, start[role, :n], size[role, :n]) for role in range(len(ROLES)))
    reason = np.full(n, GOOD, np.uint8)
    if layout.time_size:
        reason[size[TIME, :n] != layout.time_size] = BAD_TIME
    reason[(fields[:n] != len(layout.roles)) & (fields[:n] != layout.shorter)] = COLUMNS
    ends = np.append(record[1:n], used)

    def text(i: int) -> bytes:
        return bytes(raw[record[i] : ends[i]]).rstrip(b"\r\n")

    return (
        Batch(columns, line[:n], reason, text),
        bytes(raw[used:]),
        following,
        reaching,
    )
