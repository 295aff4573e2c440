"""The commands that run services: `up` (all of a trial), `serve` (one), `simulate` (a crowd against real
services).
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from crowdlog.artifacts.kinds import QUERY_ARTIFACTS
from crowdlog.cli.options import FiniteRange, shown_option
from crowdlog.cli.output import json_option, show_fields, show_json
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch

_WATCH_SECONDS = 0.2  # how often a trial looks after its services
_FOLDER = click.Path(path_type=Path, file_okay=False)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(short_help="Start all services of a trial on this machine.")
@click.argument("folder", type=_FOLDER)
@shown_option("--mixes", 2, click.IntRange(2, 9), "How many mix nodes stand in the chain.")
@shown_option(
    "--port", 0, click.IntRange(0, 65000), "First port; 0 takes free ones, later those of the first start."
)
@shown_option(
    "--pool",
    20,
    click.IntRange(1),
    "Envelopes that always stay behind in a mix; as many at least leave together.",
)
@shown_option("--delay", 10.0, FiniteRange(0, 86_400), "Longest random wait of a full batch, in seconds.")
@click.option("--seconds", type=FiniteRange(0), help="Stop after so long; otherwise at Ctrl-C.")
def up(folder: Path, mixes: int, port: int, pool: int, delay: float, seconds: float | None) -> None:
    """Start all services on this machine for a trial; data, tokens and operator.json go to FOLDER.

    A trial on one machine protects nobody from its owner: run each service at another party for real
    (docs/crowd.md).

    \b
    Example: crowdlog crowd up trial --seconds 2
    """
    from crowdlog.crowd.services.local import LocalServices, told_to_stop

    options = {f"mix{number}": ["--pool", str(pool), "--delay", str(delay)] for number in range(1, mixes + 1)}
    with (
        told_to_stop() as stop,
        LocalServices(folder, mixes=mixes, first_port=port, options=options) as services,
    ):
        show_fields({name: services.url(name) for name in services.names})
        example = (
            f"crowdlog crowd collection create --operator {folder}/operator.json --title TITLE --k 10 "
            "--links links.txt"
        )
        click.echo(f"Ready; stop with Ctrl-C. Create a collection with: {example}")
        end = None if seconds is None else time.monotonic() + seconds
        while not stop.wait(_WATCH_SECONDS) and (end is None or time.monotonic() < end):
            for name in services.restart_dead():
                click.echo(f"{name} stopped and was started again.", err=True)
    click.echo(f"Stopped. The same command goes on with what is in {folder}.")


@click.command(short_help="Run one service.")
@click.argument("service", type=click.Choice(["randomness", "mix", "aggregation"]))
@click.option("--data", required=True, type=_FOLDER, help="Folder for this service's keys and database.")
@click.option(
    "--token-file",
    required=True,
    type=_FILE,
    help="File with the operator's bearer token, or lines 'ROLE: TOKEN'.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@shown_option("--port", 0, click.IntRange(0, 65535), "Port to listen on; 0 takes a free one.")
@click.option("--fd", type=int, hidden=True, help="A listening socket inherited from the parent.")
@click.option("--certfile", type=_FILE, help="Certificate for TLS.")
@click.option("--keyfile", type=_FILE, help="Key of the certificate.")
@click.option("--database", help="postgresql://USER@HOST/NAME instead of SQLite in the data folder.")
@click.option(
    "--owner", default="unnamed", show_default=True, help="Who runs this service; stands in the terms."
)
@shown_option(
    "--pool",
    100,
    click.IntRange(1),
    "mix: envelopes that always stay behind; as many at least leave together.",
)
@shown_option("--smallest-crowd", 1, click.IntRange(1), "randomness: refuse collections of fewer people.")
@shown_option(
    "--delay", 60.0, FiniteRange(0, 86_400), "mix: longest random wait of a full batch, in seconds."
)
@click.option("--cafile", type=_FILE, help="mix, aggregation: certificates to trust for the other services.")
@shown_option("--rate", 50.0, FiniteRange(0, 1e9), "Requests per second from one address; 0: no limit.")
@shown_option("--elements", 200.0, FiniteRange(0, 1e9), "randomness: elements per second from one address.")
@shown_option("--body", 2 * 2**20, click.IntRange(1024), "Largest request in bytes.")
@shown_option(
    "--read-seconds",
    10.0,
    FiniteRange(0.1, 86_400),
    "Longest time for a request's head, and its body, to arrive.",
)
@shown_option("--connections", 512, click.IntRange(1, 1_000_000), "Most connections at once.")
@click.option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A reverse proxy whose X-Forwarded-For names the client; repeatable.",
)
@shown_option("--workers", 1, click.IntRange(1, 64), "aggregation: processes that share --database.")
@click.option("--check", is_flag=True, help="Say what would be served and stop.")
def serve(service: str, **options: Any) -> None:
    """Run one service in the foreground. /openapi.json of a running service describes its calls.

    \b
    Example: crowdlog crowd serve randomness --data DIR --token-file TOKEN --check
    """
    from crowdlog.crowd.services.serve import Listen
    from crowdlog.crowd.services.serve import serve as run

    make_app = _maker(service, options)
    if options["workers"] > 1 and (service != "aggregation" or not options["database"]):
        raise InputError("Several --workers are for the aggregation server with --database postgresql://….")
    if options["check"]:
        click.echo(
            f"{service}: data in {options['data']}, {'PostgreSQL' if options['database'] else 'SQLite'}, TLS "
            f"{'on' if options['keyfile'] else 'off'}."
        )
        return
    if options["workers"] > 1:
        _run_workers(service, options, make_app)
        return
    where = (options["host"], options["port"], options["fd"], options["certfile"], options["keyfile"])
    listen = Listen(
        *where,
        connections=options["connections"],
        head_seconds=options["read_seconds"],
        trusted_proxies=options["trusted_proxies"],
    )
    run(make_app, listen, lambda url: click.echo(f"listening on {url}"))


def _run_workers(service: str, options: dict[str, Any], make_app: Any) -> None:
    """Run several processes of a service; keys and tables are made before the first of them starts."""
    from crowdlog.crowd.services.local import told_to_stop
    from crowdlog.crowd.services.workers import run_workers

    make_app(once=True)
    with told_to_stop() as stop:
        run_workers(service, options, stop, lambda url: click.echo(f"listening on {url}"))


def _maker(service: str, options: dict[str, Any]) -> Any:
    """Return the function that makes the service's application."""
    from crowdlog.crowd.services.aggregation import AggregationServer
    from crowdlog.crowd.services.limits import Limits
    from crowdlog.crowd.services.mix import MixNode
    from crowdlog.crowd.services.randomness import RandomnessServer
    from crowdlog.privacy.randomness import SystemRandomness

    rate = options["rate"]
    limits = Limits(options["body"], options["read_seconds"], rate, max(2 * int(rate), 10))
    common = (options["data"], SystemRandomness(), _token(options["token_file"]), limits)
    more: dict[str, Any] = {"database_url": options["database"], "owner": options["owner"]}
    cafile = str(options["cafile"]) if options["cafile"] else None
    if service == "randomness":
        more |= {"elements_per_second": options["elements"], "smallest_crowd": options["smallest_crowd"]}
        return lambda: RandomnessServer(*common, **more).app()
    if service == "aggregation":

        def aggregation(*, once: bool = False) -> Any:
            server = AggregationServer(*common, cafile=cafile, **more)
            return server.close() if once else server.app()

        return aggregation
    return lambda: MixNode(*common, pool=options["pool"], delay=options["delay"], cafile=cafile, **more).app()


