"""Texts that are not UTF-8: which encoding the first bytes look like, and the stream of blocks as UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from crowdlog.errors import InputError

# Where so many lines beyond ASCII are no UTF-8, it is the file and not a few damaged rows.
_ENOUGH = 3
ONE_BYTE = ("cp1252", "iso8859-1")  # as they are guessed
LINES = 1 << 16  # bytes in which the ends of lines are looked for; all readers take at least as many
_BOMS = ((codecs.BOM_UTF8, None), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def known_encoding(name: str) -> str:
    """The encoding's own name, or InputError."""
    try:
        found = codecs.lookup(name)
    except LookupError:
        raise InputError(
            f"There is no text encoding {name!r}. Common ones: utf-8, utf-16, latin-1, cp1252, gb18030."
        ) from None
    return found.name


def guess_encoding(head: bytes) -> str | None:
    """What these first bytes of a text look like; None for UTF-8, or when nothing can be said."""
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    if len(head) >= 8 and b"\0" in head:
        return _two_bytes(head)
    return _one_byte(head)


def _two_bytes(head: bytes) -> str | None:
    """UTF-16 without a mark: one half of the bytes is nearly always zero, the other never."""
    first, second = head[0::2], head[1::2]
    if not first.count(0) and second.count(0) > 0.5 * len(second):
        return "utf-16-le"
    if not second.count(0) and first.count(0) > 0.5 * len(first):
        return "utf-16-be"
    return None


def _one_byte(head: bytes) -> str | None:
    """Latin-1 or its Windows form, if no line with other than ASCII characters is UTF-8."""
    lines = [line for line in head.split(b"\n")[:-1] if not line.isascii()]
    if len(lines) < _ENOUGH or any(map(_is_utf8, lines)):
        return None
    # Bytes 0x80-0x9f are control characters in Latin-1, quotation marks and the euro sign in Windows' form.
    return "cp1252" if any(0x80 <= byte <= 0x9F for byte in head) else "iso8859-1"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def as_utf8(blocks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """The blocks in UTF-8. A character that is none of the encoding stops the import: it is the wrong one."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for block in blocks:
            yield decoder.decode(block).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeError:
        raise InputError(
            f"{name} is no text in {encoding}. Say the right encoding with --encoding."
        ) from None


def only_returns(first: bytes) -> bool:
    """Whether the lines of a text that begins so end with nothing but a carriage return."""
    head = first[:LINES]
    return b"\r" in head and b"\n" not in head and b"\0" not in head and not head.startswith(b"PAR1")


def with_newlines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The same blocks; of a text whose lines end with nothing but a carriage return (old spreadsheets write
    so), with newlines instead. The first bytes tell: long texts without one newline are no logs.
    """
    first = next(blocks, b"")
    alone = only_returns(first)
    if first:
        yield first.replace(b"\r", b"\n") if alone else first
    for block in blocks:
        yield block.replace(b"\r", b"\n") if alone else block


def all_of_one(blocks: Iterator[bytes], encoding: str, name: str) -> Iterator[bytes]:
    """The same blocks of a text whose encoding was guessed from its first bytes. A later line that is UTF-8
    stops the import: a few odd rows at the beginning must not say how those of everybody else are read.
    """
    rest = b""
    for block in blocks:
        *lines, rest = (rest + block).split(b"\n")
        _refuse_utf8(lines, encoding, name)
        yield block
    _refuse_utf8([rest], encoding, name)


def _refuse_utf8(lines: list[bytes], encoding: str, name: str) -> None:
    if any(not line.isascii() and _is_utf8(line) for line in lines):
        raise InputError(
            f"{name} begins as a text in {encoding}, and other lines of it are UTF-8. "
            "Say the encoding of most with --encoding: lines in another one are then set aside, or garbled."
        )
