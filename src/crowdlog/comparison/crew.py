"""The workers of a run. A trial that fails is reported and the others go on; a worker that dies is replaced."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from crowdlog.comparison.grid import Cell, Grid
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.progress import Advance

KILLED = "was stopped from outside, perhaps for want of memory. Run the same command again to go on; --jobs 1 needs less memory."


@dataclass
class Crew:
    """`lock` is held by the workers too, so that a later run waits for those of a killed one."""

    grid: Grid
    waiting: deque[Cell]
    advance: Advance
    lock: int
    failures: dict[Cell, CrowdlogError] = field(default_factory=dict)
    _workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def work(self, jobs: int) -> None:
        """Do all trials that wait, `jobs` at a time. When this process is interrupted, so are the workers."""
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            shifts = [pool.submit(self._shift) for _ in range(min(jobs, len(self.waiting)))]
            try:
                for shift in shifts:
                    shift.result()
            except BaseException:
                self.waiting.clear()
                for worker in list(self._workers):
                    worker.kill()
                raise

    def _shift(self) -> None:
        """One worker after the other, as long as trials wait: the next begins when one died."""
        while self.waiting:
            with self._worker() as worker:
                alive = True
                while alive and (cell := self._next()) is not None:
                    answer = _ask(worker, cell)
                    alive = bool(answer)
                    failure = _failure(answer, cell)
                    if failure is not None:
                        self.failures[cell] = failure
                    self.advance(1)

    def _next(self) -> Cell | None:
        try:
            return self.waiting.popleft()
        except IndexError:  # the other worker was faster
            return None

    @contextmanager
    def _worker(self) -> Iterator[subprocess.Popen[str]]:
        """A process that knows the grid. Ctrl-C reaches it through us only: on its own it would die in the middle of a line."""
        errors = None if os.environ.get("CROWDLOG_DEBUG") == "1" else subprocess.DEVNULL
        command = [sys.executable, "-m", "crowdlog.comparison.worker"]
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            pass_fds=(self.lock,),
            start_new_session=True,
        ) as worker:
            self._workers.append(worker)
            try:
                _tell(worker, json.dumps(asdict(self.grid)))
                yield worker
            finally:
                self._workers.remove(worker)


def _ask(worker: subprocess.Popen[str], cell: Cell) -> str:
    """The worker's answer, or nothing when it died."""
    _tell(worker, json.dumps(asdict(cell)))
    return worker.stdout.readline() if worker.stdout else ""


def _tell(worker: subprocess.Popen[str], line: str) -> None:
    """Straight into the pipe: what a buffer still holds for a dead worker would fail once more when the pipe is closed."""
    if worker.stdin is None:
        raise TypeError("the worker has no input")
    try:
        os.write(worker.stdin.fileno(), f"{line}\n".encode())
    except BrokenPipeError:
        return  # its answer will be missing, which is noticed


def _failure(answer: str, cell: Cell) -> CrowdlogError | None:
    trial = f"The trial of {cell.mechanism} with seed {cell.seed}"
    if not answer:
        return InputError(f"{trial} {KILLED}")
    error = json.loads(answer)
    if error["ours"]:
        return CrowdlogError(f"{trial} failed with an error of ours ({error['error']}).")
    return InputError(f"{trial} failed: {error['error']}") if error["error"] else None
