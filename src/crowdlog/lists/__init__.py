"""Small public lists that crowdlog carries: English words by frequency, cities and regions (LICENSE.md)."""

from __future__ import annotations

import gzip
from importlib.resources import files


def read_lines(name: str) -> list[str]:
    """The lines of one list."""
    return gzip.decompress(files(__name__).joinpath(name).read_bytes()).decode().split("\n")
