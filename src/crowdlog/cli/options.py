"""Options that many commands have in one form."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from crowdlog.errors import InputError


class FiniteRange(click.FloatRange):
    """A number that can be counted with: neither click's own range nor any comparison refuses "nan", and a
    range without an upper end takes "inf".
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if not math.isfinite(found):
            self.fail(f"{value!r} is not a number in the range {self._describe_range()}.", param, ctx)
        return found


class ZeroToOne(FiniteRange):
    """A number from 0 to 1."""

    def __init__(self, **edges: bool) -> None:
        super().__init__(0, 1, **edges)


class FileToWrite(click.ParamType[str]):
    """A file that can be written, as its folder looks before the work begins; `-` is standard output."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if value == "-":
            return value
        if path.is_dir():
            raise InputError(f"{path} is a folder. Name a file to write.")
        if not path.parent.is_dir():
            raise InputError(f"There is no folder {path.parent} to write {path.name} to. Make it first.")
        if not os.access(path.parent, os.W_OK):
            raise InputError(f"The folder {path.parent} may not be written to. Choose another place.")
        return value


def shown_option(name: str, default: Any, kind: Any, text: str) -> Callable[[Any], Any]:
    """An option with a default that `--help` shows."""
    return click.option(name, default=default, show_default=True, type=kind, help=text)
