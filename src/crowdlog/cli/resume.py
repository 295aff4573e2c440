"""crowdlog resume: finish what a crash left charged but unpublished."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from crowdlog.cli.engine import engine_option
from crowdlog.cli.output import json_option, reporting, show_json

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine
    from crowdlog.log.store import LogStore
    from crowdlog.release.folder import Release


@click.command("resume")
@click.argument("store")
@click.option(
    "--charge", type=int, metavar="N", help="Only the release of this charge (see 'crowdlog budget')."
)
@click.option("--to", metavar="PLACE", help="Show the release here instead; or: it was moved here.")
@click.option("--give-up", is_flag=True, help="Close charge N for good: it stays spent and is never drawn.")
@click.option(
    "--users", type=click.IntRange(1), help="About how many people are in the log, if that is public."
)
@click.option("--sign", metavar="KEY", help="Sign the labels that are still to be written.")
@engine_option
@json_option
def command(
    store: str,
    charge: int | None,
    to: str | None,
    give_up: bool,
    users: int | None,
    sign: str | None,
    engine: OpenEngine | None,
    as_json: bool,
) -> None:
    """Finish every release of STORE that was charged but not published, at no further charge.

    If nothing was shown yet, left-over files are destroyed unread and the noise is drawn afresh.
    A release that was complete is published as it is: it may have been seen, so it is never drawn again.
    One that cannot be finished does not keep the others from it.

    \b
    Example: crowdlog resume STORE
    """
    from crowdlog.errors import InputError
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms import parse
    from crowdlog.release.resume import Unfinished, resume

    log = LogStore.open(store)
    if give_up:
        _give_up(log, charge, to, as_json)
        return
    try:
        done = resume(log, parse, charge=charge, to=to, users=users, sign=sign, engine=engine)
    except Unfinished as unfinished:
        with suppress(InputError):  # what could not be finished is told even if the rest cannot be printed
            _show(unfinished.finished, as_json)
        raise
    _show(done, as_json)
    if not done and not as_json:
        with reporting("there was nothing to finish"):
            click.echo("Nothing to finish.")


def _show(done: list[Release], as_json: bool) -> None:
    paths = ", ".join(str(release.path) for release in done)
    with reporting(f"{paths} published" if done else "nothing was published"):
        if as_json:
            show_json([{"path": str(r.path), "mechanism": " and ".join(r.label.mechanisms)} for r in done])
            return
        for release in done:
            click.echo(f"finished {release.path}")


def _give_up(log: LogStore, charge: int | None, to: str | None, as_json: bool) -> None:
    from crowdlog.errors import InputError
    from crowdlog.release.resume import give_up

    if charge is None or to is not None:
        raise InputError("Give --give-up together with --charge N and without --to: it closes one charge.")
    entry = give_up(log, charge)
    with reporting(f"charge {entry.id} is closed and stays spent"):
        if as_json:
            show_json({"charge": entry.id, "state": "lost"})
        else:
            click.echo(f"Charge {entry.id} is closed. It stays spent; nothing is published for it.")
