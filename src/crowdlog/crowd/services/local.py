"""All services of a trial on one machine, each a process of its own.

The parent opens their sockets, so a service that dies comes back at its address, and what was sent to it
meanwhile waits.
"""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from urllib.parse import urlsplit

import httpx

from crowdlog.crowd.operator import Operator, RemoteService
from crowdlog.crowd.services.keyfile import write_secret
from crowdlog.crowd.services.serve import listening_socket, stop_services
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.privacy.randomness import SystemRandomness

READY_SECONDS = 120.0  # a busy machine may need long to start Python


@contextmanager
def told_to_stop() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C or a polite kill sets, so that the services are stopped too instead of left
    behind.

    An exception out of a signal could come in the middle of looking after a child process and leave that
    child's lock held.
    """
    stop = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass
class LocalServices:
    """`options`: further options of `crowd serve` by service name (randomness, mix1, …, aggregation).

    `program`: what Python runs; the command line itself unless a trial needs another.
    """

    folder: Path
    mixes: int = 2
    host: str = "127.0.0.1"
    first_port: int = 0
    options: dict[str, list[str]] = field(default_factory=dict)
    program: tuple[str, ...] = ("-m", "crowdlog.cli")

    def __post_init__(self) -> None:
        self.names = ["randomness", *(f"mix{number}" for number in range(1, self.mixes + 1)), "aggregation"]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._sockets: dict[str, socket.socket] = {}

    def __enter__(self) -> LocalServices:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            for name, port in self._ports().items():
                self._sockets[name] = listening_socket(self.host, port)
            for name in self.names:
                self.start(name)
            for name in self.names:
                self.wait_ready(name)
        except BaseException:
            self.stop()
            raise
        write_secret(self.folder / "operator.json", json.dumps(self.operator().to_json(), indent=2).encode())
        return self

    def _ports(self) -> dict[str, int]:
        """Consecutive ports from the first; without one free ports at the first start, and the same at any
        later: links and collections name them.
        """
        if self.first_port:
            return {name: self.first_port + index for index, name in enumerate(self.names)}
        known = self.folder / "operator.json"
        if not known.exists():
            return dict.fromkeys(self.names, 0)
        with Operator.from_file(known) as before:
            urls = [before.randomness.url, *(mix.url for mix in before.mixes), before.aggregation.url]
        if len(urls) != len(self.names):
            raise InputError(
                f"{self.folder} was started with {len(urls) - 2} mixes before and keeps that number; "
                "choose another folder for another."
            )
        return {name: urlsplit(url).port or 0 for name, url in zip(self.names, urls, strict=True)}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def url(self, name: str) -> str:
        return f"http://{self.host}:{self._sockets[name].getsockname()[1]}"

    def token(self, name: str) -> str:
        """Return the operator's token of a service, made at its first start."""
        path = self.folder / f"{name}.token"
        if not path.exists():
            write_secret(path, SystemRandomness().bytes(32).hex().encode())
        return path.read_text()

    def operator(self) -> Operator:
        services = {name: RemoteService(self.url(name), self.token(name)) for name in self.names}
        return Operator(
            services["randomness"],
            [services[name] for name in self.names if name.startswith("mix")],
            services["aggregation"],
        )

    def start(self, name: str) -> None:
        """Start a service, or start it again after it died."""
        self.token(name)
        kind = "mix" if name.startswith("mix") else name
        fd = self._sockets[name].fileno()
        command = [
            sys.executable,
            *self.program,
            "crowd",
            "serve",
            kind,
            "--data",
            str(self.folder / name),
            "--fd",
            str(fd),
        ]
        command += [
            "--token-file",
            str(self.folder / f"{name}.token"),
            "--owner",
            f"{name} of this trial",
            *self.options.get(name, []),
        ]
        log = (self.folder / f"{name}.log").open("ab")
        with log:
            self.processes[name] = subprocess.Popen(
                command, pass_fds=[fd], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def wait_ready(self, name: str) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self.processes[name].poll() is not None:
                raise CrowdlogError(
                    f"The service {name} stopped while starting; see {self.folder / name}.log."
                )
            try:
                httpx.get(f"{self.url(name)}/openapi.json", timeout=5).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.05)
            else:
                return
        raise CrowdlogError(
            f"The service {name} did not answer within {READY_SECONDS:g} seconds; "
            f"see {self.folder / name}.log."
        )

    def kill(self, name: str) -> None:
        """End a service the hard way (kill -9)."""
        self.processes[name].kill()
        self.processes[name].wait()

    def restart_dead(self) -> list[str]:
        """Start again what died; return its names."""
        dead = [name for name, process in self.processes.items() if process.poll() is not None]
        for name in dead:
            self.start(name)
        return dead

    def stop(self) -> None:
        stop_services(self.processes.values(), self._sockets)
