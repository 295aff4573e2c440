"""The text of a file that somebody gives to an application; `-` is standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from crowdlog.errors import InputError


def input_text(path: str | Path, what: str) -> str:
    """The whole text, without a byte order mark. `what`: how an error calls the file, such as "task file"."""
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The {what} {path} cannot be read: it is not UTF-8 text.") from None
