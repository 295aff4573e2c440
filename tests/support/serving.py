"""One service of a collection as a process of its own; it ends by kill -9."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from crowdlog.crowd.http import Connection

TOKEN = "t" * 32


@dataclass
class Served:
    url: str
    process: subprocess.Popen

    def call(self, method: str, path: str, body=None, operator: bool = True) -> httpx.Response:
        """Call once, without trying again."""
        headers = {"Authorization": f"Bearer {TOKEN}"} if operator else {}
        return httpx.request(method, self.url + path, json=body, headers=headers, timeout=120)


@contextmanager
def served(service: str, folder: Path, *options: str, most_bytes: int | None = None) -> Iterator[Served]:
    """Run a service with its data in `folder`. `most_bytes`: none of its files may grow beyond that."""
    token = folder.parent / "token"
    token.write_text(TOKEN)
    command = [
        sys.executable,
        "-m",
        "crowdlog.cli",
        "crowd",
        "serve",
        service,
        "--data",
        str(folder),
        "--token-file",
        str(token),
        "--rate",
        "0",
    ]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    before = limit if most_bytes else None
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, text=True, preexec_fn=before
    ) as process:  # noqa: PLW1509, RUF100
        try:
            url = process.stdout.readline().split()[-1]
            with Connection(url, retries=20) as connection:
                connection.call("GET", "/openapi.json")
            yield Served(url, process)
        finally:
            process.kill()
