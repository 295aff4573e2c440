"""The commands that study: `simulate` (a crowd and the seed's tables), `attack` (what each party learns)."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from crowdlog.cli.options import shown_option
from crowdlog.cli.output import json_option, show_fields, show_json, show_table, versioned
from crowdlog.errors import InputError
from crowdlog.files.private import write_for_owner
from crowdlog.files.whole import write_whole

_FILE = click.Path(path_type=Path, dir_okay=False)
_SHARE = click.FloatRange(0, 1)
_SEED = click.IntRange(0, 2**53)  # what JSON can hold
VERSION = 2  # of the JSON


@click.command(short_help="Simulate a crowd of up to ten million users.")
@shown_option("--users", 10_000, click.IntRange(11), "How many users.")
@shown_option("--queries", 10, click.IntRange(1, 10_000), "Queries of each user; with --log the most.")
@click.option(
    "--log",
    type=click.Path(path_type=Path, exists=True),
    help="A log store: its users search instead of made-up ones.",
)
@click.option(
    "--repeated", is_flag=True, help="Each user repeats one query of her own, the seed's worst case."
)
@click.option("--graph", type=_FILE, help="File with two user numbers a line instead of a random graph.")
@shown_option("--exponent", 1.3, float, "Exponent of the power law of neighbours.")
@shown_option("--zeta", 0.03, _SHARE, "ζ: what an accepted or refused query changes.")
@click.option(
    "--theta",
    nargs=2,
    default=(0.6, 0.8),
    show_default=True,
    type=_SHARE,
    help="Share of the list that is cut, from and to.",
)
@shown_option(
    "--returns",
    "source never",
    click.Choice(["source never", "own back", "never twice"]),
    "What becomes of a query that comes back.",
)
@shown_option("--selfish", 0.0, _SHARE, "Share of users who never accept.")
@shown_option("--offline", 0.0, _SHARE, "Share of rounds in which a user does not answer.")
@shown_option("--leave", 0.0, _SHARE, "Probability that who accepted leaves before the answer.")
@shown_option("--seed", 1, _SEED, "The same seed gives the same result.")
@click.option("--threads", type=click.IntRange(1, 16), help="All cores if left out; the result is the same.")
@shown_option("--tables", 0, click.IntRange(0, 1000), "Do the seed's tables again on so many graphs; 0: not.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for results.json, page.html and, with --tables, tables.md.",
)
@json_option
def simulate(out: Path | None, tables: int, seed: int, as_json: bool, **options: Any) -> None:
    """Let users send queries over a social graph and measure exposure, hops, load and what selfishness costs.

    \b
    Example: crowdlog forward simulate --users 1000 --queries 20 -o TRAVEL
    Example: crowdlog forward simulate --users 1000 --queries 20 --selfish 0.1 --json
    """
    from crowdlog.forwarding.measures import distributions, summary
    from crowdlog.forwarding.page import page
    from crowdlog.forwarding.study import SeedStudy
    from crowdlog.forwarding.tables_text import tables_text

    if out is not None and out.exists():
        raise InputError(f"{out} exists already; choose another folder.")
    done = _simulated(options, seed)
    figures, spread = summary(done), distributions(done)
    panels, claims = SeedStudy(tables, seed).run() if tables else ([], [])
    results = {
        "version": VERSION,
        "command": _command_line(click.get_current_context()),
        "seed": seed,
        "rules": done.rules.as_dict(),
        "figures": figures,
        "tables": [vars(panel) | {"chart": None} for panel in (*spread, *panels)],
        "claims": [vars(claim) for claim in claims],
    }
    if out is not None:
        out.mkdir(parents=True)
        text = page(figures, spread, panels, claims, results["command"], of_a_log=bool(options["log"]))
        write = write_for_owner if options["log"] else write_whole  # of a log: exact figures of its people
        write(out / "page.html", text)
        if tables:
            write(out / "tables.md", tables_text(panels, claims))
        write(out / "results.json", json.dumps(versioned(results), indent=2, ensure_ascii=False))
    if as_json:
        show_json(results)
        return
    show_fields(figures)
    for claim in claims:
        click.echo(f"{'holds' if claim.holds else 'DIFFERS'}: {claim.text} Ours: {claim.why}.")


def _command_line(context: click.Context) -> str:
    """The command that gives the same results again: all that was asked for, files by their names alone."""
    words = ["crowdlog forward simulate"]
    for option in context.command.params:
        value = context.params[option.name or ""]
        asked = context.get_parameter_source(option.name or "") is click.core.ParameterSource.COMMANDLINE
        if not asked or option.name in ("out", "as_json", "threads"):
            continue
        words.append(option.opts[-1])
        if value is True:
            continue
        values = value if isinstance(value, tuple) else (value,)
        words += [shlex.quote(one.name if isinstance(one, Path) else str(one)) for one in values]
    return " ".join(words)


def _simulated(options: dict[str, Any], seed: int) -> Any:
    from crowdlog.forwarding.graphs import power_law, read_edges
    from crowdlog.forwarding.rules import Rules
    from crowdlog.forwarding.simulate import simulate as run
    from crowdlog.forwarding.workload import of_log, repeated, topical
    from crowdlog.log.store import LogStore
    from crowdlog.release.publish import note_look

    users, queries = options["users"], options["queries"]
    names = ("zeta", "theta", "returns", "selfish", "offline", "leave")
    rules = Rules(**{name: options[name] for name in names})
    graph = read_edges(options["graph"]) if options["graph"] else None
    if options["log"]:
        store = LogStore.open(options["log"])
        note_look(store, "forward")
        wanted = graph.users if graph is not None else min(users, store.info.users)
        log = of_log(store, wanted, queries)
    else:
        wanted = graph.users if graph is not None else users
        log = repeated(wanted, queries) if options["repeated"] else topical(wanted, queries, seed=seed)
    graph = graph or power_law(wanted, exponent=options["exponent"], seed=seed)
    return run(graph, log, rules, seed=seed, threads=options["threads"])


@click.command(short_help="Attack a simulated crowd, with and without repairs.")
@shown_option("--users", 500, click.IntRange(11, 5000), "How many users.")
@shown_option("--queries", 100, click.IntRange(10, 1000), "Real queries of each user.")
@shown_option("--seed", 1, _SEED, "The same seed gives the same result.")
@json_option
def attack(users: int, queries: int, seed: int, as_json: bool) -> None:
    """What the engine, a neighbour, colluding neighbours and an engine with nodes learn, against chance.

    \b
    Example: crowdlog forward attack --users 60 --queries 10
    """
    from crowdlog.forwarding.attacks.run import attack_all

    rows = attack_all(users, queries, seed=seed)
    if as_json:
        show_json(
            {
                "version": VERSION,
                "users": users,
                "queries": queries,
                "seed": seed,
                "rows": [row.as_dict() for row in rows],
            }
        )
        return
    table = [
        [row.attack, row.detail, row.repair, row.chance, row.success, f"{row.low:.3f}–{row.high:.3f}"]
        for row in rows
    ]
    show_table(["attacker", "what", "repair", "chance", "success", "95 %"], table)
