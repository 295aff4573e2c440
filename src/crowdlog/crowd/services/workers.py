"""Several processes of one service behind one socket, which share its data folder and one PostgreSQL.

Each takes requests as they come. What must be done once is claimed in the database, so that a worker that
dies leaves nothing undone and nothing done twice; it is started again.
"""

from __future__ import annotations

import ctypes
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from crowdlog.crowd.services.serve import listening_socket, stop_services

_WATCH_SECONDS = 0.2
_PR_SET_PDEATHSIG = 1
# Options of `crowd serve` that are the parent's own: it listens, they inherit the socket.
_OWN = {"workers", "check", "host", "port", "fd"}
_SPELLED = {"trusted_proxies": "trusted-proxy"}


def run_workers(
    service: str,
    options: dict[str, Any],
    stop: threading.Event,
    announce: Callable[[str], None],
    program: Sequence[str] = ("-m", "crowdlog.cli"),
) -> None:
    """Keep so many processes of a service running until told to stop."""
    inherited = options["fd"]
    listening = (
        listening_socket(options["host"], options["port"])
        if inherited is None
        else socket.socket(fileno=inherited)
    )
    fd = listening.fileno()
    command = [sys.executable, *program, "crowd", "serve", service, *_arguments(options), "--fd", str(fd)]
    workers: list[subprocess.Popen[bytes]] = []
    try:
        workers += [_start(command, fd) for _ in range(options["workers"])]
        scheme = "https" if options["certfile"] else "http"
        announce(f"{scheme}://{options['host']}:{listening.getsockname()[1]}")
        while not stop.wait(_WATCH_SECONDS):
            for number, worker in enumerate(workers):
                if worker.poll() is not None:
                    workers[number] = _start(command, fd)
    finally:
        stop_services(workers, {service: listening})


def _start(command: Sequence[str], fd: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        pass_fds=[fd],
        stdin=subprocess.DEVNULL,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )


def _end_with_parent() -> None:
    """Workers must not go on, unwatched, after a parent that was killed."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _arguments(options: dict[str, Any]) -> list[str]:
    """The options of `crowd serve` as its command line spells them."""
    found: list[str] = []
    for name, value in options.items():
        if name in _OWN or value is None:
            continue
        spelled = f"--{_SPELLED.get(name, name).replace('_', '-')}"
        for one in value if isinstance(value, tuple) else (value,):
            found += [spelled, str(one.absolute() if isinstance(one, Path) else one)]
    return found
