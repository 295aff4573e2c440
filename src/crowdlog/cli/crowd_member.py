"""The volunteer's commands: join, mine, outbox, send, leave."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.errors import PrivacyRefusal

if TYPE_CHECKING:
    from crowdlog.crowd.client.client_store import ClientStore
    from crowdlog.crowd.client.sample_artifacts import Sample
    from crowdlog.crowd.manifest import Manifest

_home = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: Path(os.environ.get("CROWDLOG_HOME", "~/.crowdlog")).expanduser(),
    help="Folder of the client's own files (default: CROWDLOG_HOME or ~/.crowdlog).",
)
_collection = click.option(
    "--collection", "collection_id", help="Beginning of the collection's id, if you are in several."
)
_cafile = click.option("--cafile", help="Certificates to trust, for a server with its own.")
_yes = click.option("--yes", is_flag=True, help="Agree without being asked.")
_FIRST = 20  # shown unless --all


@click.command(short_help="Join a collection by invitation.")
@click.argument("link")
@_home
@_cafile
@_yes
def join(link: str, home: Path, cafile: str | None, yes: bool) -> None:
    """Join a collection with the invitation LINK its operator gave you. Shows the terms and asks before
    anything is sent about you.

    \b
    Example: crowdlog crowd join https://study.example/collections/ID#INVITATION
    """
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.http import Connection
    from crowdlog.privacy.randomness import SystemRandomness

    parsed = participate.Link.parse(link)
    with Connection(parsed.server, cafile=cafile) as server:
        manifest = participate.look(parsed, server)
        show_fields(_terms(manifest))
        _agree(yes, "Join on these terms?")
        with _opened(home) as own:
            participate.join(own, parsed, manifest, server, SystemRandomness())
    click.echo("You have joined. Next: crowdlog crowd mine LOG")


@click.command(short_help="Mine your own log; see what would be sent.")
@click.argument("log", type=click.Path(path_type=Path, exists=True))
@_home
@_collection
@_cafile
@_yes
@click.option("--all", "show_all", is_flag=True, help=f"Show all artifacts, not the first {_FIRST}.")
def mine(
    log: Path, home: Path, collection_id: str | None, cafile: str | None, yes: bool, show_all: bool
) -> None:
    """Mine your own LOG (a file crowdlog can read, or a log store), show what would be sent, and after your
    consent fill the outbox.

    \b
    Example: crowdlog crowd mine my-searches.tsv
    """
    from crowdlog.crowd.client import mining, participate
    from crowdlog.crowd.client.sample_artifacts import sample_artifacts
    from crowdlog.crowd.http import Connection
    from crowdlog.privacy.randomness import SystemRandomness

    randomness = SystemRandomness()
    with _opened(home) as own:
        membership = own.membership(collection_id)
        manifest = membership.manifest
        choice = sample_artifacts(manifest, mining.mine_own(log, manifest, home, randomness), randomness)
        for item in choice.chosen if show_all else choice.chosen[:_FIRST]:
            click.echo(f"  {item.readable}")
        if not show_all and len(choice.chosen) > _FIRST:
            click.echo(f"  … and {len(choice.chosen) - _FIRST} more: see them with --all")
        click.echo(_preview(manifest, choice))
        _agree(yes, "Prepare these reports? (Nothing goes to the collection before you run 'send'.)")
        own.consent(membership.id)
        with Connection(manifest.randomness, cafile=cafile) as server:
            participate.prepare(own, own.membership(membership.id), choice.chosen, server, randomness)
    click.echo("The outbox is filled. See the exact bytes with: crowdlog crowd outbox --bytes")


@click.command(short_help="Show what waits to be sent.")
@_home
@_collection
@click.option(
    "--bytes", "show_bytes", is_flag=True, help="Show the exact bytes of each envelope in hexadecimal."
)
@json_option
def outbox(home: Path, collection_id: str | None, show_bytes: bool, as_json: bool) -> None:
    """Show what waits to be sent: the artifacts, and on request the exact bytes.

    \b
    Example: crowdlog crowd outbox --bytes
    """
    with _opened(home) as own:
        membership = own.membership(collection_id)
        items = own.outbox(membership.id)
    rows = [
        {"artifact": item.readable, "size": len(item.envelope)}
        | ({"bytes": item.envelope.hex()} if show_bytes else {})
        for item in items
    ]
    if as_json:
        show_json({"collection": membership.id, "sent": membership.sent, "waiting": rows})
        return
    show_table(list(rows[0]) if rows else ["artifact", "size"], [list(row.values()) for row in rows])
    click.echo(f"{len(rows)} wait, {membership.sent} were sent.")


@click.command(short_help="Send the outbox through the mixes.")
@_home
@_collection
@_cafile
@_yes
@click.option(
    "--within",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0),
    help="Wait a random time of at most so many seconds before.",
)
def send(home: Path, collection_id: str | None, cafile: str | None, yes: bool, within: float) -> None:
    """Send the outbox through the mixes. Refused while the randomness key exists; a lost connection loses and
    doubles nothing.

    \b
    Example: crowdlog crowd send --yes
    """
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.http import Connection
    from crowdlog.crowd.shuffle import fraction
    from crowdlog.privacy.randomness import SystemRandomness
    from crowdlog.progress import progress_bar

    with ExitStack() as stack:
        own = stack.enter_context(_opened(home))
        membership = own.membership(collection_id)
        manifest, waiting = membership.manifest, own.outbox(membership.id)
        if not waiting:
            click.echo(f"Nothing waits to be sent; {membership.sent} reports were sent before.")
            return
        urls = (membership.url, manifest.randomness, manifest.mix)
        aggregation, server, mix = (stack.enter_context(Connection(url, cafile=cafile)) for url in urls)
        participate.refuse_early(membership, aggregation, server)
        _agree(yes, f"Send {len(waiting)} reports ({sum(len(item.envelope) for item in waiting):,} bytes)?")
        if within:
            click.echo(
                f"Waiting a random time of at most {within:g} seconds; Ctrl-C keeps the outbox as it is.",
                err=True,
            )
        # the hour at which somebody agrees to send should tell nothing
        time.sleep(fraction(SystemRandomness()) * within)
        with progress_bar("Sending", len(waiting), unit="reports") as advance:
            sent = participate.send(own, membership, mix, SystemRandomness(), advance)
    click.echo(f"{sent} reports were sent.")


@click.command(short_help="Leave; what was not sent is deleted.")
@_home
@_collection
def leave(home: Path, collection_id: str | None) -> None:
    """Leave a collection: what was not sent is deleted, with the credential. What was sent cannot be told
    apart any more.

    \b
    Example: crowdlog crowd leave
    """
    with _opened(home) as own:
        membership = own.membership(collection_id)
        deleted = own.leave(membership.id)
    click.echo(f"You have left; {deleted} unsent reports were deleted.")


def _terms(manifest: Manifest) -> dict[str, object]:
    return {
        "collection": manifest.id,
        "title": manifest.collection.title,
        "what is mined": f"{manifest.artifact}, {manifest.representation} text",
        "people needed to read one": manifest.collection.k,
        **_inner_terms(manifest),
        f"most {'artifacts' if manifest.count == 'users' else 'impressions'} of yours": manifest.limit,
        "what is counted": manifest.count,
        "published by": " and ".join(layer.policy for layer in manifest.layers),
        "randomness server": manifest.randomness,
        "first mix": manifest.mix,
        "layers of encryption": len(manifest.collection.mix_publics),
    }


def _inner_terms(manifest: Manifest) -> dict[str, object]:
    if not manifest.inner_artifact:
        return {}
    inside = f"{manifest.inner_artifact}, at most {manifest.collection.inner_slots} of each query"
    return {"what goes along inside": inside, "people needed to read that": manifest.collection.inner_k}


def _preview(manifest: Manifest, choice: Sample) -> str:
    """What would be sent, in a sentence."""
    left_out = (
        f" {choice.over_limit} more are over the limit and {choice.too_long} too long."
        if choice.over_limit or choice.too_long
        else ""
    )
    needed = f"each readable only if {manifest.collection.k} people send it"
    if not manifest.inner_artifact:
        return f"{len(choice.chosen)} artifacts would be sent, {needed}.{left_out}"
    inside = (
        f"{choice.inner} of kind '{manifest.inner_artifact}' inside them, readable only if "
        f"{manifest.collection.inner_k} people send the same"
    )
    return f"{len(choice.chosen)} queries would be sent, {needed}, and {inside}.{left_out}"


def _agree(already: bool, question: str) -> None:
    if not already and not click.confirm(question):
        raise PrivacyRefusal("You did not agree; nothing was sent.")


def _opened(home: Path) -> ClientStore:
    from crowdlog.crowd.client.client_store import ClientStore

    return ClientStore(home)
