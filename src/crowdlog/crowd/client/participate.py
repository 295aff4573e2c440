"""What a member does: join, prepare reports, send them.

Each step can be repeated after a crash without counting twice.
"""

from __future__ import annotations

import base64
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from crowdlog.crowd.certificate import agreed, certified
from crowdlog.crowd.client.client_store import ClientStore, Item, Membership
from crowdlog.crowd.client.reports import cover, decoded, seal
from crowdlog.crowd.client.sample_artifacts import SampledArtifact
from crowdlog.crowd.crypto.credential import (
    Credentials,
    PendingCredential,
    accept_credential,
    request_credential,
)
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.public_list import checked_head
from crowdlog.crowd.shuffle import fraction
from crowdlog.crowd.slots import Submission, is_whole
from crowdlog.crowd.terms import date
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import Randomness, SeededRandomness

LATE_SECONDS = 1800  # a timer that looks every ten to twenty minutes may miss one look
_LAST_SECONDS = 600  # at most, at the end of the window, that no report is drawn for
Connect = Callable[[str], Connection]  # opens a connection to an address


@dataclass(frozen=True)
class Link:
    """An invitation link: https://HOST/collections/ID#INVITATION.

    The part behind # is sent to nobody but with the request to join.
    """

    server: str
    collection_id: str
    invitation: str

    @classmethod
    def parse(cls, text: str) -> Link:
        try:
            parts = urlsplit(text)
        except ValueError:
            parts = urlsplit("")
        path = parts.path.rstrip("/").split("/")
        if (
            parts.scheme not in {"http", "https"}
            or len(path) < 3
            or path[-2] != "collections"
            or not parts.fragment.isascii()
            or not parts.fragment
        ):
            raise InputError(
                "The link must look like https://HOST/collections/ID#INVITATION; ask the operator for yours."
            )
        server = f"{parts.scheme}://{parts.netloc}{'/'.join(path[:-2])}"
        return cls(server, path[-1], parts.fragment)

    def __str__(self) -> str:
        return f"{self.server}/collections/{self.collection_id}#{self.invitation}"


def look(link: Link, server: Connection) -> Manifest:
    """Fetch the description of a collection; its id is a hash of what it promises, so it cannot promise
    others something else.
    """
    manifest = Manifest.from_json(server.call("GET", f"/collections/{link.collection_id}").get("manifest"))
    if manifest.id != link.collection_id:
        raise PrivacyRefusal(
            "The server describes another collection than the link names; do not join, and tell the operator."
        )
    return manifest


def check_parties(manifest: Manifest, connect: Connect, seen: Sequence[str] = ()) -> str:
    """Ask each party at its own address whether it is who the terms say and has agreed to them, and whether
    the public list names the collection; return the head of that list, which other volunteers can compare.

    `seen`: heads of this list at earlier times: it must have grown from them.
    """
    for party in manifest.parties:
        with connect(party.url) as service:
            known = service.call("GET", "/identity")
            signature = service.call("GET", f"/collections/{manifest.id}").get("signature")
        if known != {"owner": party.owner, "signing": party.signing}:
            raise PrivacyRefusal(
                f"The {party.role} at {party.url} is not the one the terms name; do not join, and tell the "
                "operator."
            )
        if not agreed(manifest, party, str(signature)):
            raise PrivacyRefusal(
                f"The {party.role} at {party.url} has not agreed to these terms; do not join, and tell the "
                "operator."
            )
    with connect(manifest.randomness.url) as service:
        return checked_head(service.call("GET", "/collections"), manifest.id, seen)


def receipt(head: str, now: float) -> str:
    """What a member keeps of her agreement, beside the terms: when, and the head of the public list then."""
    return f"agreed {int(now)}, list {head}"


def agreement(membership: Membership) -> tuple[str, str]:
    """When she agreed, as people write it, and the head of the public list then."""
    if not membership.receipt:
        raise InputError("There is no receipt: joining was not finished; run: crowdlog crowd join LINK")
    kept = re.fullmatch(r"agreed ([0-9]{1,11}), list ([0-9a-f]{64})", membership.receipt)
    if kept is None:
        raise InputError("The receipt in the client's files is damaged; put a copy of them back.")
    return date(int(kept[1])), kept[2]


def heads_seen(store: ClientStore, manifest: Manifest) -> list[str]:
    """The heads of the list of this randomness server in earlier receipts."""
    same = [
        one for one in store.memberships() if one.manifest.randomness.signing == manifest.randomness.signing
    ]
    return [one.receipt.rpartition(", list ")[2] for one in same if one.receipt]


