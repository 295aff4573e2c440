"""crowdlog reproduce: the papers' numbers beside ours, and their figures redone."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from crowdlog.cli.output import json_option, show_json, show_table
from crowdlog.errors import InputError


@click.command("reproduce")
@click.argument("which", required=False)
@click.option(
    "--figures",
    is_flag=True,
    help="Redo figures and tables on a synthetic log, and write a page. Takes minutes.",
)
@click.option(
    "--users",
    default=20_000,
    show_default=True,
    help="With --figures: how many people the synthetic log has.",
)
@click.option(
    "-o",
    "--out",
    default="reproduction",
    show_default=True,
    type=click.Path(path_type=Path),
    help="With --figures: the folder to write.",
)
@click.option("--jobs", default=2, show_default=True, help="With --figures: how many studies at a time.")
@json_option
def command(which: str | None, figures: bool, users: int, out: Path, jobs: int, as_json: bool) -> None:
    """Compute the published numbers again: expected, got, OK or OFF. WHICH picks those whose name contains
    it.

    The exit code is 1 when a number is off. With --figures: redo the papers' figures and tables on a
    synthetic log, and write OUT/index.html with
    the printed values beside ours and what holds of the papers' statements. A run that was stopped goes on
    where it was.

    \b
    Example: crowdlog reproduce korolova
    Example: crowdlog reproduce --figures korolova-figure-2 --users 200 -o FIGURES
    """
    if figures:
        _figures(which or "", users, out, jobs, as_json)
    else:
        _numbers(which or "", as_json)


def _numbers(which: str, as_json: bool) -> None:
    from crowdlog.reproduce import reproduce

    rows = reproduce(which)
    if not rows:
        raise InputError(
            f"No published number is called '{which}'. Run 'crowdlog reproduce' to see all names."
        )
    if as_json:
        show_json([{"name": r.name, "expected": r.expected, "got": r.got, "ok": r.ok} for r in rows])
    else:
        show_table(
            ["number", "expected", "got", ""],
            [[r.name, r.expected, r.shown, "OK" if r.ok else "OFF"] for r in rows],
        )
        click.echo(f"\n{sum(r.ok for r in rows)} of {len(rows)} OK")
    sys.exit(0 if all(r.ok for r in rows) else 1)


def _figures(which: str, users: int, out: Path, jobs: int, as_json: bool) -> None:
    from crowdlog.reproduce.figures import PAGE, figures

    done = figures(which, users=users, out=out, jobs=jobs)
    if as_json:
        show_json([one.as_dict() for one in done])
        return
    rows = [[one.study.name, one.study.title, *one.verdicts().values()] for one in done]
    show_table(["study", "what it shows", "holds", "differs", "undecided"], rows)
    click.echo(f"\n{out / PAGE}: the printed values beside ours, and why some statements differ.")
