"""Running the trials of an experiment in parallel.

What is done is kept: a killed run goes on where it stopped.
"""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.experiments.trials import AnyTrial, Experiment
from crowdlog.experiments.workers import WorkerPool
from crowdlog.files.locks import wait_for
from crowdlog.progress import progress_bar

PATIENCE = 60  # seconds that the workers of a killed run get to notice and stop


def run_experiment(experiment: Experiment[AnyTrial], module: str, jobs: int) -> dict[AnyTrial, CrowdlogError]:
    """Do every trial that is not done yet, in `jobs` processes, by `run_trial` of the module of this name.

    Returns the trials that failed; when no trial at all succeeded, raises the first.
    """
    folder, runs = Path(experiment.cache), experiment.runs()
    with alone(folder) as lock, progress_bar("Trials", len(runs), unit="trials") as advance:
        waiting = deque(run for run in runs if experiment.missing(run))
        pool = WorkerPool(experiment, module, waiting, advance, lock)
        advance(len(runs) - len(pool.waiting))
        pool.work(jobs)
    if pool.failures and all(experiment.missing(run) for run in runs):
        raise next(iter(pool.failures.values()))
    return pool.failures


@contextmanager
def alone(folder: Path) -> Iterator[int]:
    """Two runs in one folder would destroy each other's trials, so a folder has a lock.

    Workers hold the lock too, so those of a killed run are waited for. What it left half done is destroyed.
    """
    handle = _lock(folder)
    try:
        _sweep(folder)
        try:
            yield handle
        finally:
            _sweep(folder)
    finally:
        os.close(handle)


def _lock(folder: Path) -> int:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return wait_for(folder / "lock", PATIENCE)
    except BlockingIOError:
        advice = "Wait for it, or write to another place."
        raise InputError(f"Another run is working in {folder}. {advice}") from None
    except OSError as error:
        why = f"which cannot be made: {error.strerror}"
        raise InputError(f"Results cannot be written to {folder}, {why}. Choose another place.") from None


def _sweep(folder: Path) -> None:
    for left in folder.glob("*.partial*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)