def join(
    store: ClientStore, link: Link, manifest: Manifest, connect: Connect, randomness: Randomness
) -> Membership:
    """Get the credentials for an invitation: of the aggregation server, and with its ticket of the randomness
    server and of the first mix.

    The request is on disk before it is sent, so a lost answer is asked for again.
    """
    known = next((m for m in store.memberships() if m.id == manifest.id and not m.left), None)
    if known is not None and known.credentials is not None:
        return known
    if known is not None and known.pending is None:  # all was sent; the record and the receipt stay
        raise InputError("You have taken part in this collection already; nothing was changed.")
    if known is None or known.invitation != link.invitation:
        request = request_credential(manifest.collection, randomness)
        store.begin(manifest, link.server, link.invitation, request.to_bytes())
    pending = PendingCredential.from_bytes(store.membership(manifest.id).pending or b"")
    with connect(manifest.aggregation.url) as server:
        admitted = ask_aggregation(manifest, link.invitation, pending, server)
    with connect(manifest.randomness.url) as server, connect(manifest.mixes[0].url) as mix:
        credentials = collect_credentials(manifest, pending, admitted, server, mix)
    store.joined(manifest.id, credentials.to_bytes())
    return store.membership(manifest.id)


def ask_aggregation(
    manifest: Manifest, invitation: str, pending: PendingCredential, server: Connection
) -> dict[str, object]:
    """Hand in the invitation; return the aggregation server's credential and ticket as it sent them."""
    body = {"invitation": invitation, "request": base64.b64encode(pending.request).decode()}
    return server.call("POST", f"/collections/{manifest.id}/credentials", body)


def collect_credentials(
    manifest: Manifest,
    pending: PendingCredential,
    admitted: dict[str, object],
    server: Connection,
    mix: Connection,
) -> Credentials:
    """Show the ticket to the randomness server and the first mix; check what all three issued."""
    body = {"request": base64.b64encode(pending.request).decode(), "ticket": admitted.get("ticket")}
    path = f"/collections/{manifest.id}/credentials"
    answers = {
        "report": admitted,
        "evaluation": server.call("POST", path, body),
        "admission": mix.call("POST", path, body),
    }
    return Credentials(
        **{
            issuer: accept_credential(pending, manifest.collection, decoded(answer, "credential"), issuer)
            for issuer, answer in answers.items()
        }
    )


def prepare(
    store: ClientStore,
    membership: Membership,
    chosen: Sequence[SampledArtifact],
    server: Connection,
    randomness: Randomness,
) -> None:
    """Make the reports and put them into the outbox.

    Needs consent: it asks the randomness server about blinded points. Every slot is good for one value, so
    the choice and the secret all draws come from are on disk before anything is asked: what a crash stopped
    goes on with the same values.
    """
    if not membership.consented:
        raise PrivacyRefusal("Nothing is prepared before you have agreed.")
    seed, kept = store.begin_preparing(membership.id, randomness.bytes(32), chosen)
    repeatable = SeededRandomness(int.from_bytes(seed, "big"))  # the seed is secret and used for this alone
    prepared = seal(membership.manifest, _credentials(membership), kept, server, repeatable)
    if not store.fill(membership.id, seed, [(item, fraction(repeatable)) for item in prepared]):
        raise InputError("You have left meanwhile, or another crowdlog prepared these; nothing was kept.")


def strike_out(
    store: ClientStore, membership: Membership, numbers: Sequence[int], randomness: Randomness
) -> int:
    """Replace reports in the outbox by cover reports, so that nobody sees that some are struck out; return
    how many. What may have left already stays: another report in its place would not be taken.
    """
    waiting = {item.number: item for item in store.outbox(membership.id) if item.readable}
    unknown = sorted(set(numbers) - set(waiting))
    if unknown:
        raise InputError(f"The outbox has no report number {unknown[0]}; 'crowdlog crowd outbox' lists them.")
    damaged = [n for n in numbers if not is_whole(membership.manifest.collection, waiting[n].submission)]
    if damaged:  # its bytes do not tell which place another would take
        raise InputError(f"Report number {damaged[0]} is damaged on this disk; nothing of it will be sent.")
    credentials, struck = _credentials(membership), 0
    for number in set(numbers):
        item = waiting[number]
        door = Submission.parse(item.submission).slot
        struck += store.replace(number, cover(membership.manifest, credentials, item.slot, door, randomness))
    return struck


def _credentials(membership: Membership) -> Credentials:
    return Credentials.from_bytes(membership.credentials or b"")


