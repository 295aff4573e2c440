"""The randomness server: evaluates the oblivious PRF under one key per collection, and destroys the key when
told or when mining ends.

It learns nothing about what it evaluates. Its key is what stands between a collected report and a guesser. So
it evaluates only for members, one value for each of a member's slots, and nothing before the smallest crowd
of the terms has joined. Once the key is destroyed (voprf_keys.py) it certifies that, and answers 410 for
good. It keeps the public list of the collections it serves, each entry chained to those before it.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.certificate import destruction
from crowdlog.crowd.crypto.batch_showing import Showing, shown_all
from crowdlog.crowd.crypto.voprf import VoprfKey, evaluate
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.public_list import EMPTY, chained_head
from crowdlog.crowd.services import voprf_keys
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.background import Pulse
from crowdlog.crowd.services.fields import AnyObject, Bytes, Choice, Fields, Integer, ListOf, Text, to_base64
from crowdlog.crowd.services.identity import CERTIFICATE, Identity
from crowdlog.crowd.services.limits import Allowance, Limits, address_of
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.registration import ONE_COLLECTION, issuing, registration
from crowdlog.crowd.services.storage import StorageDown, StorageFull, Transaction, open_database
from crowdlog.crowd.services.trail import Trail
from crowdlog.crowd.services.voprf_keys import VoprfKeys
from crowdlog.crowd.slots import SLOT_REQUEST_SIZE, SlotRequest
from crowdlog.privacy.randomness import Randomness

SCHEMA = [
    *voprf_keys.SCHEMA,
    "CREATE TABLE IF NOT EXISTS randomness_collections (number BIGINT PRIMARY KEY, id TEXT UNIQUE NOT NULL, "
    "public TEXT UNIQUE NOT NULL, manifest TEXT NOT NULL, head BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS randomness_closings (collection TEXT PRIMARY KEY, planned BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS randomness_people (collection TEXT NOT NULL, point BLOB NOT NULL, "
    "PRIMARY KEY (collection, point)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS randomness_slots (collection TEXT NOT NULL, name BLOB NOT NULL, element "
    "BLOB NOT NULL, "
    "PRIMARY KEY (collection, name)) WITHOUT ROWID",
]
MOST_ELEMENTS = 200  # per request: about 0.2 s of work
_DESTROYED = "The key of this collection was destroyed; nothing can be evaluated under it any more."
_COUNT = Integer(0, 2**62)
_POLL_SECONDS = 1.0
_MADE: Fields = {"voprf_public": Text(), "issuer": Bytes(64, exact=True)}
_LISTED: Fields = {"collections": ListOf(AnyObject("number, id, title and head"), 10**6, 0), "head": Text()}
_STATE = Choice(("open", "destroyed"))
_SHOWN: Fields = {"state": _STATE, "signature": Text(), "joined": _COUNT, **CERTIFICATE}
_EVALUATE: Fields = {"slots": ListOf(Bytes(SLOT_REQUEST_SIZE, exact=True), MOST_ELEMENTS)}
_CLOSING: Fields = {"at": Integer(0, 2**53)}
_EVALUATED: Fields = {"evaluation": Bytes(10**6)}


@dataclass
class RandomnessServer:
    """`elements_per_second` bounds how fast one address can have values evaluated (0: no limit).

    `smallest_crowd`: the owner's own floor; a collection of fewer people is refused.
    """

    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    database_url: str | None = None
    elements_per_second: float = 200.0
    owner: str = "unnamed"
    smallest_crowd: int = 1
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        self.identity = Identity(self.folder, self.owner, self.randomness)
        self._database = open_database(self.database_url, self.folder / "randomness.sqlite", SCHEMA)
        self._allowance = Allowance(
            self.elements_per_second, max(MOST_ELEMENTS, 10 * self.elements_per_second), self.randomness
        )
        self._manifests: dict[str, Manifest] = {}
        self.pulses = [Pulse("destroying keys")]
        self._keys = VoprfKeys(self._database, self.folder, lambda: self.clock())

    def app(self) -> Starlette:
        return build_app("crowdlog randomness server", self, self, Trail(self.folder))

    async def work(self) -> None:
        """Destroy keys whose mining has ended."""
        await self.pulses[0].keep(self._watch_dates)

    async def _watch_dates(self) -> None:
        while True:
            with self.pulses[0].heard(), suppress(StorageFull, StorageDown):
                await run_in_threadpool(self.destroy_due)
            self.pulses[0].beat()
            await asyncio.sleep(_POLL_SECONDS)

    def close(self) -> None:
        self._database.close()

    def operations(self) -> list[Operation]:
        at = "/collections/{id}"
        return [
            *registration(self),
            Operation("POST", "/keys", "Make keys.", self._make, _MADE, status=201, operator=True),
            Operation("GET", "/collections", "List all collections ever served.", self._list, _LISTED),
            Operation(
                "GET",
                at,
                "Tell whether a collection's key still exists.",
                self._show,
                _SHOWN,
                **ONE_COLLECTION,
            ),
            Operation(
                "DELETE",
                f"{at}/key",
                "Destroy a key for good.",
                self._destroy,
                _SHOWN,
                operator=True,
                **ONE_COLLECTION,
            ),
            Operation(
                "POST",
                f"{at}/closing",
                "Plan the end of mining, within the terms.",
                self._plan,
                _CLOSING,
                _CLOSING,
                refusals=(409, 410),
                operator=True,
                **ONE_COLLECTION,
            ),
            issuing(self, "Issue a credential for evaluations."),
            Operation(
                "POST",
                f"{at}/evaluate",
                "Evaluate, one value per slot.",
                self._evaluate,
                _EVALUATED,
                _EVALUATE,
                refusals=(403, 409, 410),
                **ONE_COLLECTION,
            ),
        ]

    async def _make(self, _request: Request) -> Response:
        public, issuer = await run_in_threadpool(self.make_keys)
        return JSONResponse({"voprf_public": public, "issuer": to_base64(issuer)}, status_code=201)

    def make_keys(self) -> tuple[str, bytes]:
        """Make the keys of a collection to be: the PRF's public key in hex, and the credentials' one."""
        return self._keys.make(self.randomness), self.identity.make_issuer()

    def register(self, manifest: Manifest) -> str:
        """Take a collection into the public list, if its terms are ones this owner stands for."""
        self.identity.holds(manifest, "randomness", "evaluation")
        if manifest.smallest_crowd < self.smallest_crowd:
            raise Refused(
                400, f"The owner of this service demands a crowd of at least {self.smallest_crowd} people."
            )
        self.identity.bind_issuer(manifest, "evaluation")
        public = manifest.collection.voprf_public.hex()
        with self._database.transaction() as t:
            if not self._keys.usable(t, public):
                raise Refused(400, "The collection does not use an open key of this service.")
            if not t.rows("SELECT 1 FROM randomness_collections WHERE id = ?", (manifest.id,)):
                if t.rows("SELECT 1 FROM randomness_collections WHERE public = ?", (public,)):
                    raise Refused(409, "Another collection uses this key; make one for each.")
                last = t.rows("SELECT number, head FROM randomness_collections ORDER BY number DESC LIMIT 1")
                number, head = (int(last[0][0]), bytes(last[0][1])) if last else (0, EMPTY)
                text = json.dumps(manifest.to_json())
                chained = chained_head(head, manifest.id)
                t.run(
                    "INSERT INTO randomness_collections VALUES (?, ?, ?, ?, ?)",
                    (number + 1, manifest.id, public, text, chained),
                )
        return self.identity.agree(manifest)

    async def _list(self, _request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.listed))

    def listed(self) -> dict[str, Any]:
        """Every collection this server has ever agreed to, in order, with the chain of their ids."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT number, id, manifest, head FROM randomness_collections ORDER BY number")
        entries = [
            {"number": number, "id": name, "title": json.loads(manifest)["title"], "head": bytes(head).hex()}
            for number, name, manifest, head in rows
        ]
        return {"collections": entries, "head": entries[-1]["head"] if entries else EMPTY.hex()}

    def measures(self) -> dict[str, dict[str, int]]:
        with self._database.transaction() as t:
            names = [str(name) for (name,) in t.rows("SELECT id FROM randomness_collections ORDER BY number")]
            return {name: {"joined": self._joined(t, name)} for name in names}

    def ask_database(self) -> None:
        with self._database.transaction() as t:
            t.rows("SELECT MAX(number) FROM randomness_collections")

    async def _show(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self.state, request.path_params["id"]))

    def state(self, collection_id: str) -> dict[str, Any]:
        """What anybody may know: whether the key exists, how many have joined, the certificate of the end."""
        manifest = self._manifest(collection_id)
        with self._database.transaction() as t:
            destroyed = self._keys.destroyed(t, _public(manifest))
            joined = self._joined(t, collection_id)
        return {
            "state": "destroyed" if destroyed else "open",
            "signature": self.identity.agree(manifest),
            "joined": joined,
            "destroyed": destroyed,
            "certificate": self._certificate(manifest, destroyed) if destroyed else "",
        }

    def _certificate(self, manifest: Manifest, destroyed: int) -> str:
        return self.identity.signing.sign("destroyed", destruction(manifest, destroyed)).hex()

    def join(self, collection_id: str, request: bytes, ticket: bytes) -> bytes:
        """Issue the credential for evaluations to somebody with a ticket, and count her."""
        manifest = self._manifest(collection_id)
        with self._database.transaction() as t:
            self._refuse_late(t, manifest)
        point, credential = self.identity.admit(manifest, "evaluation", request, ticket)
        with self._database.transaction() as t:
            t.run(
                "INSERT INTO randomness_people VALUES (?, ?) ON CONFLICT DO NOTHING", (collection_id, point)
            )
        return credential

    async def _evaluate(self, request: Request) -> Response:
        packed = (await body_of(request, _EVALUATE))["slots"]
        if not self._allowance.take(address_of(request.scope), len(packed)):
            raise Refused(429, "Too many elements came from this address; wait a few seconds and try again.")
        name = request.path_params["id"]
        return JSONResponse({"evaluation": to_base64(await run_in_threadpool(self.evaluate, name, packed))})

    def evaluate(self, collection_id: str, packed: Sequence[bytes]) -> bytes:
        """Evaluate one element for each of these slots; a slot has one element, however often it is asked
        for.
        """
        manifest = self._manifest(collection_id)
        with self._database.transaction() as t:
            self._refuse_late(t, manifest)
            joined = self._joined(t, collection_id)
        if self.clock() < manifest.job.mining_from:
            raise Refused(409, "The mining of this collection has not begun; its terms say when it does.")
        if joined < manifest.smallest_crowd:
            raise Refused(
                409, f"{joined} of at least {manifest.smallest_crowd} people have joined; try again later."
            )
        key = self.identity.issuer(manifest.collection.evaluation_issuer)
        slots = [SlotRequest.parse(item) for item in packed]
        showings = [_showing(manifest, slot) for slot in slots]
        if not all(shown_all(key, showings, self.randomness)):
            raise Refused(403, "A slot is shown without a credential of this collection; join first.")
        secret = self._keys.read(_public(manifest))
        if secret is None:  # destroyed since the lines above
            raise Refused(410, _DESTROYED)
        self._spend(manifest, slots, secret)
        return evaluate(
            VoprfKey.from_bytes(secret), [slot.element for slot in slots], self.randomness
        ).to_bytes()

    def _spend(self, manifest: Manifest, slots: Sequence[SlotRequest], key: bytes) -> None:
        """Record which element each slot is used for, all or none.

        Only hashes under the collection's own key are stored: what a database keeps of them when it is
        destroyed is noise.
        """
        with self._database.transaction() as t:
            self._refuse_late(t, manifest)
            for slot in slots:
                name, digest = _hashed(key, slot.name), _hashed(key, slot.element)
                values = (manifest.id, name, digest)
                if t.run("INSERT INTO randomness_slots VALUES (?, ?, ?) ON CONFLICT DO NOTHING", values):
                    continue
                where = "SELECT element FROM randomness_slots WHERE collection = ? AND name = ?"
                if bytes(t.rows(where, (manifest.id, name))[0][0]) != digest:
                    raise Refused(403, "A slot was used for another value before; each is good for one.")

    async def _destroy(self, request: Request) -> Response:
        name = request.path_params["id"]
        await run_in_threadpool(self.destroy, name)
        return JSONResponse(await run_in_threadpool(self.state, name))

    def destroy_due(self) -> None:
        """Destroy the keys of all collections whose mining has ended, and what was stopped before."""
        self._keys.finish()
        with self._database.transaction() as t:
            rows = t.rows(
                "SELECT c.id FROM randomness_collections c JOIN randomness_keys k ON k.public = c.public "
                "WHERE k.state = 'open'"
            )
        for (name,) in rows:
            if self._closes(name) <= self.clock():
                self.destroy(name)

    def _closes(self, collection_id: str) -> int:
        """When mining ends: as the terms say at the latest, or as planned."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT planned FROM randomness_closings WHERE collection = ?", (collection_id,))
        latest = self._manifest(collection_id).mining_until
        return min(latest, int(rows[0][0])) if rows else latest

    def plan_closing(self, collection_id: str, moment: int) -> int:
        """Plan the end of mining for this moment, never later than the terms say."""
        manifest = self._manifest(collection_id)
        if moment > manifest.mining_until:
            raise Refused(
                409,
                "The terms set an earlier end, and members agreed to them; ask again in a new collection.",
            )
        with self._database.transaction() as t:
            self._refuse_late(t, manifest)
            t.run(
                "INSERT INTO randomness_closings VALUES (?, ?) "
                "ON CONFLICT (collection) DO UPDATE SET planned = excluded.planned",
                (collection_id, moment),
            )
        return moment

    async def _plan(self, request: Request) -> Response:
        moment = (await body_of(request, _CLOSING))["at"]
        return JSONResponse(
            {"at": await run_in_threadpool(self.plan_closing, request.path_params["id"], moment)}
        )

    def destroy(self, collection_id: str) -> None:
        """Refuse from now on and forget who used which slot, then overwrite and remove the key."""
        public = _public(self._manifest(collection_id))
        with self._database.transaction() as t:
            self._keys.close(t, public)
            t.run("DELETE FROM randomness_slots WHERE collection = ?", (collection_id,))
        self._keys.finish()

    def _manifest(self, collection_id: str) -> Manifest:
        if collection_id not in self._manifests:
            with self._database.transaction() as t:
                rows = t.rows("SELECT manifest FROM randomness_collections WHERE id = ?", (collection_id,))
            if not rows:
                raise Refused(404, "There is no such collection here.")
            self._manifests[collection_id] = Manifest.from_json(json.loads(rows[0][0]))
        return self._manifests[collection_id]

    def _refuse_late(self, t: Transaction, manifest: Manifest) -> None:
        if not self._keys.usable(t, _public(manifest)):
            raise Refused(410, _DESTROYED)

    def _joined(self, t: Transaction, collection_id: str) -> int:
        return int(
            t.rows("SELECT COUNT(*) FROM randomness_people WHERE collection = ?", (collection_id,))[0][0]
        )


def _public(manifest: Manifest) -> str:
    return manifest.collection.voprf_public.hex()


def _hashed(key: bytes, value: bytes) -> bytes:
    return hmac.digest(key, b"slot" + value, "sha256")


def _showing(manifest: Manifest, slot: SlotRequest) -> Showing:
    """The proof that a slot is a member's, for the element it is used for."""
    context = manifest.collection.slot_context("evaluation", slot.slot, slot.level)
    return Showing(slot.proof, [(context, slot.name)], slot.element)
