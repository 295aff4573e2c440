"""CPU seconds and peak memory of a command with all processes that it starts: Java and its tasks, too."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from benchmarks.measure import Cost

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h: processes whose parent ended become ours, and are counted
_EVERY = 0.1  # seconds between two looks at memory, and at processes that nobody will count
_POLL = 0.02  # seconds between two looks at whether all is over
_IDLE = 0.05  # CPU seconds of a second
_TICKS = os.sysconf("SC_CLK_TCK")


def adopt_orphans() -> None:
    """Processes below this one whose parent ended become its children, so that their CPU seconds count."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def tree_cost(command: Sequence[str], beside: Collection[int] = ()) -> Cost:
    """Run a command to its end and wait for all it left running.

    `beside`: processes of ours that stay, a cluster's: what they and all below them use meanwhile is in the
    CPU seconds. `peak` is the highest sum of resident memory of the command's own processes, looked at ten
    times a second; with a cluster beside it that is the driver's.

    The system forgets what a process used whose parent ignores its end, as PySpark's daemon does with its
    workers: of these the last look counts, so up to a tenth of a second of each is missing.
    """
    adopt_orphans()
    before, started = _used(), time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    watch = _Watch(process.pid)
    watch.start()
    status, wall = None, 0.0
    while status is None or any(map(_runs, set(descendants(os.getpid())) - set(beside))):
        pid, ended = watch.wait()
        if pid == process.pid:
            status = os.waitstatus_to_exitcode(ended)
            wall = time.monotonic() - started
        elif not pid:
            time.sleep(_POLL)
    process.returncode = status
    watch.done.set()
    watch.join()
    if status:
        raise SystemExit(f"{' '.join(command)[:200]} failed with {status}")
    return Cost(_used() + watch.forgotten() - before, wall, watch.peak / 1e9)


def wait_until_idle(processes: Collection[int]) -> None:
    """Until these do next to nothing, a minute at most: a cluster's own start is nobody's cost."""
    for _ in range(60):
        before = sum(map(_used_by, processes))
        time.sleep(1)
        if sum(map(_used_by, processes)) - before < _IDLE:
            return


def _used() -> float:
    """CPU seconds of all processes that ever were below this one: those that ended count with whoever waited
    for them.
    """
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + sum(map(_used_by, descendants(os.getpid())))


def _used_by(pid: int) -> float:
    fields = _stat(pid)
    return sum(map(int, fields[11:15])) / _TICKS  # utime, stime, cutime, cstime of proc(5)


def _runs(pid: int) -> bool:
    """Not ended: Spark's start script leaves a process that ended and that nobody waits for."""
    fields = _stat(pid)
    return bool(fields) and fields[0] != "Z"


def _stat(pid: int) -> list[str]:
    """What proc(5) tells of a process, from its state on; nothing if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


class _Watch(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.peak, self.done = pid, 0, threading.Event()
        self._last: dict[tuple[int, str], float] = {}  # of processes that nobody will count, by pid and start
        self._looking = threading.Lock()

    def run(self) -> None:
        while not self.done.wait(_EVERY):
            self.peak = max(self.peak, sum(map(_resident, [self.pid, *descendants(self.pid)])))
            with self._looking:
                self._look()

    def wait(self) -> tuple[int, int]:
        """As os.waitpid. A worker that outlived its daemon became ours, and counts with us."""
        with self._looking:
            pid, status = os.waitpid(-1, os.WNOHANG)
            self._last = {process: used for process, used in self._last.items() if process[0] != pid}
        return pid, status

    def _look(self) -> set[tuple[int, str]]:
        """All that are there, ended or not."""
        below = {pid: fields for pid in descendants(os.getpid()) if (fields := _stat(pid))}
        ignoring = {parent for parent in {int(each[1]) for each in below.values()} if _ignores_ends(parent)}
        found = {(pid, each[19]): each for pid, each in below.items() if int(each[1]) in ignoring}
        self._last |= {process: sum(map(int, each[11:15])) / _TICKS for process, each in found.items()}
        return {(pid, each[19]) for pid, each in below.items()}

    def forgotten(self) -> float:
        """CPU seconds of those that ended."""
        with self._looking:
            there = self._look()
        return sum(used for process, used in self._last.items() if process not in there)


def _ignores_ends(pid: int) -> bool:
    """Whether what its children used is lost when they end."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    ignored = int(status.partition("SigIgn:")[2].split(maxsplit=1)[0], 16)
    return bool(ignored >> (signal.SIGCHLD - 1) & 1)


def descendants(pid: int) -> list[int]:
    """All processes below this one."""
    parents: dict[int, list[int]] = {}
    # No pattern of paths: it raises when a process ends between two of its looks.
    for child in (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()):
        fields = _stat(child)
        if fields:
            parents.setdefault(int(fields[1]), []).append(child)
    found, new = [], [pid]
    while new:
        new = [child for each in new for child in parents.get(each, [])]
        found += new
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except OSError:
        return 0
