"""Services as they were before a repair, to show by an attack what the repair is worth. Never deployed.

`python -m crowdlog.attacks.old_services SWITCH crowd serve …` runs the shipped command; while the file SWITCH
names an attack, the method that repaired it does what it did before.
"""

from __future__ import annotations

import hashlib
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.crypto.voprf import VoprfKey, evaluate
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services import batches, collections, mix, randomness
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.batch_sender import BatchSender
from crowdlog.crowd.services.batches import BatchStore
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.pool_file import PoolFile
from crowdlog.crowd.services.randomness import RandomnessServer
from crowdlog.crowd.slots import SlotRequest, Submission

NO_POOLS = "no-pools"  # our own services but for the pools of the mixes
BUDGET = 400  # values that all members together could have evaluated, whoever asked for them


class Switch:
    """A file with the names of the attacks whose old behaviour is on."""

    path = Path("/nonexistent")

    @classmethod
    def on(cls, *attacks: str) -> bool:
        return cls.path.is_file() and bool(set(cls.path.read_text().split()) & set(attacks))


class OldMixNode(MixNode):
    """A mix that took envelopes of any length from anybody and could be emptied by the operator."""

    def take(self, collection_id: str, packed: Sequence[bytes]) -> dict[str, int]:
        if not Switch.on("A1", "A4"):
            return super().take(collection_id, packed)
        taken = []
        for data in packed:
            envelope = Submission.parse(data).envelope
            digest = hashlib.sha256(envelope).digest()
            taken.append((digest, digest, open_layer(self._key, envelope)))
        return self._kept(collection_id, taken, 0)

    def operations(self) -> list[Operation]:
        one: dict[str, Any] = {"parameters": {"id": "^[0-9a-f]{64}$"}, "operator": True}
        at = "/collections/{id}/drain"
        return [*super().operations(), Operation("POST", at, "Empty.", self._drain, mix.STATE, **one)]

    async def _drain(self, request: Request) -> Response:
        if not Switch.on("A3"):
            raise Refused(404, "There is no such call.")
        await run_in_threadpool(BatchStore.form, self._batches, request.path_params["id"], 0)
        self.sender.arrived.set()
        return JSONResponse({"state": "open"})


class OldBatchSender(BatchSender):
    """A mix that took a refusal for a delivery."""

    async def send(self, client: httpx.AsyncClient, manifest: Manifest, batch: int) -> bool:
        if not Switch.on("A1"):
            return await super().send(client, manifest, batch)
        rows = await run_in_threadpool(self.batches.shuffled, manifest.id, batch)
        answer = await self.post(client, manifest, [inner for _name, inner in rows])
        if answer.status_code not in {202, 400}:
            return False
        await run_in_threadpool(self.batches.forget, manifest.id, [name for name, _inner in rows], "passed")
        return True


class OldBatchStore(BatchStore):
    """A mix's store that let everything go as soon as so many envelopes, of whomever, waited; or, to see what
    a pool alone is worth, at once.
    """

    def form(self, collection_id: str, pool: int) -> bool:
        if Switch.on(NO_POOLS):
            return super().form(collection_id, 0)
        if not Switch.on("A1", "A2", "A3", "A4"):
            return super().form(collection_id, pool)
        waits = self.counts(collection_id)["held"] >= pool
        return waits and super().form(collection_id, 0)


class OldPoolFile(PoolFile):
    """Envelopes that stayed on disk after they had left."""

    def _clear(self, places: Sequence[int]) -> None:
        if not Switch.on("A6"):
            super()._clear(places)
            return
        self._free += places

    def destroy(self) -> None:
        if not Switch.on("A6"):
            super().destroy()
            return
        self.close()


class OldRandomnessServer(RandomnessServer):
    """A randomness server that evaluated for anybody, within one budget for all, however few had joined."""

    def evaluate(self, collection_id: str, packed: Sequence[bytes]) -> bytes:
        if not Switch.on("A5", "A7"):
            return super().evaluate(collection_id, packed)
        used: dict[str, int] = self.__dict__.setdefault("used", {})
        used[collection_id] = used.get(collection_id, 0) + len(packed)
        if used[collection_id] > BUDGET:
            raise Refused(410, "The collection's values are used up.")
        public = self._manifest(collection_id).collection.voprf_public.hex()
        secret = VoprfKey.from_bytes(self._keys.read(public) or b"")
        elements = [SlotRequest.parse(item).element for item in packed]
        return evaluate(secret, elements, self.randomness).to_bytes()


class OldCipher:
    """Rows that were stored as they came."""

    def __init__(self, key: bytes) -> None:
        self._cipher = ChaCha20Poly1305(key)
        self._plain = Switch.on("A6")

    def encrypt(self, nonce: bytes, data: bytes, associated: bytes | None) -> bytes:
        return data if self._plain else self._cipher.encrypt(nonce, data, associated)

    def decrypt(self, nonce: bytes, data: bytes, associated: bytes | None) -> bytes:
        return data if self._plain else self._cipher.decrypt(nonce, data, associated)


def main() -> None:
    """Put the old parts in place, then run the shipped command."""
    Switch.path = Path(sys.argv[1])
    replaced = [
        (mix, "MixNode", OldMixNode),
        (mix, "BatchStore", OldBatchStore),
        (mix, "BatchSender", OldBatchSender),
        (randomness, "RandomnessServer", OldRandomnessServer),
        (collections, "ChaCha20Poly1305", OldCipher),
        (batches, "PoolFile", OldPoolFile),
    ]
    for module, name, old in replaced:
        setattr(module, name, old)
    sys.argv = ["crowdlog", *sys.argv[2:]]
    runpy.run_module("crowdlog.cli", run_name="__main__")


if __name__ == "__main__":
    main()
