"""One progress bar for all long work: on a terminal only, on stderr, and it never shows text of a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called with how much was done since the last call, in the bar's unit.
Advance = Callable[[int], None]


def _ignore(_amount: int) -> None:
    return


@contextmanager
def progress_bar(title: str, total: int | None = None, *, unit: str = "rows") -> Iterator[Advance]:
    """Yield a function that moves the bar.

    `unit` is 'rows', 'bytes', … Nothing is drawn unless stderr is a terminal.
    """
    if not sys.stderr.isatty():
        yield _ignore
        return
    # rich costs 0.1 s to import: only those who see it pay.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    counted = (
        [DownloadColumn(), TransferSpeedColumn()]
        if unit == "bytes"
        else [MofNCompleteColumn(), TextColumn(unit)]
    )
    if unit != "bytes" and total is None:
        counted = [TextColumn(f"{{task.completed:,}} {unit}")]
    columns = [TextColumn("{task.description}"), BarColumn(), *counted, TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda amount: bar.advance(task, amount)
