"""crowdlog run: a whole pipeline as a file says."""

from __future__ import annotations

import io
import json
import time
from contextlib import redirect_stdout
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_json

if TYPE_CHECKING:
    from crowdlog.planning.pipeline import PipelineStep


@click.command("run")
@click.argument("pipeline", type=click.Path(path_type=Path))
@click.option(
    "--date", "day", metavar="YYYY-MM-DD", help="The day that {date}, {month} and {year} stand for: today."
)
@click.option("--dry-run", is_flag=True, help="Only print the commands.")
@json_option
def command(pipeline: Path, day: str | None, dry_run: bool, as_json: bool) -> None:
    """Import, set the budget, release, verify, export and make the site, as PIPELINE (TOML) says.

    What is there already is not done again: after a stop, run it once more. An unfinished release is finished
    first, at no further charge. The exit code is that of the step that failed.

    \b
    Example: crowdlog run pipeline.toml --dry-run
    """
    from crowdlog.errors import InputError
    from crowdlog.planning.pipeline import read_pipeline

    try:
        today = date.fromisoformat(day) if day else datetime.now().astimezone().date()
    except ValueError:
        raise InputError(f"--date must be a day written YYYY-MM-DD. Got {day!r}.") from None
    steps = read_pipeline(pipeline, today)
    if dry_run and as_json:
        show_json({"pipeline": str(pipeline), "commands": [["crowdlog", *step.words] for step in steps]})
        return
    if dry_run:
        for step in steps:
            click.echo(f"crowdlog {' '.join(map(_quoted, step.words))}")
        return
    done = [_run(step, as_json) for step in steps]
    if as_json:
        show_json({"pipeline": str(pipeline), "steps": done})


def _quoted(word: str) -> str:
    import shlex

    return shlex.quote(word)


def _run(step: PipelineStep, as_json: bool) -> dict[str, object]:
    """One step in this process, so that its errors and exit codes are those of the pipeline."""
    from crowdlog.cli import cli

    begun = time.monotonic()
    told: dict[str, object] = {"step": step.name, "state": "there already" if step.done else "done"}
    if not as_json:
        click.echo(f"== {step.name}: there already" if step.done else f"== {step.name}")
    if not step.done and as_json:
        told["result"] = _answer(step)
    elif not step.done:
        cli.main(list(step.words), standalone_mode=False)
    return told | {"seconds": round(time.monotonic() - begun, 3)}


def _answer(step: PipelineStep) -> dict[str, object]:
    """What the step itself prints with --json: a field of the pipeline's object, and no text beside it."""
    from crowdlog.cli import cli

    printed = io.StringIO()
    with redirect_stdout(printed):
        cli.main([*step.words, "--json"], standalone_mode=False)
    answer: dict[str, object] = json.loads(printed.getvalue())
    return answer
