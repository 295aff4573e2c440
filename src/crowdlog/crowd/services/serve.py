"""Running one service as a process: HTTP or HTTPS, on a port of its own or on a socket that its parent
opened.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from crowdlog.crowd.services.connection_limits import limited_protocol
from crowdlog.errors import InputError

# Stopping waits so long for requests under way.
_GOODBYE_SECONDS = 10


@dataclass(frozen=True)
class Listen:
    """Where a service listens.

    `fd`: a listening socket inherited from the parent, which outlives the service.
    """

    host: str = "127.0.0.1"
    port: int = 0
    fd: int | None = None
    certfile: Path | None = None
    keyfile: Path | None = None
    connections: int = 512  # more at once are answered 503 at the door
    head_seconds: float = 10.0  # longest time for the head of a request to arrive


def listening_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one."""
    try:
        return socket.create_server((host, port), backlog=2048)
    except OSError as error:
        raise InputError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port, or 0 for a free one."
        ) from error


def serve(make_app: Callable[[], Starlette], listen: Listen, announce: Callable[[str], None]) -> None:
    """Serve until told to stop. `announce` is told the address once the socket is open.

    Requests are not logged: a log of them is an origin kept.
    """
    if (listen.certfile is None) != (listen.keyfile is None):
        raise InputError("TLS needs both a certificate and its key: give --certfile and --keyfile.")
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    opened = (
        listening_socket(listen.host, listen.port) if listen.fd is None else socket.socket(fileno=listen.fd)
    )
    with opened:
        config = uvicorn.Config(
            make_app(),
            log_config=None,
            access_log=False,
            # uvicorn's own error log prints tracebacks, which may quote a request; ours names the type only
            log_level="critical",
            proxy_headers=False,  # a header must not choose which address a limit applies to
            server_header=False,
            http=limited_protocol(listen.connections, listen.head_seconds),
            ws="none",
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
            ssl_certfile=listen.certfile,
            ssl_keyfile=listen.keyfile,
        )
        scheme = "https" if listen.certfile else "http"
        announce(f"{scheme}://{listen.host}:{opened.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[opened])
