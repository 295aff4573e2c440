"""What a member has to do next in each of her collections, from what her own computer knows."""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.crowd.client.client_store import ClientStore, Membership
from crowdlog.crowd.terms import date


@dataclass(frozen=True)
class Reminder:
    collection: str
    title: str
    what: str
    until: str


def reminders(store: ClientStore, now: float) -> list[Reminder]:
    """One for each collection in which something is left to do."""
    found = [_next(one, len(store.outbox(one.id)), now) for one in store.memberships() if not one.left]
    return [one for one in found if one is not None]


def _next(membership: Membership, waiting: int, now: float) -> Reminder | None:
    manifest = membership.manifest
    last = manifest.mining_until + manifest.upload_seconds  # earlier, if the operator closes earlier
    if membership.credentials is None and not membership.sent and now < manifest.mining_until:
        what, until = "join again: the answer was lost", manifest.mining_until
    elif membership.credentials is not None and not membership.prepared and now < manifest.mining_until:
        begun = manifest.job.mining_from <= now
        what = "mine" if begun else f"mine, from {date(manifest.job.mining_from)} on"
        until = manifest.mining_until
    elif waiting and now < last:
        what, until = f"send ({waiting} reports wait)", last
    else:
        return None
    return Reminder(membership.id, manifest.title, what, f"{date(until)} at the latest")
