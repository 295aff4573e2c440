"""The commands that run nodes: `up` (a trial on this machine), `circle` (settings for friends on several),
`node` (one), `engine` (a trial's search engine).
"""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from crowdlog.cli.options import shown_option
from crowdlog.cli.output import json_option, show_fields, show_json
from crowdlog.errors import CrowdlogError
from crowdlog.files.scratch import Scratch

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command(short_help="Settings and certificates for friends on several machines.")
@click.argument("friends", type=_FILE)
@click.option(
    "-o", "--out", "folder", type=_FOLDER, required=True, help="New folder: one folder in it for each."
)
@click.option("--engine", "address", required=True, help="The search engine: an address with {query} in it.")
@shown_option("--days", 365, click.IntRange(1, 3650), "How long the certificates are valid.")
def circle(friends: Path, folder: Path, address: str, days: int) -> None:
    """Make what the nodes of FRIENDS need, a folder for each to be handed to her alone.

    FRIENDS has a line for each: name host:port friend friend … Whoever runs this could keep a copy of every
    key, so it is for one whom all trust; nobody can be added later but by making a new circle.

    \b
    Example: crowdlog forward circle FRIENDS.txt --engine 'https://search.example/?q={query}' -o CIRCLE
    """
    from crowdlog.forwarding.node.circle import read_circle, write_circle

    found = read_circle(friends)
    write_circle(found, address, folder, days)
    click.echo(f"{folder}: {len(found)} folders. Each friend runs: crowdlog forward node NAME/node.json")


@click.command(short_help="Run one node.")
@click.argument("settings", type=_FILE)
@click.option("--fd", type=int, hidden=True, help="A socket for neighbours, inherited from the parent.")
@click.option("--page-fd", type=int, hidden=True, help="A socket for the page, inherited from the parent.")
@click.option("--check", is_flag=True, help="Read the settings, say what would run and stop.")
def node(settings: Path, fd: int | None, page_fd: int | None, check: bool) -> None:
    """Run one node in the foreground by its file of SETTINGS, and a page to search from on this machine.

    docs/forwarding.md says what stands in the file; `crowdlog forward up` writes such files.

    \b
    Example: crowdlog forward node node000.json --check
    """
    from crowdlog.crowd.services.serve import Listen, listening_socket, serve
    from crowdlog.forwarding.node.app import Node
    from crowdlog.forwarding.node.certificates import tls
    from crowdlog.forwarding.node.settings import read_settings
    from crowdlog.privacy.randomness import SystemRandomness

    given = read_settings(settings)
    if check:
        tls(given.certificate, given.key, given.authority, listening=True)  # can they be read?
        click.echo(
            f"{given.name}: {len(given.neighbours)} neighbours, delay {given.delay:g} s, cover "
            f"{given.cover:g} s."
        )
        return
    peers = listening_socket(given.host, given.port) if fd is None else socket.socket(fileno=fd)
    built = Node(given, SystemRandomness(), peers)
    listen = Listen("127.0.0.1", given.page_port, page_fd)
    serve(
        built.app,
        listen,
        lambda url: click.echo(f"neighbours on port {peers.getsockname()[1]}, search at {url}"),
    )


@click.command(short_help="Run the search engine of a trial.")
@shown_option("--port", 0, click.IntRange(0, 65535), "Port; 0 takes a free one.")
@click.option("--fd", type=int, hidden=True, help="A listening socket inherited from the parent.")
@click.option("--check", is_flag=True, help="Build the index, say how large it is and stop.")
def engine(port: int, fd: int | None, check: bool) -> None:
    """Search public word pairs (SQLite FTS5, in memory); for trials.

    \b
    Example: crowdlog forward engine --check
    """
    from crowdlog.crowd.services.serve import Listen, serve
    from crowdlog.forwarding.backend import SearchBackend, public_titles
    from crowdlog.privacy.randomness import SystemRandomness

    backend = SearchBackend(SystemRandomness())
    if check:
        click.echo(f"{len(public_titles()):,} titles.")
        return
    serve(backend.app, Listen("127.0.0.1", port, fd), lambda url: click.echo(f"listening on {url}/search?q="))


@click.command(short_help="A trial: nodes on this machine and a script of searches.")
@shown_option("--nodes", 50, click.IntRange(11, 500), "How many nodes.")
@shown_option("--exponent", 1.3, float, "Exponent of the graph's power law.")
@click.option("--graph", type=_FILE, help="File with two node numbers a line instead of --nodes.")
@shown_option("--searches", 0, click.IntRange(0), "Searches of the script; 0: none, the trial stays up.")
@shown_option("--kills", 0, click.IntRange(0), "How often a random node is killed with -9 meanwhile.")
@shown_option("--at-once", 16, click.IntRange(1, 200), "Searches under way at a time.")
@shown_option("--delay", 0.0, click.FloatRange(0, 60), "Longest random wait at each hop, in seconds.")
@shown_option(
    "--cover", 0.0, click.FloatRange(0), "Mean seconds between made-up searches of a node; 0: none."
)
@shown_option("--seed", 1, click.IntRange(0, 2**53), "Seed of graph, searches and kills.")
@click.option("--folder", type=_FOLDER, help="Keep settings, certificates and logs here.")
@click.option(
    "--seconds", type=click.FloatRange(0), help="Without a script: stop after so long; otherwise at Ctrl-C."
)
@json_option
def up(
    nodes: int, exponent: float, graph: Path | None, searches: int, kills: int, at_once: int,
    seed: int, folder: Path | None, seconds: float | None, as_json: bool, **options: Any,
) -> None:  # fmt: skip
    """Start nodes and a search engine on this machine, and run a script of searches against them.

    A trial on one machine protects nobody from its owner.

    \b
    Example: crowdlog forward up --nodes 12 --searches 40 --kills 2
    """
    from crowdlog.crowd.services.local import told_to_stop
    from crowdlog.forwarding.graphs import power_law, read_edges
    from crowdlog.forwarding.trial import NodeTrial, run_script

    drawn = read_edges(graph) if graph else power_law(nodes, exponent=exponent, seed=seed)
    with ExitStack() as stack:
        place = folder or stack.enter_context(Scratch("forward"))
        stop = stack.enter_context(told_to_stop())
        trial = stack.enter_context(NodeTrial(place, drawn.pairs(), **options))
        if searches == 0:
            show_fields({name: trial.url(name) for name in trial.names})
            click.echo("Ready; open one of these pages to search. Stop with Ctrl-C.")
            end = None if seconds is None else time.monotonic() + seconds
            while not stop.wait(0.2) and (end is None or time.monotonic() < end):
                pass
            return
        told = run_script(trial, searches=searches, kills=kills, seed=seed, at_once=at_once)
    show_json(told) if as_json else show_fields(
        {name: value for name, value in told.items() if name != "why"}
    )
    if told["of them right"] != told["answered once"]:
        raise CrowdlogError("An answer was not the engine's.")
