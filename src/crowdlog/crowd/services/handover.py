"""How envelopes pass from a mix to the next party: in batches that the sender signs, and at last a signed
message that it is empty. The next party is another mix or the aggregation server.

It signs in its turn what it was handed. Without that receipt nothing counts as delivered or refused: whatever
else answers at its address, a wrong proxy for example, cannot make a mix forget an envelope.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Any

import httpx

from crowdlog.crowd.bounded_answers import ask
from crowdlog.crowd.certificate import certified
from crowdlog.crowd.crypto.collection import MAX_LAYERS, MAX_REPORT
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD
from crowdlog.crowd.crypto.signing import SigningKey, signed
from crowdlog.crowd.manifest import Manifest, Party, canonical
from crowdlog.crowd.request_chunks import MOST_ENVELOPES
from crowdlog.crowd.services.batches import COUNTS
from crowdlog.crowd.services.fields import Bytes, Fields, Integer, ListOf, to_base64
from crowdlog.crowd.services.identity import SIGNATURE
from crowdlog.errors import InputError

MOST_BYTES = MAX_REPORT + MAX_LAYERS * LAYER_OVERHEAD  # of one envelope
COUNT = Integer(0, 2**62)
STATISTICS = ("held", *COUNTS)  # what a mix vouches for beside its name and the collection's
BATCH: Fields = {"envelopes": ListOf(Bytes(MOST_BYTES), MOST_ENVELOPES), "signature": SIGNATURE}
FINAL: Fields = {"signature": SIGNATURE}
COUNTED: Fields = {"accepted": COUNT, "duplicates": COUNT, "rejected": COUNT}
RECEIPT: Fields = {"receipt": SIGNATURE}
# What a receipt says: these envelopes were looked at and kept or left out; the collection has ended here, so
# none of them is wanted any more; I heard that you are empty.
TAKEN, ENDED, HEARD = "taken", "ended", "heard"


def batch_message(manifest: Manifest, envelopes: Sequence[bytes]) -> bytes:
    """What a mix signs when it passes envelopes on. With the length of each: the same bytes cut at other
    places would be left out by the next party, with a receipt that fits.
    """
    framed = b"".join(len(one).to_bytes(4, "big") + one for one in envelopes)
    return manifest.collection.id + hashlib.sha256(framed).digest()


def batch_signed(before: Party, manifest: Manifest, envelopes: Sequence[bytes], signature: bytes) -> bool:
    """Whether the party before signed exactly these envelopes."""
    return signed(bytes.fromhex(before.signing), "batch", batch_message(manifest, envelopes), signature)


def final_signed(before: Party, manifest: Manifest, signature: bytes) -> bool:
    """Whether the party before signed that it has passed on all it had."""
    return signed(bytes.fromhex(before.signing), "final", manifest.collection.id, signature)


def receipt(own: SigningKey, kind: str, message: bytes) -> dict[str, str]:
    """What the next party adds to its answer."""
    return {"receipt": to_base64(own.sign(kind, message))}


def receipted(party: Party, kind: str, message: bytes, answer: httpx.Response) -> bool:
    """Whether an answer holds the receipt of this party."""
    try:
        given = base64.b64decode(answer.json()["receipt"], validate=True)
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return signed(bytes.fromhex(party.signing), kind, message, given)


def vouched(party: Party, collection_id: str, one: dict[str, Any]) -> bool:
    """Whether a mix signed these statistics, of this collection and in its own name. Anything but counts
    could not stand in the label, and would keep the crowd log from being written for good.
    """
    try:
        values, signature = one["statistics"], bytes.fromhex(one["signature"])
        named = values["owner"], values["collection"]
        for name in STATISTICS:
            COUNT.read(name, values[name])
    except (KeyError, TypeError, ValueError, InputError):
        return False
    mine = named == (party.owner, collection_id) and len(values) == len(STATISTICS) + len(named)
    return mine and signed(bytes.fromhex(party.signing), "statistics", canonical(values), signature)


async def fetch_certificate(client: httpx.AsyncClient, manifest: Manifest) -> tuple[int, str] | None:
    """Ask the randomness server whether its key is gone; return when, and its signature of that."""
    answer = await ask(client, "GET", f"{manifest.randomness.url}/collections/{manifest.id}")
    if answer.status_code != 200:
        return None
    try:
        destroyed, certificate = int(answer.json()["destroyed"]), str(answer.json()["certificate"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return (destroyed, certificate) if certified(manifest, destroyed, certificate) else None
