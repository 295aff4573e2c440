"""`crowdlog crowd collection …`: the operator's commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crowdlog.artifacts.kinds import ARTIFACTS, COLLECTED_ARTIFACTS, QUERY_ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.cli.options import FiniteRange, shown_option
from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.errors import InputError

if TYPE_CHECKING:
    from crowdlog.crowd.manifest import Manifest
    from crowdlog.crowd.operator import Operator, Terms

MOST_INVITED = 10_000_000
INNER = [kind for kind in QUERY_ARTIFACTS if kind != "query"]
operator_option = click.option(
    "--operator",
    "operator_file",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Addresses and tokens of the services.",
)
invitations_option = shown_option(
    "--invitations", 100, click.IntRange(1, MOST_INVITED), "How many people are invited."
)
mining_hours_option = shown_option(
    "--mining-hours",
    336.0,
    FiniteRange(0.001, 10_000),
    "Time to join and mine; 'close' ends it earlier.",
)
panel_option = click.option(
    "--panel",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Ledger of the people asked, who were or will be asked again (crowd panel begins it).",
)
i_know_option = click.option(
    "--i-know", is_flag=True, help="With --panel: a policy that promises nothing is meant."
)
links_option = click.option(
    "--links",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write the invitation links to, one per person.",
)


def _whole_id(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Take the id, or an invitation link that holds it."""
    found = value.split("/collections/")[-1].split("#")[0].strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", found):
        raise click.BadParameter(
            f"the id of a collection has 64 hexadecimal digits, as 'create' printed it. Got {len(value)} "
            "characters."
        )
    return found


collection_argument = click.argument("collection_id", metavar="ID", callback=_whole_id)


@click.group()
def collection() -> None:
    """Create, watch, close and publish a collection.

    \b
    Example: crowdlog crowd collection create --help
    """


@collection.command(short_help="Create a collection; write its links.")
@operator_option
@click.option("--title", required=True, help="What volunteers see.")
@shown_option("--k", 10, click.IntRange(5, 1000), "How many people an artifact needs.")
@shown_option("--artifact", "query", click.Choice([*ARTIFACTS, *COLLECTED_ARTIFACTS]), "What is mined.")
@shown_option("--representation", "original", click.Choice(REPRESENTATIONS), "How queries are written.")
@shown_option("--count", "users", click.Choice(["users", "impressions"]), "What is counted.")
@click.option(
    "--original",
    "secondary",
    flag_value="original",
    default="",
    help="With a representation: what was written goes along, and is published where k people wrote it.",
)
@click.option(
    "--note",
    "secondary",
    flag_value="note",
    help="Members may add a note to each artifact; it is published where k people gave the same.",
)
@click.option("--log-from", type=click.DateTime(["%Y-%m-%d"]), help="Mine searches from this day on (UTC).")
@click.option("--log-until", type=click.DateTime(["%Y-%m-%d"]), help="Mine searches before this day (UTC).")
@click.option("--mining-from", type=click.DateTime(["%Y-%m-%d"]), help="Nothing is mined before (UTC).")
@click.option(
    "--repeat-days", default=0, type=click.IntRange(0, 36_500), help="Announce rounds, so many days apart."
)
@click.option("--previous", default="", help="Id of the round before this one.")
@shown_option("--limit", 200, click.IntRange(1, 1_000_000), "Most artifacts, or impressions, of one person.")
@click.option("--policy", help="Mechanism that decides what is published; FTu with this k if left out.")
@click.option(
    "--inner",
    type=click.Choice(INNER),
    help="Nested: what opens inside queries that are open (click, pair, …).",
)
@click.option("--inner-k", type=click.IntRange(5, 1000), help="How many people that needs; k if left out.")
@click.option(
    "--slots",
    "inner_slots",
    default=3,
    show_default=True,
    type=click.IntRange(1, 16),
    help="Most of it that one person sends per query.",
)
@click.option(
    "--inner-policy", help="Mechanism that decides what is published of it; FTu with its k if left out."
)
@invitations_option
@click.option(
    "--smallest-crowd",
    default=0,
    type=click.IntRange(0, MOST_INVITED),
    help="Fewest people who must have joined before anything is evaluated; k if left out.",
)
@mining_hours_option
@shown_option(
    "--upload-hours", 168.0, FiniteRange(0.001, 10_000), "Time over which members' reports are spread."
)
@click.option(
    "--cover/--no-cover",
    default=True,
    show_default=True,
    help="Everybody sends as many reports as the limit allows, the rest of them empty.",
)
@click.option("--purpose", default="To learn what many people search for.", help="What volunteers are told.")
@click.option("--institution", default="not given", help="Who collects.")
@click.option("--contact", default="not given", help="Whom volunteers can ask.")
@panel_option
@i_know_option
@links_option
@json_option
def create(
    operator_file: Path,
    links: Path,
    invitations: int,
    as_json: bool,
    inner: str | None,
    inner_k: int | None,
    mining_hours: float,
    upload_hours: float,
    panel: Path | None,
    i_know: bool,
    **terms: Any,
) -> None:
    """Create a collection and write its invitation links.

    \b
    Example: crowdlog crowd collection create --operator trial/operator.json --title "What we search" --k 10
        --upload-hours 0.01 --links links.txt
    Example: crowdlog crowd collection create --operator trial/operator.json --title Clicks --k 5
        --inner click --inner-k 8 --links nested.txt
    """
    from crowdlog.crowd.operator import Operator

    if inner_k and not inner:
        raise InputError(
            "--inner-k is for a nested collection: say with --inner what opens inside queries, for example "
            "--inner click."
        )
    if inner:
        terms |= {"inner_artifact": inner, "inner_k": inner_k or terms["k"]}
    terms["mining_seconds"] = round(3600 * mining_hours)
    terms["upload_seconds"] = max(1, round(3600 * upload_hours))
    agreed = _terms(terms, panel)
    with Operator.from_file(operator_file) as operator:
        begin(operator, agreed, invitations, links, charging(panel, i_know), as_json)


