"""`crowdlog crowd collection …`: commands for a collection that is running."""

from __future__ import annotations

import time
from pathlib import Path

import click

from crowdlog.cli.crowd_operator import (
    begin,
    charging,
    collection,
    collection_argument,
    i_know_option,
    invitations_option,
    links_option,
    mining_hours_option,
    operator_option,
    panel_option,
)
from crowdlog.cli.options import FiniteRange
from crowdlog.cli.output import json_option
from crowdlog.errors import InputError


@collection.command(short_help="Plan another end of the mining.")
@operator_option
@collection_argument
@click.option(
    "--hours",
    required=True,
    type=FiniteRange(0, 10_000),
    help="So many hours from now; the terms set the latest.",
)
def extend(operator_file: Path, collection_id: str, hours: float) -> None:
    """Let people join and mine until another moment. Never later than the terms say: members agreed to these.

    \b
    Example: crowdlog crowd collection extend ID --operator trial/operator.json --hours 48
    """
    from crowdlog.crowd.operator import Operator
    from crowdlog.crowd.terms import date

    moment = int(time.time() + 3600 * hours)
    with Operator.from_file(operator_file) as operator:
        operator.extend(collection_id, moment)
    click.echo(f"Mining ends on {date(moment)}.")


@collection.command(short_help="End without a crowd log; delete every report.")
@operator_option
@collection_argument
@click.option("--yes", is_flag=True, help="Cancel without being asked.")
def cancel(operator_file: Path, collection_id: str, yes: bool) -> None:
    """End a collection that is not published yet: every report is deleted and nothing will be published.

    \b
    Example: crowdlog crowd collection cancel ID --operator trial/operator.json --yes
    """
    from crowdlog.crowd.operator import Operator

    if not yes and not click.confirm("Delete every report of this collection for good?"):
        raise InputError("Nothing was cancelled.")
    with Operator.from_file(operator_file) as operator:
        operator.cancel(collection_id)
    click.echo("The collection is cancelled; its reports are deleted.")


@collection.command(short_help="Fetch the crowd log again before it is public.")
@operator_option
@collection_argument
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Folder for the crowd log.")
def preview(operator_file: Path, collection_id: str, out: Path) -> None:
    """Fetch a crowd log that only you can read; look at OUT/index.html before 'release'.

    \b
    Example: crowdlog crowd collection preview ID --operator trial/operator.json -o look
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        folder = operator.preview(collection_id, out)
    click.echo(f"The crowd log is in {folder}; nobody else can read it before 'release'.")


@collection.command(short_help="Go on where trouble stopped a command.")
@operator_option
@collection_argument
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder for the crowd log, after mining.")
def retry(operator_file: Path, collection_id: str, out: Path | None) -> None:
    """Go on where a lost connection or a service that was down stopped 'create', 'cancel' or 'publish'. What
    was done already is not done twice. After 'create' make the links with 'invite'.

    \b
    Example: crowdlog crowd collection retry ID --operator trial/operator.json -o crowdlog
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        phase = operator.retry(collection_id, out)
    click.echo(f"All parties have answered; the collection is in phase '{phase}'.")


@collection.command(short_help="Create the next round of a collection.")
@operator_option
@collection_argument
@invitations_option
@mining_hours_option
@panel_option
@i_know_option
@links_option
@json_option
def repeat(
    operator_file: Path,
    collection_id: str,
    invitations: int,
    mining_hours: float,
    panel: Path | None,
    i_know: bool,
    links: Path,
    as_json: bool,
) -> None:
    """Create the next round of a collection that announced rounds ('create --repeat-days'): the same terms,
    its dates moved on, keys of its own, and the id of this round in them.

    \b
    Example: crowdlog crowd collection repeat ID --operator trial/operator.json --links next.txt
    """
    from crowdlog.crowd.operator import Operator, Terms

    with Operator.from_file(operator_file) as operator:
        terms = Terms.of_next_round(operator.manifest(collection_id), round(3600 * mining_hours))
        if terms.job.panel != (panel.stem if panel else ""):
            raise InputError(f"The people asked are '{terms.job.panel}': name their ledger with --panel.")
        begin(operator, terms, invitations, links, charging(panel, i_know), as_json)
