"""The package's own word lists: text files beside this one; lines that begin with # explain."""

from __future__ import annotations

from importlib.resources import files


def word_list(file: str) -> list[str]:
    """The lines of a list."""
    text = files("crowdlog.log.synth").joinpath(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def read_list(file: str, separator: str | None = None) -> list[str]:
    """The items of a list, split at blanks or at `separator`."""
    return [item.strip() for line in word_list(file) for item in line.split(separator) if item.strip()]
