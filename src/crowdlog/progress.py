"""One progress bar for all long work: on a terminal only, on stderr, and it never shows text of a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called with how much was done since the last call, in the bar's unit.
Advance = Callable[[int], None]


# Set by the command line: called when a stage begins (None) and when it ended (its seconds).
STAGES: Callable[[str, float | None], None] | None = None
# Set by the command line: called about once a second with a stage, what is done of it, the whole if known.
MOVED: Callable[[str, int, int | None], None] | None = None
_PAUSE = 1.0  # seconds between two such calls
SILENT = False  # no bar, not even on a terminal


def unseen(_amount: int) -> None:
    """Move no bar."""
    return


@contextmanager
def progress_bar(title: str, total: int | None = None, *, unit: str = "rows") -> Iterator[Advance]:
    """Yield a function that moves the bar.

    `unit` is 'rows', 'bytes', … Nothing is drawn unless stderr is a terminal.
    """
    begun = time.monotonic()
    if STAGES is not None:
        STAGES(title, None)
    if MOVED is not None:
        yield _told(title, total, MOVED)
    elif SILENT or not sys.stderr.isatty():
        yield unseen
    else:
        with _drawn(title, total, unit) as advance:
            yield advance
    if STAGES is not None:
        STAGES(title, time.monotonic() - begun)


def _told(title: str, total: int | None, moved: Callable[[str, int, int | None], None]) -> Advance:
    """Tells what is done, not too often."""
    done, last = 0, time.monotonic()

    def advance(amount: int) -> None:
        nonlocal done, last
        done += amount
        if (now := time.monotonic()) >= last + _PAUSE:
            last = now
            moved(title, done, total)

    return advance


@contextmanager
def _drawn(title: str, total: int | None, unit: str) -> Iterator[Advance]:
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
