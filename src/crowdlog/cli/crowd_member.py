"""The volunteer's commands: join, mine, outbox, send, leave."""

from __future__ import annotations

import os
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.errors import InputError, PrivacyRefusal

if TYPE_CHECKING:
    from crowdlog.crowd.client.client_store import ClientStore, Membership
    from crowdlog.crowd.client.sample_artifacts import Sample
    from crowdlog.crowd.http import Connection
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

    def connect(url: str) -> Connection:
        return Connection(url, cafile=cafile)

    with connect(parsed.server) as server:
        manifest = participate.look(parsed, server)
    head = participate.check_parties(manifest, connect)
    show_fields(_terms(manifest))
    _agree(yes, "Join on these terms?")
    with _opened(home) as own:
        participate.join(own, parsed, manifest, connect, SystemRandomness())
        own.keep_receipt(manifest.id, f"agreed {int(time.time())}, list {head}")
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
        if membership.prepared:
            raise InputError(
                "You have prepared your reports for this collection, and everybody can once. "
                "Strike single ones out with: crowdlog crowd outbox --remove NUMBER"
            )
        if own.preparing(membership.id):
            click.echo("A preparation was cut short; it goes on with what was chosen then.", err=True)
        choice = sample_artifacts(manifest, mining.mine_own(log, manifest, home, randomness), randomness)
        for item in choice.chosen if show_all else choice.chosen[:_FIRST]:
            click.echo(f"  {item.readable}")
        if not show_all and len(choice.chosen) > _FIRST:
            click.echo(f"  … and {len(choice.chosen) - _FIRST} more: see them with --all")
        click.echo(_preview(manifest, choice))
        _agree(yes, "Prepare these reports? (Nothing goes to the collection before you run 'send'.)")
        own.consent(membership.id)
        with Connection(manifest.randomness.url, cafile=cafile) as server:
            participate.prepare(own, own.membership(membership.id), choice.chosen, server, randomness)
    click.echo("The outbox is filled. See the exact bytes with: crowdlog crowd outbox --bytes")


@click.command(short_help="Show what waits to be sent; strike things out.")
@_home
@_collection
@click.option(
    "--bytes", "show_bytes", is_flag=True, help="Show the exact bytes of each submission in hexadecimal."
)
@click.option("--remove", multiple=True, type=int, metavar="NUMBER", help="Strike a report out; repeatable.")
@json_option
def outbox(
    home: Path, collection_id: str | None, show_bytes: bool, remove: tuple[int, ...], as_json: bool
) -> None:
    """Show what waits to be sent: the artifacts, and on request the exact bytes.

    A report that is struck out is replaced by an empty one, so that nobody can see that you did.

    \b
    Example: crowdlog crowd outbox --bytes
    """
    from crowdlog.crowd.client import participate
    from crowdlog.privacy.randomness import SystemRandomness

    with _opened(home) as own:
        membership = own.membership(collection_id)
        if remove:
            struck = participate.strike_out(own, membership, remove, SystemRandomness())
            click.echo(f"{struck} reports were struck out.", err=True)
        items = own.outbox(membership.id)
    rows = [
        {"number": item.number, "artifact": item.readable, "size": len(item.submission)}
        | ({"bytes": item.submission.hex()} if show_bytes else {})
        for item in items
        if item.readable
    ]
    empty = len(items) - len(rows)
    if as_json:
        show_json({"collection": membership.id, "sent": membership.sent, "empty": empty, "waiting": rows})
        return
    show_table(
        list(rows[0]) if rows else ["number", "artifact", "size"], [list(row.values()) for row in rows]
    )
    click.echo(f"{len(rows)} wait and {empty} empty ones beside them; {membership.sent} were sent.")