def _token(path: Path) -> str:
    from crowdlog.crowd.services.roles import Tokens

    try:
        token = path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"The token file {path} cannot be read; write at least 32 random characters into it."
        ) from error
    try:
        Tokens.parse(token)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return token


@click.command(short_help="A simulated crowd against real services, compared with FTu.")
@shown_option("--clients", 1000, click.IntRange(1), "How many people take part.")
@shown_option("--k", 10, click.IntRange(5, 1000), "How many people an artifact needs.")
@shown_option("--rows", 8, click.IntRange(0), "Rows of each person's log that take part; 0: all.")
@shown_option("--seed", 7, int, "Seed of the synthetic log.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, exists=True),
    help="Let the users of this log take part instead of synthetic ones.",
)
@shown_option("--workers", 2, click.IntRange(1), "Processes that act as clients.")
@click.option(
    "--inner",
    type=click.Choice([kind for kind in QUERY_ARTIFACTS if kind != "query"]),
    help="Nested: what opens inside queries.",
)
@click.option("--inner-k", type=click.IntRange(5, 1000), help="How many people that needs; k if left out.")
@click.option("--cover", is_flag=True, help="Everybody sends as many reports, the rest of them empty.")
@click.option("--folder", type=_FOLDER, help="Keep the services' data and the crowd log here.")
@json_option
def simulate(
    clients: int,
    rows: int,
    seed: int,
    log: Path | None,
    folder: Path | None,
    as_json: bool,
    inner_k: int | None,
    **terms: Any,
) -> None:
    """Run a simulated crowd over HTTP against real services, and compare the crowd log with FTu on the union
    of the logs.

    \b
    Example: crowdlog crowd simulate --clients 40 --k 5 --rows 3
    Example: crowdlog crowd simulate --clients 60 --k 5 --rows 4 --inner click --inner-k 6
    """
    from crowdlog.crowd.simulate import simulate as run
    from crowdlog.crowd.simulate import synthetic_crowd

    with ExitStack() as stack:
        place = folder or stack.enter_context(Scratch("crowd"))
        place.mkdir(parents=True, exist_ok=True)
        source = log or synthetic_crowd(place / "crowd.tsv", clients=clients, rows=rows, seed=seed)
        report = run(source, folder=place, inner_k=inner_k or terms["k"], **terms)
    show_json(report) if as_json else show_fields(report)
    if not report["equal"]:
        raise InputError("The crowd log differs from FTu on the union of the logs.")
