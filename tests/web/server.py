"""A dashboard that really runs: `crowdlog serve` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROLES = ("owner", "approver", "engineer", "reader")
PASSWORD = "long enough, and more"


def add_people(desk: Path) -> None:
    """One person for each role, called as it, through the command line."""
    secret = desk.parent / "password"
    secret.write_text(PASSWORD)
    for role in ROLES:
        words = ["serve", str(desk), "--add", role, role, "--password-file", str(secret)]
        subprocess.run([sys.executable, "-m", "crowdlog.cli", *words], check=True, capture_output=True)
    secret.unlink()


class Server:
    """Started by `with`; killed without mercy at its end."""

    def __init__(self, desk: Path) -> None:
        self._desk = desk

    def __enter__(self) -> Server:
        words = [sys.executable, "-u", "-m", "crowdlog.cli", "serve", str(self._desk), "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Open "), self.process.stderr.read()
        self.address = line.removeprefix("Open ").strip()
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.said = self.process.communicate()[1]
