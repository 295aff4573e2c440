"""What the services' tests share: a private PostgreSQL cluster, and services in one process that are called without a network."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest


def _program(name: str) -> str:
    """Debian keeps PostgreSQL's programs out of PATH."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    found = str(installed[-1]) if installed else shutil.which(name)
    assert found, f"{name} is missing: run tools/system-packages"
    return found


@pytest.fixture(scope="session")
def postgres_url():
    """A PostgreSQL cluster of our own, reached through a socket in its folder. PostgreSQL refuses to run as root."""
    folder = Path(tempfile.mkdtemp(prefix="crowdlog-pg-"))
    prefix = []
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        prefix = ["runuser", "-u", "postgres", "--"]
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run([*prefix, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)

    run(_program("initdb"), "-D", str(data), "-U", "postgres", "-A", "trust", "--no-sync")
    run(_program("pg_ctl"), "-D", str(data), "-w", "-t", "120", "-o", f"-c listen_addresses='' -c unix_socket_directories={folder}", "start")
    try:
        yield f"postgresql://postgres@/postgres?host={folder}"
    finally:
        run(_program("pg_ctl"), "-D", str(data), "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
