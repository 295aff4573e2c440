"""Running the trials of a grid in parallel. What is done is kept: a run that was killed goes on where it stopped."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from crowdlog.comparison.grid import Cell, Grid
from crowdlog.errors import InputError
from crowdlog.progress import Advance, progress_bar

PATIENCE = 60  # seconds that the workers of a killed run get to notice and stop


def run(grid: Grid, jobs: int) -> None:
    """Do every trial that is not done yet, in `jobs` processes."""
    folder = Path(grid.cache)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} for results cannot be made: {error.strerror}. Choose another place for the report.") from None
    cells = grid.cells()
    with _alone(folder) as lock, progress_bar("Comparing", len(cells), unit="trials") as advance:
        _sweep(folder)
        waiting = deque(cell for cell in cells if grid.missing(cell))
        advance(len(cells) - len(waiting))
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            for done in [pool.submit(_serve, grid, waiting, advance, lock) for _ in range(min(jobs, len(waiting)))]:
                done.result()


@contextmanager
def _alone(folder: Path) -> Iterator[int]:
    """Two runs in one folder would destroy each other's trials. Workers hold the lock too, so those of a killed run are waited for."""
    handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _locked(handle):
            if time.monotonic() > deadline:
                raise InputError(f"Another comparison is working in {folder}. Wait for it, or write this report to another place.")
            time.sleep(0.1)
        yield handle
    finally:
        os.close(handle)


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
            shutil.rmtree(left)
        else:
            left.unlink()


def _serve(grid: Grid, waiting: deque[Cell], advance: Advance, lock: int) -> None:
    """Give one worker trial after trial until none is waiting. After an error nobody starts another."""
    debug = os.environ.get("CROWDLOG_DEBUG") == "1"
    command = [sys.executable, "-m", "crowdlog.comparison.worker"]
    errors = None if debug else subprocess.DEVNULL
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8", pass_fds=(lock,)
    ) as worker:
        try:
            _ask(worker, json.dumps(asdict(grid)))
            while waiting:
                try:
                    cell = waiting.popleft()
                except IndexError:  # the other worker was faster
                    break
                _ask(worker, json.dumps(asdict(cell)))
                _check(worker.stdout.readline() if worker.stdout else "", cell)
                advance(1)
        except BaseException:
            waiting.clear()
            worker.kill()
            raise


def _ask(worker: subprocess.Popen[str], line: str) -> None:
    """Straight into the pipe: what a buffer still holds for a dead worker would fail once more when the pipe is closed."""
    if worker.stdin is None:
        raise TypeError("the worker has no input")
    try:
        os.write(worker.stdin.fileno(), f"{line}\n".encode())
    except BrokenPipeError:
        return  # its answer will be missing, which is noticed


def _check(answer: str, cell: Cell) -> None:
    trial = f"The trial of {cell.mechanism} with seed {cell.seed}"
    if not answer:
        raise InputError(
            f"{trial} was stopped from outside, perhaps for want of memory. Run the same command again to go on; --jobs 1 needs less memory."
        )
    error = json.loads(answer)
    if error["ours"]:
        raise RuntimeError(f"{trial} failed with an error of ours ({error['error']}).")
    if error["error"]:
        raise InputError(f"{trial} failed: {error['error']}")
