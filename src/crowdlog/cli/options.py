"""Options that many commands have in one form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def shown_option(name: str, default: Any, kind: Any, text: str) -> Callable[[Any], Any]:
    """An option with a default that `--help` shows."""
    return click.option(name, default=default, show_default=True, type=kind, help=text)
