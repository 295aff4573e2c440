"""`crowdlog crowd send`: a volunteer's reports leave, each at its own moment."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crowdlog.cli.crowd_member import (
    agree,
    cafile_option,
    collection_option,
    home_option,
    opened,
    said_of_damaged,
    yes_option,
)
from crowdlog.errors import CrowdlogError, InputError, PrivacyRefusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from crowdlog.crowd.client.client_store import ClientStore, Membership
    from crowdlog.crowd.client.participate import Sent, UploadWindow
    from crowdlog.crowd.http import Connection
    from crowdlog.crowd.manifest import Manifest
    from crowdlog.privacy.randomness import Randomness

# A sleeping machine stops the clock that a pause is measured by: a longer one could outlast the window.
_LOOK_SECONDS = 60.0


@click.command(short_help="Send the outbox through the mixes, bit by bit.")
@home_option
@collection_option
@cafile_option
@yes_option
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
        own = stack.enter_context(opened(home))
        membership = own.membership(collection_id)
        waiting = own.outbox(membership.id)
        if not waiting:
            click.echo(f"Nothing waits to be sent; {membership.sent} reports were sent before.")
            if aside := own.damaged(membership.id):
                click.echo(said_of_damaged(aside), err=True)
            return
        mix = stack.enter_context(Connection(membership.manifest.mixes[0].url, cafile=cafile))
        size = sum(len(item.submission) for item in waiting)
        if at_once:  # told before she is asked
            click.echo(
                "All reports leave together: the first mix, and whoever watches it, sees which are one "
                "person's.",
                err=True,
            )
        agree(yes, f"Send {len(waiting)} reports ({size:,} bytes)?")
        window = participate.upload_window(membership.manifest, mix)
        if window is None and (at_once or only_due):
            raise PrivacyRefusal(
                "Sending is safe only after the collection has been closed and its randomness key is gone. "
                "Your outbox is kept."
            )
        try:
            sent = _send_all(own, membership, mix, at_once, only_due)
        except CrowdlogError:  # it says what became of the others
            if left := own.membership(membership.id, left_too=True).sent - membership.sent:
                click.echo(f"{left} reports were sent.")
            raise
        aside = own.damaged(membership.id)
    click.echo(f"{sent.taken} reports were sent.")
    problems = []
    if sent.refused:
        problems.append(
            f"The first mix did not take {sent.refused} of your reports, because another was sent before in "
            "the place of each; they have left your outbox and do not count."
        )
    if sent.damaged:
        problems.append(said_of_damaged(aside))
    if problems:
        raise InputError(" ".join(problems))


def _wait_for_uploads(manifest: Manifest, mix: Connection, randomness: Randomness) -> UploadWindow:
    """Ask at random intervals, whatever waits: asking does not announce a sending."""
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.http import Unreachable

    said = ""
    while True:
        try:
            window = participate.upload_window(manifest, mix)
            say = "Waiting for the end of the mining; Ctrl-C keeps the outbox as it is."
        except Unreachable as error:
            window, say = None, f"{error} Going on to try."
        if window is not None:
            return window
        if say != said:
            click.echo(say, err=True)
        said = say
        time.sleep(_pause(manifest, randomness))


def _pause(manifest: Manifest, randomness: Randomness) -> float:
    from crowdlog.crowd.shuffle import fraction

    return 1 + fraction(randomness) * min(600, manifest.upload_seconds / 50)


def _send_all(
    own: ClientStore, membership: Membership, mix: Connection, at_once: bool, only_due: bool
) -> Sent:
    """Send until the outbox is empty, or only what is due now."""
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.shuffle import shuffled
    from crowdlog.privacy.randomness import SystemRandomness
    from crowdlog.progress import progress_bar

    randomness = SystemRandomness()
    window = _wait_for_uploads(membership.manifest, mix, randomness)
    waiting = own.outbox(membership.id)
    with progress_bar("Sending", len(waiting), unit="reports") as advance:
        if at_once:
            total = participate.Sent()
            for item in shuffled(waiting, randomness):
                participate.refuse_after_the_end(window, time.time())
                total += participate.send_one(own, membership, item, mix)
                advance(1)
            return total
        participate.refuse_after_the_end(window, time.time())
        if only_due:
            return participate.send_due(own, membership, window, mix, time.time())
        participate.spread_overdue(own, membership, window, randomness, time.time())
        return _send_on(own, membership, window, mix, randomness, advance)


def _send_on(
    own: ClientStore,
    membership: Membership,
    window: UploadWindow,
    mix: Connection,
    randomness: Randomness,
    advance: Callable[[int], None],
) -> Sent:
    """Send each report at its moment until none is left; return what became of them. A mix that is away is
    tried again until the window ends; reports that a sleeping machine missed get new moments.
    """
    from crowdlog.crowd.client import participate
    from crowdlog.crowd.http import Unreachable

    total = participate.Sent()
    while (pause := participate.seconds_to_next(own, membership, window)) is not None:
        time.sleep(min(pause, _LOOK_SECONDS))
        try:
            now = time.time()
            participate.refuse_after_the_end(window, now)
            participate.spread_overdue(own, membership, window, randomness, now, participate.LATE_SECONDS)
            for item in participate.leaving(own, membership, window, now):
                total += participate.send_one(own, membership, item, mix)
                advance(1)
        except Unreachable as error:
            if time.time() >= window.ends:
                raise
            click.echo(f"{error} Going on to try.", err=True)
            time.sleep(_pause(membership.manifest, randomness))
    return total
