"""A PostgreSQL cluster of our own, reached through a socket in its folder,
that can be stopped and started.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def _program(name: str) -> str:
    """Debian keeps PostgreSQL's programs out of PATH."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(installed[-1]) if installed else shutil.which(name)
    assert found, f"{name} is missing: run tools/system-packages"
    return found


class Cluster:
    """PostgreSQL refuses to run as root, so root runs it as the user postgres."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="crowdlog-pg-"))
        self._prefix = []
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._prefix = ["runuser", "-u", "postgres", "--"]
        self._data = str(self.folder / "data")
        self._run(_program("initdb"), "-D", self._data, "-U", "postgres", "-A", "trust", "--no-sync")

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def start(self) -> None:
        where = f"-c listen_addresses='' -c unix_socket_directories={self.folder}"
        self._run(_program("pg_ctl"), "-D", self._data, "-w", "-t", "120", "-o", where, "start")

    def stop(self) -> None:
        """As after a power cut: nothing is finished, every connection is lost."""
        self._run(_program("pg_ctl"), "-D", self._data, "-w", "-m", "immediate", "stop")

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, *command: str) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*self._prefix, *command], check=True, cwd=self.folder, timeout=300, **quiet)

    def database(self, name: str) -> str:
        """Make a database of this name; return its URL."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def raw(self) -> bytes:
        """Every byte of its folder: tables with their dead rows, indexes, the write-ahead log."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute("CHECKPOINT")
        return b"".join(path.read_bytes() for path in Path(self._data).rglob("*") if path.is_file())


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    own = Cluster()
    own.start()
    try:
        yield own
    finally:
        own.stop()
        own.remove()