def begin(
    operator: Operator,
    terms: Terms,
    invitations: int,
    links: Path,
    charged: Callable[[Manifest], None],
    as_json: bool,
) -> None:
    """Create a collection on these terms, write its invitation links and show what was made."""
    from crowdlog.crowd.account import guarantee_of
    from crowdlog.crowd.client.participate import Link

    _reserve(links)
    try:
        manifest, invited = operator.create(terms, invitations, charged)
        links.write_text(
            "".join(f"{Link(operator.aggregation.url, manifest.id, token)}\n" for token in invited)
        )
    except BaseException:
        links.unlink()
        raise
    inner_policy = {"inner policy": manifest.inner_policy} if manifest.inner_artifact else {}
    fields = {
        "collection": manifest.id,
        "policy": manifest.policy,
        **inner_policy,
        "promise": str(guarantee_of(manifest)),
        "invitations": len(invited),
        "links": str(links),
    }
    show_json(fields) if as_json else show_fields(fields)


def _terms(options: dict[str, Any], panel: Path | None) -> Terms:
    """The terms of a new collection, from the options of the command line."""
    from crowdlog.crowd.manifest import Job
    from crowdlog.crowd.operator import Terms
    from crowdlog.crowd.publication import sampling_of

    moments = {name: _seconds(options.pop(name)) for name in ("log_from", "log_until", "mining_from")}
    job = Job(
        **moments,
        repeat_seconds=86_400 * options.pop("repeat_days"),
        previous=options.pop("previous"),
        panel=panel.stem if panel else "",
    )
    return Terms(**options, sampling=sampling_of(options["policy"]), job=job)


def _seconds(day: datetime | None) -> int:
    if day is None:
        return 0
    seconds = int(day.replace(tzinfo=UTC).timestamp())
    if seconds <= 0:
        raise InputError(f"Days are told from 1970-01-02 on. Got {day:%Y-%m-%d}.")
    return seconds


