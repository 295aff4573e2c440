"""crowdlog reproduce: the papers' numbers beside ours."""

from __future__ import annotations

import sys

import click

from crowdlog.cli.output import json_option, show_json, show_table


@click.command("reproduce")
@click.argument("which", required=False)
@json_option
def command(which: str | None, as_json: bool) -> None:
    """Compute the published numbers again: expected, got, OK or OFF. WHICH picks those whose name contains it.

    The exit code is 1 when a number is off.

    \b
    Example: crowdlog reproduce korolova
    """
    from crowdlog.errors import InputError
    from crowdlog.reproduce import reproduce

    rows = reproduce(which or "")
    if not rows:
        raise InputError(f"No published number is called '{which}'. Run 'crowdlog reproduce' to see all names.")
    if as_json:
        show_json([{"name": r.name, "expected": r.expected, "got": r.got, "ok": r.ok} for r in rows])
    else:
        show_table(["number", "expected", "got", ""], [[r.name, r.expected, r.shown, "OK" if r.ok else "OFF"] for r in rows])
        click.echo(f"\n{sum(r.ok for r in rows)} of {len(rows)} OK")
    sys.exit(0 if all(r.ok for r in rows) else 1)