@click.command(short_help="Send the outbox through the mixes, bit by bit.")
@_home
@_collection
@_cafile
@_yes
@click.option(
    "--now", "at_once", is_flag=True, help="Send everything at once. Tells the first mix what is yours."
)
@click.option("--due", "only_due", is_flag=True, help="Send what is due and stop; for a timer.")
def send(
    home: Path, collection_id: str | None, cafile: str | None, yes: bool, at_once: bool, only_due: bool
) -> None:
    """Send the outbox through the mixes: each report by itself, at a random moment of the upload window.

    Keep it running, or call it with --due from a timer. It waits while the randomness key exists; a lost
    connection loses and doubles nothing.

    \b
    Example: crowdlog crowd send --yes --due
    """
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.http import Connection

    with ExitStack() as stack:
        own = stack.enter_context(_opened(home))
        membership = own.membership(collection_id)
        waiting = own.outbox(membership.id)
        if not waiting:
            click.echo(f"Nothing waits to be sent; {membership.sent} reports were sent before.")
            return
        mix = stack.enter_context(Connection(membership.manifest.mixes[0].url, cafile=cafile))
        size = sum(len(item.submission) for item in waiting)
        _agree(yes, f"Send {len(waiting)} reports ({size:,} bytes)?")
        window = participate.upload_window(membership.manifest, mix)
        if window is None and (at_once or only_due):
            raise PrivacyRefusal(
                "Sending is safe only after the collection has been closed and its randomness key is gone. "
                "Your outbox is kept."
            )
        if at_once:
            click.echo(
                "All reports leave together: the first mix, and whoever watches it, sees which are one "
                "person's.",
                err=True,
            )
        sent = _send_all(own, membership, mix, at_once, only_due)
    click.echo(f"{sent} reports were sent.")


def _send_all(
    own: ClientStore, membership: Membership, mix: Connection, at_once: bool, only_due: bool
) -> int:
    """Send until the outbox is empty, or only what is due now."""
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.shuffle import fraction, shuffled
    from crowdlog.privacy.randomness import SystemRandomness
    from crowdlog.progress import progress_bar

    randomness = SystemRandomness()
    manifest = membership.manifest
    said = False
    while (window := participate.upload_window(manifest, mix)) is None:
        if not said:
            click.echo("Waiting for the end of the mining; Ctrl-C keeps the outbox as it is.", err=True)
            said = True
        # at random intervals, whatever waits: asking does not announce a sending
        time.sleep(1 + fraction(randomness) * min(600, manifest.upload_seconds / 50))
    waiting = own.outbox(membership.id)
    with progress_bar("Sending", len(waiting), unit="reports") as advance:
        if at_once:
            for item in shuffled(waiting, randomness):
                participate.send_one(own, membership, item, mix)
                advance(1)
            return len(waiting)
        if not only_due:
            participate.spread_overdue(own, membership, window, randomness, time.time())
        sent = participate.send_due(own, membership, window, mix, time.time())
        advance(sent)
        while not only_due and (pause := participate.seconds_to_next(own, membership, window)) is not None:
            time.sleep(pause)
            sent += (more := participate.send_due(own, membership, window, mix, time.time()))
            advance(more)
    return sent


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
    consent = manifest.consent
    return {
        "collection": manifest.id,
        "title": manifest.title,
        "purpose": consent.purpose,
        "institution": consent.institution,
        "contact": consent.contact,
        "what is published": consent.published,
        "what is not guaranteed": consent.not_guaranteed,
        "what is mined": f"{manifest.artifact}, {manifest.representation} text",
        "people needed to read one": manifest.collection.k,
        **_inner_terms(manifest),
        f"most {'artifacts' if manifest.count == 'users' else 'impressions'} of yours": manifest.limit,
        "what is counted": manifest.count,
        "published by": " and ".join(layer.policy for layer in manifest.layers),
        "people who must have joined": manifest.smallest_crowd,
        "joining and mining end": _date(manifest.mining_until),
        "reports are sent within": f"{manifest.upload_seconds / 3600:g} hours after that",
        "empty reports hide how many are yours": "yes" if manifest.cover else "no",
        **{f"{party.role} run by": f"{party.owner} ({party.url})" for party in manifest.parties[:1]},
        **{f"mix {n} run by": f"{one.owner} ({one.url})" for n, one in enumerate(manifest.mixes, 1)},
        "aggregation run by": f"{manifest.aggregation.owner} ({manifest.aggregation.url})",
        "version of these words": consent.version,
    }


def _date(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


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
