"""The names of a file's columns, for somebody who says which is which. Never a value."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.log.formats.delimited import first_fields
from crowdlog.log.formats.field_names import look
from crowdlog.log.formats.parquet import columns_of, is_parquet
from crowdlog.log.formats.roles import looks_like_names
from crowdlog.log.sources import SourceFile
from crowdlog.log.text_encoding import known_encoding


def column_names(path: Path, encoding: str | None = None) -> list[str]:
    """The columns by name; by number from 1 where the first line may be somebody's row; none where the file
    cannot be read as a table.
    """
    try:
        return _names(_source(path, encoding))
    except (InputError, UnicodeError, OSError, ValueError):
        return []


def _source(path: Path, encoding: str | None) -> SourceFile:
    source = SourceFile(path)
    if encoding is not None:
        with suppress(InputError):
            return replace(source, encoding=known_encoding(encoding))
    looks = source.looks_encoded()
    return source if looks is None else replace(source, encoding=looks)


def _names(source: SourceFile) -> list[str]:
    head = source.head().removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_parquet(head):
        return list(columns_of(source))
    if b"\0" in head or head.startswith(b"<"):
        return []
    if head.startswith((b"{", b"[")):
        return look(source).shown
    _delimiter, fields = first_fields(source, None)
    names = [name.strip() for name in fields]
    return names if looks_like_names(names) else [str(n + 1) for n in range(len(names))]
