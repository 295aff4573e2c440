"""CPU seconds and peak memory of one process, and of a piece of work inside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cost:
    cpu: float  # seconds, user and system
    wall: float
    peak: float  # GB

    def __str__(self) -> str:
        return f"{self.cpu:.1f} CPU s, {self.wall:.1f} s, {self.peak:.2f} GB"


def cost_of(command: Sequence[str], **environment: str) -> Cost:
    """Run a command to its end. Fails loudly when it does."""
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)[:200]} failed with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, time.monotonic() - started, used.ru_maxrss / 1e6)


def print_inner_cost(work: Callable[[], Any]) -> None:
    """In a child process: run the work twice and print the CPU seconds of each, the second being warm."""
    seconds = []
    for _ in range(2):
        before = time.process_time()
        work()
        seconds.append(time.process_time() - before)
    print(json.dumps(seconds), file=sys.stderr)


def inner_costs(command: Sequence[str]) -> list[float]:
    """What `print_inner_cost` of that command printed: first and warm CPU seconds."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    values: list[float] = json.loads(done.stderr.strip().splitlines()[-1])
    return values
