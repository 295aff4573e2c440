"""crowdlog release: protect a log and publish it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crowdlog.cli.engine import engine_option
from crowdlog.cli.output import json_option, note, reporting, show_json
from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.release.folder import Release


@click.command("release")
@click.argument("store")
@click.argument("mechanism")
@click.option("-o", "--out", required=True, help="The release folder to write.")
@click.option(
    "--i-know",
    is_flag=True,
    help="Release even without a guarantee, with ε above 10 or a large δ; the label says so.",
)
@click.option(
    "--no-check", is_flag=True, help="Do not read the whole store first to see whether it was damaged."
)
@click.option(
    "--users", type=click.IntRange(1), help="About how many people are in the log, if that is public."
)
@click.option(
    "--budget",
    nargs=2,
    type=float,
    metavar="EPSILON DELTA",
    help="Before the first release: the most that all releases of these people may spend together.",
)
@click.option("--sign", metavar="KEY", help="Sign the label with this Ed25519 key (PEM).")
@click.option(
    "--seed", type=int, help="Draw repeatable noise, for tests: it promises nothing, and needs --i-know."
)
@engine_option
@json_option
def command(
    store: str,
    mechanism: str,
    out: str,
    i_know: bool,
    no_check: bool,
    users: int | None,
    budget: tuple[float, float] | None,
    sign: str | None,
    seed: int | None,
    engine: OpenEngine | None,
    as_json: bool,
) -> None:
    """Protect the log in STORE with MECHANISM, charge its ledger, and write a release folder.

    The first release needs a budget: set it before with 'crowdlog budget', or here.

    \b
    Example: crowdlog release STORE 'Korolova(epsilon=2.3, delta=1e-5, d=20)' --budget 5 1e-4 -o OUT
    """
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.privacy.randomness import SeededRandomness
    from crowdlog.release.publish import publish

    chosen, log = parse(mechanism), LogStore.open(store)
    if budget is not None and not chosen.promise().guarantee.protects:
        raise InputError(
            f"{chosen!r} promises no differential privacy, so no budget holds it: leave --budget out. "
            "Nothing was charged."
        )
    randomness = None if seed is None else SeededRandomness(seed)
    for sentence in chosen.advice(log):
        note(sentence)
    _expect(chosen, log, users, i_know=i_know)
    released = publish(
        chosen,
        log,
        out,
        randomness=randomness,
        i_know=i_know,
        check=not no_check,
        users=users,
        budget=budget,
        sign=sign,
        engine=engine,
    )
    with reporting(f"{released.path} is published and charged"):
        _show(released, out, as_json)


def _expect(chosen: Mechanism, log: LogStore, users: int | None, *, i_know: bool) -> None:
    """Say before the charge when nothing is to be expected for it. Only a public number of people may refuse
    an empty release: a refusal by the log's own would depend on one person.
    """
    from crowdlog.planning.expected_rows import expectation

    told = expectation(chosen, log.info.users if users is None else users)
    if told is None or not told[1]:
        return
    sentence = told[0]
    if users is not None and not i_know:
        raise InputError(f"{sentence} Nothing was charged; add --i-know to release all the same.")
    note(sentence)


def _show(released: Release, out: str, as_json: bool) -> None:
    if as_json:
        show_json(released.label.to_json())
        return
    label = released.label
    tables = ", ".join(f"{rows:,} {name}" for name, rows in label.tables.items())
    for warning in label.warnings:
        note(warning)
    click.echo(f"{released.path}: {tables}")
    click.echo(released.label.promise.guarantee)
    click.echo(f"Read {released.path}/label.md, or run: crowdlog explain {out}")
