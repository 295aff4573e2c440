"""Running one service as a process: HTTP or HTTPS, on a port of its own or on a socket that its parent
opened.
"""

from __future__ import annotations

import ipaddress
import logging
import socket
import ssl
import subprocess
from collections.abc import Callable, Collection, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from crowdlog.crowd.services.connection_limits import limited_protocol
from crowdlog.errors import InputError

# Stopping waits so long for requests under way.
_GOODBYE_SECONDS = 10
_STOP_SECONDS = 30.0  # for a process to end by itself


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
    trusted_proxies: tuple[str, ...] = ()  # addresses or networks whose X-Forwarded-For is believed


def listening_socket(host: str, port: int) -> socket.socket:
    """Open a listening socket; port 0 takes a free one."""
    try:
        return socket.create_server((host, port), backlog=2048)
    except OSError as error:
        raise InputError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Choose another port, or 0 for a free one."
        ) from error


def stop_services(
    processes: Collection[subprocess.Popen[Any]], sockets: MutableMapping[str, socket.socket]
) -> None:
    """End all of them, kindly at first, and close the sockets that they listened on."""
    for process in processes:
        process.terminate()
    for process in processes:
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for opened in sockets.values():
        opened.close()
    sockets.clear()


def _refuse_no_network(proxy: str) -> None:
    try:
        ipaddress.ip_network(proxy)
    except ValueError as error:
        raise InputError(
            "--trusted-proxy takes an address or a network in numbers, for example 10.0.0.1 or 10.0.0.0/24."
        ) from error


def _refuse_no_certificate(certfile: Path, keyfile: Path | None) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certfile, keyfile)
    except OSError as error:  # also one of TLS
        why = "they are no pair in PEM" if isinstance(error, ssl.SSLError) else error.strerror
        raise InputError(
            f"The certificate {certfile} and its key {keyfile} cannot be used ({why}): both must be readable "
            "PEM files that belong together."
        ) from None


def serve(make_app: Callable[[], Starlette], listen: Listen, announce: Callable[[str], None]) -> None:
    """Serve until told to stop. `announce` is told the address once the socket is open.

    Requests are not logged: a log of them is an origin kept.
    """
    if (listen.certfile is None) != (listen.keyfile is None):
        raise InputError("TLS needs both a certificate and its key: give --certfile and --keyfile.")
    if listen.certfile is not None:
        _refuse_no_certificate(listen.certfile, listen.keyfile)
    for proxy in listen.trusted_proxies:
        _refuse_no_network(proxy)
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
            # from anybody else a header must not choose which address a limit applies to
            proxy_headers=bool(listen.trusted_proxies),
            forwarded_allow_ips=list(listen.trusted_proxies),
            server_header=False,
            http=limited_protocol(listen.connections, listen.head_seconds),
            ws="none",
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
            ssl_certfile=listen.certfile,
            ssl_keyfile=listen.keyfile,
        )
        config.load()
        scheme = "https" if listen.certfile else "http"
        announce(f"{scheme}://{listen.host}:{opened.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[opened])
