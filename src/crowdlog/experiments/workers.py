"""A pool of worker processes.

A trial that fails is reported, the others go on; a worker that dies is replaced.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from typing import Any, Generic

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.experiments.trials import AnyTrial, PlainTrial
from crowdlog.progress import Advance

# Printed after the name of the trial.
KILLED = """was stopped from outside, perhaps for want of memory. \
Run the same command again to go on; --jobs 1 needs less memory."""


@dataclass
class WorkerPool(Generic[AnyTrial]):
    """`experiment`: a dataclass of plain data; `module`: where `run_trial` does one trial of it.

    `lock` is held by the workers too, so that a later run waits for those of a killed one.
    """

    experiment: Any
    module: str
    waiting: deque[AnyTrial]
    advance: Advance
    lock: int
    failures: dict[AnyTrial, CrowdlogError] = field(default_factory=dict)
    _workers: list[subprocess.Popen[str]] = field(default_factory=list)

    def work(self, jobs: int) -> None:
        """Do all trials that wait, `jobs` at a time. When this process is interrupted, so are the workers."""
        with ThreadPoolExecutor(max(1, jobs)) as pool:
            threads = [pool.submit(self._keep_one_busy) for _ in range(min(jobs, len(self.waiting)))]
            try:
                for thread in threads:
                    thread.result()
            except BaseException:
                self.waiting.clear()
                for worker in list(self._workers):
                    worker.kill()
                raise

    def _keep_one_busy(self) -> None:
        """One worker after the other, as long as trials wait: the next begins when one died."""
        while self.waiting:
            with self._worker() as worker:
                alive = True
                while alive and (trial := self._next()) is not None:
                    answer = _ask(worker, trial)
                    alive = bool(answer)
                    if (failure := _failure(answer, trial)) is not None:
                        self.failures[trial] = failure
                    self.advance(1)

    def _next(self) -> AnyTrial | None:
        with suppress(IndexError):  # the other worker was faster
            return self.waiting.popleft()
        return None

    @contextmanager
    def _worker(self) -> Iterator[subprocess.Popen[str]]:
        """A process that knows the experiment.

        Ctrl-C reaches it through us only: it could die in the middle of a line.
        """
        errors = None if os.environ.get("CROWDLOG_DEBUG") == "1" else subprocess.DEVNULL
        with subprocess.Popen(
            [sys.executable, "-m", "crowdlog.experiments.worker"],
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
                _tell(worker, json.dumps({"module": self.module, "experiment": asdict(self.experiment)}))
                yield worker
            finally:
                self._workers.remove(worker)


def _ask(worker: subprocess.Popen[str], trial: PlainTrial) -> str:
    """The worker's answer, or nothing when it died."""
    _tell(worker, json.dumps(asdict(trial)))
    return worker.stdout.readline() if worker.stdout else ""


def _tell(worker: subprocess.Popen[str], line: str) -> None:
    """Straight into the pipe: what a buffer holds for a dead worker would fail when the pipe is closed."""
    if worker.stdin is None:
        raise TypeError("the worker has no input")
    try:
        os.write(worker.stdin.fileno(), f"{line}\n".encode())
    except BrokenPipeError:
        return  # its answer will be missing, which is noticed


def _failure(answer: str, trial: PlainTrial) -> CrowdlogError | None:
    what = f"The trial of {trial}"
    if not answer:
        return InputError(f"{what} {KILLED}")
    error = json.loads(answer)
    if error["ours"]:
        return CrowdlogError(f"{what} failed with an error of ours ({error['error']}).")
    return InputError(f"{what} failed: {error['error']}") if error["error"] else None
