"""What a member does: join, prepare reports, send them.

Each step can be repeated after a crash without counting twice.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from crowdlog.crowd.client.client_store import ClientStore, Item, Membership
from crowdlog.crowd.client.reports import decoded, seal
from crowdlog.crowd.client.sample_artifacts import SampledArtifact
from crowdlog.crowd.crypto.credential import (
    Credential,
    PendingCredential,
    accept_credential,
    request_credential,
)
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.request_chunks import request_chunks
from crowdlog.crowd.shuffle import shuffled
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.randomness import Randomness


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


def join(
    home: ClientStore, link: Link, manifest: Manifest, server: Connection, randomness: Randomness
) -> Membership:
    """Get the credential for an invitation.

    The request is on disk before it is sent, so a lost answer is asked for again.
    """
    known = next((m for m in home.memberships() if m.id == manifest.id and not m.left), None)
    if known is not None and known.credential is not None:
        return known
    if known is None or known.pending is None or known.invitation != link.invitation:
        home.begin(
            manifest,
            link.server,
            link.invitation,
            request_credential(manifest.collection, randomness).to_bytes(),
        )
    membership = home.membership(manifest.id)
    pending = PendingCredential.from_bytes(membership.pending or b"")
    body = {"invitation": link.invitation, "request": base64.b64encode(pending.request).decode()}
    answer = server.call("POST", f"/collections/{manifest.id}/credentials", body)
    home.joined(
        manifest.id, accept_credential(pending, manifest.collection, decoded(answer, "credential")).to_bytes()
    )
    return home.membership(manifest.id)


def prepare(
    home: ClientStore,
    membership: Membership,
    chosen: Sequence[SampledArtifact],
    server: Connection,
    randomness: Randomness,
) -> None:
    """Make the reports and put them into the outbox.

    Needs consent: it asks the randomness server about blinded points.
    """
    if not membership.consented:
        raise PrivacyRefusal("Nothing is prepared before you have agreed.")
    credential = Credential.from_bytes(membership.credential or b"")
    home.fill(membership.id, seal(membership.manifest, credential, chosen, server, randomness))


def refuse_early(membership: Membership, aggregation: Connection, randomness_server: Connection) -> None:
    """Refuse to send while somebody could still have guesses evaluated: the randomness key must be gone and
    the uploads open.
    """
    public = membership.manifest.collection.voprf_public.hex()
    phase = aggregation.call("GET", f"/collections/{membership.id}").get("phase")
    if phase == "mining" or randomness_server.call("GET", f"/keys/{public}").get("state") != "destroyed":
        raise PrivacyRefusal(
            "Sending is safe only after the operator has closed the collection and its randomness key is "
            "gone. Your outbox is kept."
        )
    if phase != "uploading":
        raise InputError(
            "The collection has ended; nothing can be sent any more. "
            "'crowdlog crowd leave' empties the outbox."
        )


def send(
    home: ClientStore,
    membership: Membership,
    mix: Connection,
    randomness: Randomness,
    progress: Callable[[int], None] = lambda _sent: None,
) -> int:
    """Send the outbox to the first mix in random order; what is acknowledged leaves the outbox.

    Return how many were sent.
    """
    waiting: list[Item] = shuffled(home.outbox(membership.id), randomness)
    for part in request_chunks(waiting, lambda item: len(item.envelope)):
        mix.call(
            "POST", "/envelopes", {"envelopes": [base64.b64encode(item.envelope).decode() for item in part]}
        )
        home.mark_sent(membership.id, part)
        progress(len(part))
    return len(waiting)
