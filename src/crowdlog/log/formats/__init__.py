"""One file per format.

A reader turns a source into batches; `reader` finds the one for a source, by name or by looking into it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from crowdlog.log.columns import Batch
from crowdlog.log.formats.options import FORMATS, ReadOptions
from crowdlog.log.formats.recognise import recognise
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

__all__ = ["FORMATS", "ReadOptions", "Reader", "reader"]


@dataclass(frozen=True)
class Reader:
    """A source whose format is known and whose head was looked at."""

    format: str
    read: Callable[[Advance], Iterator[Batch]]


def reader(source: SourceFile, options: ReadOptions) -> Reader:
    """Raises InputError if the file cannot be of the format said, or of any."""
    name = options.format or recognise(source, has_columns=options.columns is not None)
    module = importlib.import_module(f"crowdlog.log.formats.{FORMATS[name]}")
    return Reader(name, module.read(source, options))
