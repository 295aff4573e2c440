"""crowdlog guide: which mechanism, ε, δ and budget, from the answers to four questions."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_json, show_table

if TYPE_CHECKING:
    from crowdlog.planning.guide import Advice

RHYTHMS = ("once", "yearly", "monthly", "weekly", "daily")
AUDIENCES = ("public", "partner", "inside")
PURPOSES = ("queries", "clicks", "suggestions", "everything")


@click.command("guide")
@click.argument("store", required=False)
@click.option(
    "--people", type=click.IntRange(1), help="About how many people: a number you may tell anybody."
)
@click.option("--how-often", type=click.Choice(RHYTHMS), help="How often you want to publish.")
@click.option("--for", "audience", type=click.Choice(AUDIENCES), help="Who will read it.")
@click.option("--what", "purpose", type=click.Choice(PURPOSES), help="What they need.")
@json_option
def command(
    store: str | None,
    people: int | None,
    how_often: str | None,
    audience: str | None,
    purpose: str | None,
    as_json: bool,
) -> None:
    """Advise which mechanism, ε, δ and budget to choose, and why. Spends nothing and looks at no query.

    Asks on a terminal what is not said: how many people, how often, for whom, what for. STORE only names the
    log in the commands that come next: nothing is read from it, not even the number of its people.

    \b
    Example: crowdlog guide --people 20000 --how-often monthly --for public --what everything
    """
    from crowdlog.planning.guide import Needs, advise

    needs = Needs(
        people or _people(),
        how_often or _ask("How often will you publish?", RHYTHMS, "once"),
        audience or _ask("Who will read it?", AUDIENCES, "public"),
        purpose or _ask("What do they need?", PURPOSES, "everything"),
    )
    advice = advise(needs)
    if as_json:
        show_json(advice)
    else:
        _show(advice, store or "STORE", needs.people)


def _people() -> int:
    """As the owner says. It stands in the release, whose label says that it was not read from the log."""
    if not sys.stdin.isatty():
        raise click.UsageError(
            "Say about how many people there are: --people N, a number that you may tell anybody "
            "(subscribers, library cards), not one counted in the log."
        )
    question = "About how many people? (a number you may tell anybody, not one counted in the log)"
    return int(click.prompt(question, type=click.IntRange(1), err=True))


def _ask(question: str, choices: tuple[str, ...], default: str) -> str:
    if not sys.stdin.isatty():
        return default
    return str(click.prompt(question, type=click.Choice(choices), default=default, err=True))


def _up(value: float) -> str:
    """One place, rounded up: nothing is shown smaller than it is."""
    return f"{math.ceil(10 * value) / 10:.1f}"


def _show(advice: Advice, store: str, people: int) -> None:
    click.echo(f"Advice: {advice.mechanism}\n\n{advice.meaning}\n")
    if advice.expected:
        click.echo(advice.expected)
    if advice.instead:
        click.echo(advice.instead)
    click.echo("\nWhy:")
    for reason in advice.reasons:
        click.echo(f"- {reason}")
    click.echo("\nIf you choose another ε:")
    rows = [[c.epsilon, f"{_up(100 * c.certainty)} %", _up(c.odds), c.expected] for c in advice.choices]
    show_table(["ε", "a guess is right at most", "odds times at most", "with the same δ"], rows)
    limit = f"--epsilon {advice.budget_epsilon:g} --delta {advice.budget_delta:g} --gaussian"
    click.echo(f"\nNext:\n  crowdlog budget {store} {limit}")
    click.echo(f"  crowdlog plan {store} '{advice.mechanism}' --users {people}")
    click.echo(f"  crowdlog release {store} '{advice.mechanism}' --users {people} -o OUT")
    click.echo("\nWhat ε means, and what others chose: docs/choosing.md")
