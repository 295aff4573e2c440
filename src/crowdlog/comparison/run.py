"""Running the trials of a grid in parallel. What is done is kept: a run that was killed goes on where it stopped."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.comparison.crew import Crew
from crowdlog.comparison.grid import Cell, Grid
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.progress import progress_bar

PATIENCE = 60  # seconds that the workers of a killed run get to notice and stop


def run(grid: Grid, jobs: int) -> dict[Cell, CrowdlogError]:
    """Do every trial that is not done yet, in `jobs` processes. Returns the trials that failed; when no trial at all succeeded, raises the first."""
    folder, cells = Path(grid.cache), grid.cells()
    with _alone(folder) as lock, progress_bar("Comparing", len(cells), unit="trials") as advance:
        _sweep(folder)
        crew = Crew(grid, deque(cell for cell in cells if grid.missing(cell)), advance, lock)
        advance(len(cells) - len(crew.waiting))
        try:
            crew.work(jobs)
        finally:
            _sweep(folder)
    if crew.failures and all(grid.missing(cell) for cell in cells):
        raise next(iter(crew.failures.values()))
    return crew.failures


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """Two runs in one folder would destroy each other's trials. Workers hold the lock too, so those of a killed run are waited for."""
    handle = _lock_file(folder)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _locked(handle):
            if time.monotonic() > deadline:
                raise InputError(f"Another comparison is working in {folder}. Wait for it, or write this report to another place.")
            time.sleep(0.1)
        yield handle
    finally:
        os.close(handle)


def _lock_file(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"The folder {folder} for results cannot be made: {error.strerror}. Choose another place for the report.") from None


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(folder: Path) -> None:
    """Destroy what a killed run left half done."""
    for left in folder.glob("*.partial*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