@dataclass(frozen=True)
class UploadWindow:
    """When reports may be sent, in seconds since 1970."""

    opens: int
    ends: int

    @property
    def spread(self) -> float:
        """Over how many seconds moments are spread: the end is left for what must be tried again."""
        length = self.ends - self.opens
        return length - min(length / 10, _LAST_SECONDS)

    def time_of(self, due: float) -> float:
        """The moment of a report that was drawn to leave after this share of the time."""
        return self.opens + due * self.spread


def upload_window(manifest: Manifest, mix: Connection) -> UploadWindow | None:
    """Ask the first mix, which sees the sending anyway, and nobody else whether the time to send has come.

    None while the randomness key exists. That it is gone is the randomness server's own signature.
    """
    answer = mix.call("GET", f"/collections/{manifest.id}")
    if answer.get("state") == "waiting":
        return None
    destroyed = answer.get("destroyed")
    if type(destroyed) is not int or not certified(manifest, destroyed, str(answer.get("certificate"))):
        raise PrivacyRefusal(
            "The first mix cannot show that the randomness key is gone; nothing was sent and your outbox "
            "is kept."
        )
    return UploadWindow(destroyed, destroyed + manifest.upload_seconds)


@dataclass(frozen=True)
class Sent:
    """What became of reports: the first mix has them, or its answer was that it will not take them, or they
    were damaged on this disk and set aside.
    """

    taken: int = 0
    refused: int = 0
    damaged: int = 0

    def __add__(self, other: Sent) -> Sent:
        return Sent(self.taken + other.taken, self.refused + other.refused, self.damaged + other.damaged)


def spread_overdue(
    store: ClientStore,
    membership: Membership,
    window: UploadWindow,
    randomness: Randomness,
    now: float,
    allowed: float = 0.0,
) -> None:
    """Draw new moments for reports whose own has passed, by more than the seconds allowed, while the sender
    did not run, so that they do not leave together.
    """
    left = UploadWindow(int(min(now, window.ends)), window.ends).spread
    for item in store.outbox(membership.id):
        if window.time_of(item.due) < now - allowed:
            moment = now + fraction(randomness) * left
            store.reschedule(item.number, (moment - window.opens) / window.spread)


def refuse_after_the_end(window: UploadWindow, now: float) -> None:
    """No time is left to spread reports over: all would leave together, for nothing where the clock is right
    and as a crowd of one person where it is not.
    """
    if now >= window.ends:
        raise InputError(
            f"By the clock of this computer the uploads ended on {date(window.ends)}. No more is sent, and "
            "your outbox is kept. If the clock is wrong, set it and send again."
        )


def send_due(
    store: ClientStore, membership: Membership, window: UploadWindow, mix: Connection, now: float
) -> Sent:
    """Send every report whose moment has come, each by itself; return what became of them."""
    sent = [send_one(store, membership, item, mix) for item in leaving(store, membership, window, now)]
    return sum(sent, Sent())


def leaving(store: ClientStore, membership: Membership, window: UploadWindow, now: float) -> list[Item]:
    """The reports whose moment has come.

    Of those whose moment passed long ago, when nobody looked, one leaves: together they would be a crowd of
    one person.
    """
    waiting = sorted(store.outbox(membership.id), key=lambda one: one.due)
    due = [item for item in waiting if window.time_of(item.due) <= now]
    late = [item for item in due if window.time_of(item.due) < now - LATE_SECONDS]
    return [*late[:1], *due[len(late) :]]


def send_one(store: ClientStore, membership: Membership, item: Item, mix: Connection) -> Sent:
    """Send one report as it is now: she may have struck it out, or left, while others were sent. What the mix
    has, now or from before, is counted as sent and leaves the outbox. What it will never take leaves the
    outbox too, and is told. What is damaged it would refuse each time, and nothing of it leaves.
    """
    found = store.begin_sending(membership.id, item.number)
    if found is None:
        return Sent()
    if not is_whole(membership.manifest.collection, found.submission):
        store.set_aside(membership.id, found)
        return Sent(damaged=1)
    body = {"submissions": [base64.b64encode(found.submission).decode()]}
    answer = mix.call("POST", f"/collections/{membership.id}/envelopes", body)
    counted = [answer.get(name) for name in ("accepted", "duplicates", "rejected")]
    if counted not in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
        raise InputError(f"{mix.url} does not answer as a service of crowdlog; check the address.")
    if answer["rejected"]:
        store.mark_refused(membership.id, found)
        return Sent(refused=1)
    store.mark_sent(membership.id, found)
    return Sent(1)


def seconds_to_next(store: ClientStore, membership: Membership, window: UploadWindow) -> float | None:
    """How long until the next report leaves; None when the outbox is empty."""
    moments = [window.time_of(item.due) for item in store.outbox(membership.id)]
    return max(0.0, min(moments) - time.time()) if moments else None
