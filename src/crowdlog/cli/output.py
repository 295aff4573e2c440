"""How commands show data: aligned for people, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import click

from crowdlog.cli.signals import silence_stdout
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.json_safe import json_safe
from crowdlog.number_format import number

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class InOrderOfUse(click.Group):
    """A group whose help lists its commands as they were added, not by the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@contextmanager
def reporting(done: str) -> Iterator[None]:
    """Printing what was done. When that fails (a full disk), the error says that it was done.

    A reader who has gone (`| head`) is no failure.
    """
    try:
        yield
    except BrokenPipeError:
        silence_stdout()
    except Exception as error:
        silence_stdout()
        kind = InputError if isinstance(error, OSError) else CrowdlogError
        raise kind(f"{done}; only the report could not be printed ({type(error).__name__}).") from error


JSON_VERSION = 1  # of all that is printed with --json; grows when a field goes or changes its meaning


def show_json(data: Any) -> None:
    """JSON that every reader takes, with its version: an infinite number, such as the ε of no guarantee, is
    null; lists are under "items".
    """
    click.echo(json.dumps(versioned(data), indent=2, ensure_ascii=False, allow_nan=False))


def note(sentence: str) -> None:
    """A remark beside the result, on stderr: for programs, which read JSON there, one object in a line."""
    if "--json" in sys.argv[1:] or "--log-format" in sys.argv[1:]:
        sentence = json.dumps({"json_version": JSON_VERSION, "note": sentence}, ensure_ascii=False)
    click.echo(sentence, err=True)


def versioned(data: Any) -> dict[str, Any]:
    """The data as an object that tells its version."""
    plain = json_safe(data)
    return {"json_version": JSON_VERSION} | (plain if isinstance(plain, dict) else {"items": plain})


def show_fields(fields: Mapping[str, Any]) -> None:
    """Name and value, aligned."""
    width = max((len(name) for name in fields), default=0)
    for name, value in fields.items():
        click.echo(f"{name:<{width}}  {number(value)}")


def show_scores(report: Mapping[str, Any], as_json: bool) -> None:
    """Scores with their 95 % intervals; other fields as they are."""
    if as_json:
        show_json(report)
        return
    show_fields(
        {
            name: f"{value['value']:.3f} [{value['interval'][0]:.3f}, {value['interval'][1]:.3f}]"
            if isinstance(value, Mapping)
            else value
            for name, value in report.items()
        }
    )


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Columns as wide as they need; numbers to the right."""
    texts = [[number(value) for value in row] for row in rows]
    widths = [max([len(title), *(len(row[i]) for row in texts)]) for i, title in enumerate(header)]
    numeric = [all(isinstance(row[i], int | float) for row in rows) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(
            cell.rjust(w) if n else cell.ljust(w) for cell, w, n in zip(cells, widths, numeric, strict=True)
        ).rstrip()

    click.echo(line(header))
    for row in texts:
        click.echo(line(row))
