"""Texts of a log by file: a command line is seen by everybody on the machine, and kept by the shell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from crowdlog.errors import InputError

PATH = click.Path(path_type=Path)


def texts_of(given: Sequence[str], file: Path | None) -> list[str]:
    """The texts that were given, and those of a file, one on each line."""
    return [*given, *([] if file is None else _lines(file))]


def one_text(given: str | None, file: Path | None, option: str) -> str | None:
    """The text that was given, or the only line of a file."""
    texts = texts_of([] if given is None else [given], file)
    if len(texts) > 1 or (file is not None and not texts):
        raise InputError(
            f"{option} and {option}-file name one text together. Got {len(texts)}: one line, in one of them."
        )
    return texts[0] if texts else None


def _lines(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"The file {file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InputError(f"The file {file} is not UTF-8.") from None
    return [line.rstrip("\r") for line in text.split("\n") if line.strip()]
