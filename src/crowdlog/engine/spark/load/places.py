"""Where a row stood in the log, as one number: the number of the file, then the byte or row in the file."""

from __future__ import annotations

from crowdlog.errors import InputError

BYTES = 44  # bits of the place in a file: 17 TB
FILES = 63 - BYTES  # bits of the number of the file: 500,000 files


def place(file: int, byte: int) -> int:
    return (file << BYTES) + byte


def check_number(files: int) -> None:
    if files >= 1 << FILES:
        raise InputError(f"{files:,} files are too many for one import. Join some of them.")
