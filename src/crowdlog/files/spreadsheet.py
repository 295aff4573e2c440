"""Texts that a spreadsheet would run as a formula, in files that people open with one.

A formula begins with a sign, in its wide form of East Asian keyboards, too. It may also stand further on: a
spreadsheet that takes semicolons or commas for ends of cells, as its country or its owner has it, ends the
cell there, whatever separator the file was written with.
"""

from __future__ import annotations

import re

_SIGNS = "=@\uff1d\uff20"
_OF_NUMBERS = "+\\-\uff0b\uff0d"
# A number with its sign (a coordinate in an address) is no formula: it computes nothing.
_FORMULA = f"[{_SIGNS}]|[{_OF_NUMBERS}](?!\\d*\\.?\\d+(?:[,;]|$))"
_AT_THE_BEGINNING = re.compile(f"[{_SIGNS}{_OF_NUMBERS}\t\r\n]")
_FURTHER_ON = re.compile(f'([,;\t\r\n])(?=[\\s"]*(?:{_FORMULA}))')
_RUN_IN_BYTES = re.compile(rb'(^|[,;])([\s"]*)([=@+-])')


def defused(text: str) -> str:
    """The text with an apostrophe before what a spreadsheet would run: that makes it a text."""
    begun = f"'{text}" if _AT_THE_BEGINNING.match(text) else text
    return _FURTHER_ON.sub(r"\1'", begun)


def defused_escapes(escaped: bytes) -> bytes:
    """The same for what is written with backslash escapes: the sign is escaped, too, and can be read back."""

    def escape(found: re.Match[bytes]) -> bytes:
        end, blanks, sign = found.groups()
        return end + blanks + b"\\x%02x" % ord(sign)

    return _RUN_IN_BYTES.sub(escape, escaped)