def charging(panel: Path | None, i_know: bool) -> Callable[[Manifest], None]:
    """Charge the ledger of the people asked before any party agrees."""
    from crowdlog.crowd.account import charge, open_account

    def charged(manifest: Manifest) -> None:
        if panel is not None:
            with open_account(panel, panel.stem) as ledger:
                charge(ledger, manifest, allow_unprotected=i_know)

    return charged


def _reserve(links: Path) -> None:
    """Make the file before anything is created: invitations that cannot be written down are lost."""
    try:
        links.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        raise InputError(f"{links} exists already; choose another file for the links.") from None
    except OSError as error:
        raise InputError(f"The links cannot be written to {links}: {error.strerror}.") from None


@collection.command(short_help="Show counts, never text.")
@operator_option
@collection_argument
@json_option
def status(operator_file: Path, collection_id: str, as_json: bool) -> None:
    """Show counts: people, reports, what the mixes hold. Never text, and no groups: those are seen in the
    crowd log.

    \b
    Example: crowdlog crowd collection status ID --operator trial/operator.json
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        counts = operator.status(collection_id)
    if as_json:
        show_json(counts)
        return
    mixes = counts.pop("mixes")
    show_fields(
        {
            **counts,
            **{
                f"mix {number} {name}": value
                for number, mix in enumerate(mixes, 1)
                for name, value in mix.items()
            },
        }
    )


@collection.command(short_help="Destroy the key; let the reports in.")
@operator_option
@collection_argument
def close(operator_file: Path, collection_id: str) -> None:
    """Destroy the randomness key for good and let the reports in. Nobody can join or mine after that.

    \b
    Example: crowdlog crowd collection close ID --operator trial/operator.json
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        operator.close(collection_id)
    click.echo("The randomness key is destroyed; members can send now.")


@collection.command(short_help="Open what k people share; delete every report.")
@operator_option
@collection_argument
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="Folder for the crowd log.")
def publish(operator_file: Path, collection_id: str, out: Path) -> None:
    """Wait for the end of the uploads, open what k people share, delete every report and fetch the crowd log.

    Only you can read it then: look at OUT/index.html, and make it public with 'release'.

    \b
    Example: crowdlog crowd collection publish ID --operator trial/operator.json -o crowdlog
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        folder = operator.publish(collection_id, out)
    click.echo(
        f"The crowd log is in {folder}; nobody else can read it before: crowdlog crowd collection release"
    )


@collection.command(short_help="Make the crowd log public.")
@operator_option
@collection_argument
def release(operator_file: Path, collection_id: str) -> None:
    """Let everybody read the crowd log at the aggregation server's address.

    \b
    Example: crowdlog crowd collection release ID --operator trial/operator.json
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        operator.release(collection_id)
        url = operator.aggregation.url
    click.echo(f"The crowd log is public: {url}/collections/{collection_id}/release")


@collection.command(name="list", short_help="List collections and their phases.")
@operator_option
@json_option
def list_collections(operator_file: Path, as_json: bool) -> None:
    """List the collections of the aggregation server and their phases.

    \b
    Example: crowdlog crowd collection list --operator trial/operator.json
    """
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        found = operator.collections()
    if as_json:
        show_json(found)
        return
    show_table(["collection", "phase"], [[one["id"], one["phase"]] for one in found])


@collection.command(short_help="Invite more people.")
@operator_option
@collection_argument
@shown_option("--people", 1, click.IntRange(1, MOST_INVITED), "How many.")
def invite(operator_file: Path, collection_id: str, people: int) -> None:
    """Print invitation links for more people, one per line.

    \b
    Example: crowdlog crowd collection invite ID --operator trial/operator.json --people 5
    """
    from crowdlog.crowd.client.participate import Link
    from crowdlog.crowd.operator import Operator

    with Operator.from_file(operator_file) as operator:
        for token in operator.invite(collection_id, people):
            click.echo(Link(operator.aggregation.url, collection_id, token))
