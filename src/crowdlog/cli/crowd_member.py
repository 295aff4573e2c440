"""The volunteer's commands: join, mine, outbox, due, receipt, leave."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.output import json_option, show_fields, show_json, show_table
from crowdlog.errors import InputError, PrivacyRefusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crowdlog.crowd.client.client_store import ClientStore
    from crowdlog.crowd.client.sample_artifacts import Sample
    from crowdlog.crowd.manifest import Manifest

home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    default=lambda: Path(os.environ.get("CROWDLOG_HOME", "~/.crowdlog")).expanduser(),
    help="Folder of the client's own files (default: CROWDLOG_HOME or ~/.crowdlog).",
)
collection_option = click.option(
    "--collection", "collection_id", help="Beginning of the collection's id, if you are in several."
)
cafile_option = click.option("--cafile", help="Certificates to trust, for a server with its own.")
yes_option = click.option("--yes", is_flag=True, help="Agree without being asked.")
_FIRST = 20  # shown unless --all


@click.command(short_help="Join a collection by invitation.")
@click.argument("link")
@home_option
@cafile_option
@yes_option
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
    with opened(home) as own:
        head = participate.check_parties(manifest, connect, participate.heads_seen(own, manifest))
        show_fields(_terms(manifest))
        _warn_of_open_lines(manifest)
        _warn_of_one_hand(manifest)
        agree(yes, "Join on these terms?")
        participate.join(own, parsed, manifest, connect, SystemRandomness())
        own.keep_receipt(manifest.id, participate.receipt(head, time.time()))
    click.echo("You have joined. Next: crowdlog crowd mine LOG")


@click.command(short_help="Mine your own log; see what would be sent.")
@click.argument("log", type=click.Path(path_type=Path, exists=True))
@home_option
@collection_option
@cafile_option
@yes_option
@click.option("--all", "show_all", is_flag=True, help=f"Show all artifacts, not the first {_FIRST}.")
@click.option(
    "--notes",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Your notes, where the terms ask for them: an artifact, a tab and the note on each line.",
)
def mine(
    log: Path,
    home: Path,
    collection_id: str | None,
    cafile: str | None,
    yes: bool,
    show_all: bool,
    notes: Path | None,
) -> None:
    """Mine your own LOG (a file crowdlog can read, or a log store), show what would be sent, and after your
    consent fill the outbox.

    \b
    Example: crowdlog crowd mine my-searches.tsv
    """
    from crowdlog.crowd.account import charge, own_account
    from crowdlog.crowd.client import mining, participate
    from crowdlog.crowd.client.sample_artifacts import Sample, sample_artifacts
    from crowdlog.crowd.http import Connection
    from crowdlog.privacy.randomness import SystemRandomness

    randomness = SystemRandomness()
    with opened(home) as own:
        membership = own.membership(collection_id)
        manifest = membership.manifest
        if membership.prepared:
            raise InputError(
                "You have prepared your reports for this collection, and everybody can once. "
                "Strike single ones out with: crowdlog crowd outbox --remove NUMBER"
            )
        begun = own.preparing(membership.id)
        if begun is None:
            mined = mining.mine_own(log, manifest, home, randomness, notes)
            choice = sample_artifacts(manifest, mined, randomness)
        else:
            click.echo(
                "A preparation was cut short; it goes on with what was chosen then, whatever the log holds "
                "now. Strike single ones out afterwards with: crowdlog crowd outbox --remove NUMBER",
                err=True,
            )
            choice = Sample(begun, too_long=0, over_limit=0)
        for item in choice.chosen if show_all else choice.chosen[:_FIRST]:
            click.echo(f"  {item.readable}")
        if not show_all and len(choice.chosen) > _FIRST:
            click.echo(f"  … and {len(choice.chosen) - _FIRST} more: see them with --all")
        click.echo(_preview(manifest, choice))
        agree(yes, "Prepare these reports? (Nothing goes to the collection before you run 'send'.)")
        with own_account(home) as account:
            charge(account, manifest, allow_unprotected=True)
        own.consent(membership.id)
        with Connection(manifest.randomness.url, cafile=cafile) as server:
            participate.prepare(own, own.membership(membership.id), choice.chosen, server, randomness)
    click.echo("The outbox is filled. See the exact bytes with: crowdlog crowd outbox --bytes")


@click.command(short_help="Show what waits to be sent; strike things out.")
@home_option
@collection_option
@click.option(
    "--bytes", "show_bytes", is_flag=True, help="Show the exact bytes of each submission in hexadecimal."
)
@click.option(
    "--remove",
    multiple=True,
    type=click.IntRange(1),
    metavar="NUMBER",
    help="Strike a report out; repeatable.",
)
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

    with opened(home) as own:
        membership = own.membership(collection_id)
        if remove:
            struck = participate.strike_out(own, membership, remove, SystemRandomness())
            click.echo(f"{struck} reports were struck out.", err=True)
            if struck < len(set(remove)):
                click.echo(
                    f"{len(set(remove)) - struck} were not: they may have left already.",
                    err=True,
                )
        items, aside = own.outbox(membership.id), own.damaged(membership.id)
    rows = [
        {"number": item.number, "artifact": item.readable, "size": len(item.submission)}
        | ({"bytes": item.submission.hex()} if show_bytes else {})
        for item in items
        if item.readable
    ]
    empty = len(items) - len(rows)
    if aside:
        click.echo(said_of_damaged(aside), err=True)
    if as_json:
        show_json({"collection": membership.id, "sent": membership.sent, "empty": empty, "waiting": rows})
        return
    show_table(
        list(rows[0]) if rows else ["number", "artifact", "size"], [list(row.values()) for row in rows]
    )
    click.echo(f"{len(rows)} wait and {empty} empty ones beside them; {membership.sent} were sent.")


def _warn_of_open_lines(manifest: Manifest) -> None:
    """Say where reports would travel without TLS beyond this machine."""
    from urllib.parse import urlsplit

    here = ("127.0.0.1", "::1", "localhost")
    for party in manifest.parties:
        address = urlsplit(party.url)
        if address.scheme == "http" and address.hostname not in here:
            click.echo(
                f"The line to {party.url} is not encrypted: whoever watches it sees when you take part.",
                err=True,
            )


def _warn_of_one_hand(manifest: Manifest) -> None:
    """Say where several parties may be one: the terms cannot show who stands behind an address."""
    from crowdlog.crowd.separate_parties import hosts_of_several

    owners = [party.owner for party in manifest.parties]
    named = [f"at {host}" for host in hosts_of_several([party.url for party in manifest.parties])]
    named += [f"run by {owner}" for owner in sorted(set(owners)) if owners.count(owner) > 1]
    for place in named:
        click.echo(
            f"Several of these services are {place}: whoever runs them together can do what "
            "docs/threat-model.md says of parties that collude.",
            err=True,
        )


@click.command(short_help="What is to be done, and until when.")
@home_option
@json_option
def due(home: Path, as_json: bool) -> None:
    """Say for each collection you are in what you have to do next and until when. It asks no server, so that
    nobody learns that you looked. Put it where you see it, for example into your shell's profile.

    \b
    Example: crowdlog crowd due
    """
    from crowdlog.crowd.client.reminders import reminders

    with opened(home) as own:
        found = reminders(own, time.time())
    if as_json:
        show_json([vars(one) for one in found])
        return
    show_table(
        ["collection", "title", "what to do", "until"],
        [[one.collection[:12], one.title, one.what, one.until] for one in found],
    )


@click.command(short_help="What you agreed to, and when.")
@home_option
@collection_option
@click.option(
    "--compare",
    metavar="HEAD",
    help="The list's head in another person's receipt: ask whether the list you both saw is one.",
)
@cafile_option
@json_option
def receipt(
    home: Path, collection_id: str | None, compare: str | None, cafile: str | None, as_json: bool
) -> None:
    """Show the terms you agreed to, when, and the head of the public list of collections then; also of a
    collection you have left. Two people with one id have agreed to the same terms.

    \b
    Example: crowdlog crowd receipt
    """
    from crowdlog.crowd.client.participate import agreement
    from crowdlog.crowd.http import Connection
    from crowdlog.crowd.public_list import checked_head

    with opened(home) as own:
        membership = own.membership(collection_id, left_too=True)
    agreed, head = agreement(membership)
    if compare is not None:
        if not re.fullmatch("[0-9a-f]{64}", compare.strip().lower()):
            raise InputError("The head of a list has 64 digits from 0 to f, as a receipt shows it.")
        with Connection(membership.manifest.randomness.url, cafile=cafile) as server:
            checked_head(server.call("GET", "/collections"), membership.id, [head, compare.strip().lower()])
        click.echo("The list has grown from both heads: you have seen the same one.", err=True)
    shown = {**_terms(membership.manifest), "agreed on": agreed, "head of the public list then": head}
    show_json(shown) if as_json else show_fields(shown)


@click.command(short_help="Leave; what was not sent is deleted.")
@home_option
@collection_option
def leave(home: Path, collection_id: str | None) -> None:
    """Leave a collection: what was not sent is deleted, with the credential. What was sent cannot be told
    apart any more.

    \b
    Example: crowdlog crowd leave
    """
    with opened(home) as own:
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
        "when": consent.dates,
        "what is not guaranteed": consent.not_guaranteed,
        "what is mined": f"{manifest.artifact}, {manifest.representation} text",
        "people needed to read one": manifest.collection.k,
        **_inner_terms(manifest),
        f"most {'artifacts' if manifest.count == 'users' else 'impressions'} of yours": manifest.limit,
        "what is counted": manifest.count,
        "published by": " and ".join(layer.policy for layer in manifest.layers),
        "people who must have joined": manifest.smallest_crowd,
        **_job_terms(manifest),
        "empty reports hide how many are yours": "yes" if manifest.cover else "no",
        **{f"{party.role} run by": f"{party.owner} ({party.url})" for party in manifest.parties[:1]},
        **{f"mix {n} run by": f"{one.owner} ({one.url})" for n, one in enumerate(manifest.mixes, 1)},
        "aggregation run by": f"{manifest.aggregation.owner} ({manifest.aggregation.url})",
        "version of these words": consent.version,
    }


def _job_terms(manifest: Manifest) -> dict[str, object]:
    from crowdlog.crowd.manifest import ALWAYS
    from crowdlog.crowd.terms import date

    job = manifest.job
    terms: dict[str, object] = {}
    if manifest.sampling < ALWAYS:
        terms["each artifact is reported with probability"] = manifest.sampling / ALWAYS
    along = {"original": "the text as you wrote it", "note": "a note of yours, if you add one"}
    if manifest.secondary:
        terms["what goes along"] = (
            f"{along[manifest.secondary]}: the aggregation server can read it where the artifact is, and it "
            "is published where as many people sent the same"
        )
    if job.log_from or job.log_until:
        first = date(job.log_from) if job.log_from else "the beginning"
        terms["part of your log"] = f"{first} to {date(job.log_until) if job.log_until else 'now'}"
    if job.panel:
        terms["people asked"] = job.panel
    if job.previous:
        terms["round before"] = job.previous
    return terms


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
    if choice.not_sampled:
        left_out += f" {choice.not_sampled} more were not drawn: chance hides what is yours."
    needed = f"each readable only if {manifest.collection.k} people send it"
    if not manifest.inner_artifact:
        return f"{len(choice.chosen)} artifacts would be sent, {needed}.{left_out}"
    inside = (
        f"{choice.inner} of kind '{manifest.inner_artifact}' inside them, readable only if "
        f"{manifest.collection.inner_k} people send the same"
    )
    return f"{len(choice.chosen)} queries would be sent, {needed}, and {inside}.{left_out}"


def agree(already: bool, question: str) -> None:
    if not already and not click.confirm(question):
        raise PrivacyRefusal("You did not agree; nothing was sent.")


def said_of_damaged(numbers: Sequence[int]) -> str:
    named = ", ".join(map(str, numbers))
    return (
        f"Damaged on this disk and set aside: report number {named}. Nothing of it was sent, and it does not "
        "count; 'crowdlog crowd leave' deletes it."
    )


def opened(home: Path) -> ClientStore:
    from crowdlog.crowd.client.client_store import ClientStore

    return ClientStore(home)
