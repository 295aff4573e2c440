"""Paths that mean themselves: a folder may be called `log[1]`, `st*`, `q?` or `user=5`."""

from __future__ import annotations

from pathlib import Path

_SPECIAL = "*?["


def as_pattern(path: Path | str) -> str:
    """The pattern that matches this path and no other, for whoever reads paths as patterns (`Path.glob`,
    DuckDB).
    """
    return "".join(f"[{letter}]" if letter in _SPECIAL else letter for letter in str(path))


def for_duckdb(path: Path) -> str:
    """How to name one file, or a folder of Parquet files, to DuckDB.

    Absolute: DuckDB gives `~` and `s3:` at the beginning a meaning of their own.
    """
    pattern = as_pattern(path.absolute())
    return f"{pattern}/*.parquet" if path.is_dir() else pattern
