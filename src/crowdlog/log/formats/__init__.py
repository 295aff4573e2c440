"""One file per format.

A reader turns a source into batches; `readers` finds the one for each source, by name or by looking into it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from crowdlog.log.columns import Batch
from crowdlog.log.format_names import FORMATS
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.recognise import recognise
from crowdlog.log.sources import SourceFile
from crowdlog.log.text_encoding import known_encoding
from crowdlog.progress import Advance

__all__ = ["FORMATS", "ReadOptions", "Reader", "readers"]

# These find out by themselves how their texts are written, or hold none.
_OWN_ENCODING = ("sogou", "aol", "excite", "parquet", "chromium", "firefox", "trec-session")


@dataclass(frozen=True)
class Reader:
    """A source whose format is known and whose head was looked at."""

    name: str
    format: str
    read: Callable[[Advance], Iterator[Batch]]


def readers(sources: Sequence[SourceFile], options: ReadOptions) -> list[Reader]:
    """Raises InputError if a file cannot be of the format said, or of any.

    Files of one export that belong together (UBI's queries and events) get one reader.
    """
    found = [_named(source, options) for source in sources]
    joined = [source for source, name in found if name == "ubi"]
    made = []
    for source, name in found:
        module = importlib.import_module(f"crowdlog.log.formats.{FORMATS[name]}")
        if source in joined[1:]:
            continue
        read = module.read_together(joined, options) if source in joined else module.read(source, options)
        made.append(Reader(source.name, name, read))
    return made


def _named(source: SourceFile, options: ReadOptions) -> tuple[SourceFile, str]:
    """A source that knows its encoding, and its format."""
    if options.encoding is not None:
        said = known_encoding(options.encoding)
        source = replace(source, encoding=None if said == "utf-8" else said)  # each row by itself
    elif options.format not in _OWN_ENCODING and (looks := source.looks_encoded()) is not None:
        written = replace(source, encoding=looks, guessed=True)
        name = options.format or recognise(written, options)
        if name not in _OWN_ENCODING:
            options.tell(f"{source.name} was read as {looks}; --encoding says another.")
            source = written
    name = options.format or recognise(source, options)
    options.refuse_date(name)
    return source, name
