"""A standalone Spark on this machine: a master and workers as processes of their own, on loopback only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
_DEPLOY = "org.apache.spark.deploy"


class Cluster:
    """`address` is the master's. Workers have one core each and can be killed one by one."""

    def __init__(self, folder: Path, memory: str = "1g") -> None:
        self._folder, self._memory = folder, memory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"spark://127.0.0.1:{port}"
        self.processes = [self._start("master", "master.Master", "--port", str(port))]
        self.workers: list[subprocess.Popen[bytes]] = []
        _wait_for(port, self.processes[0])

    def _start(self, name: str, which: str, *words: str) -> subprocess.Popen[bytes]:
        own = self._folder / name
        own.mkdir()
        settings = {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_LOCAL_DIRS": str(own),
            "SPARK_LOG_DIR": str(own),
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        with (own / "output").open("wb") as output:
            return subprocess.Popen(
                [str(_CLASS), f"{_DEPLOY}.{which}", "--host", "127.0.0.1", "--webui-port", "0", *words],
                env={**os.environ, **settings},
                stdout=output,
                stderr=output,
                start_new_session=True,  # so that a worker is killed with all it started
            )

    def add_worker(self) -> None:
        name = f"worker-{len(self.workers)}"
        limits = ("--cores", "1", "--memory", self._memory, "--work-dir", str(self._folder / name / "work"))
        self.workers.append(self._start(name, "worker.Worker", *limits, self.address))
        self.processes.append(self.workers[-1])

    def kill_worker(self, number: int) -> None:
        """With -9, and the executor that it runs."""
        children = _children(self.workers[number].pid)
        os.killpg(self.workers[number].pid, signal.SIGKILL)
        for child in children:
            _kill(child)
        self.workers[number].wait()

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@contextmanager
def cluster(folder: Path, workers: int, memory: str = "1g") -> Iterator[Cluster]:
    """A running cluster, which is stopped at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    running = Cluster(folder, memory)
    try:
        for _ in range(workers):
            running.add_worker()
        yield running
    finally:
        running.stop()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError("the master of Spark ended at once")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the master of Spark does not answer")


def _children(pid: int) -> list[int]:
    """All processes below this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent == pid:
            child = int(path.parent.name)
            found += [child, *_children(child)]
    return found


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
