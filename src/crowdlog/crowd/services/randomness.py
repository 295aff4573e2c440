"""The randomness server: evaluates the oblivious PRF under one key per collection, and destroys the key when
told.

It learns nothing about what it evaluates. Its key is what stands between a collected report and a guesser, so
it answers a bounded number of elements per address and per key, and after the key is destroyed it answers 410
for good: the destruction is recorded first, then the key is overwritten and removed, and a restart finishes
what a crash cut short.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.crypto.voprf import VoprfKey, evaluate
from crowdlog.crowd.services.app import Refused, body_of, build_app
from crowdlog.crowd.services.fields import Bytes, Choice, Fields, Integer, ListOf, Text, to_base64
from crowdlog.crowd.services.keyfile import destroy_secret, secret_for
from crowdlog.crowd.services.limits import Allowance, Limits, address_of
from crowdlog.crowd.services.openapi import Operation
from crowdlog.crowd.services.storage import open_database
from crowdlog.privacy.randomness import Randomness

SCHEMA = [
    "CREATE TABLE IF NOT EXISTS keys (public TEXT PRIMARY KEY, state TEXT NOT NULL, budget BIGINT NOT NULL, "
    "used BIGINT NOT NULL)",
]
ELEMENT = Bytes(32, exact=True)
MOST_ELEMENTS = 1000  # per request: about 0.2 s of work
_DESTROYED = "The key of this collection was destroyed; nothing can be evaluated under it any more."
_HEX_KEY = "^[0-9a-f]{64}$"
_STATE = Choice(("open", "destroyed"))
_CREATE: Fields = {"budget": Integer(1, 10**12)}
_EVALUATE: Fields = {"elements": ListOf(ELEMENT, MOST_ELEMENTS)}
_KEY: Fields = {"public": Text(), "state": _STATE}
_EVALUATED: Fields = {"evaluation": Bytes(10**6)}


@dataclass
class RandomnessServer:
    """`elements_per_second` bounds how fast one address can have guesses evaluated (0: no limit)."""

    folder: Path
    randomness: Randomness
    token: str
    limits: Limits
    database_url: str | None = None
    elements_per_second: float = 200.0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._database = open_database(self.database_url, self.folder / "randomness.sqlite", SCHEMA)
        self._allowance = Allowance(
            self.elements_per_second, max(MOST_ELEMENTS, 10 * self.elements_per_second), self.randomness
        )
        with self._database.transaction() as t:
            destroyed = [public for (public,) in t.rows("SELECT public FROM keys WHERE state = 'destroyed'")]
        for public in destroyed:
            destroy_secret(self._path(public))

    def app(self) -> Starlette:
        return build_app("crowdlog randomness server", self)

    async def work(self) -> None:
        """Nothing to do beside requests."""
        return

    def close(self) -> None:
        self._database.close()

    def operations(self) -> list[Operation]:
        key = {"key": _HEX_KEY}
        return [
            Operation(
                "POST",
                "/keys",
                "Make a key for a collection.",
                self._create,
                _KEY,
                _CREATE,
                201,
                operator=True,
            ),
            Operation(
                "GET", "/keys/{key}", "Tell whether a key still exists.", self._show, _KEY, parameters=key
            ),
            Operation(
                "DELETE",
                "/keys/{key}",
                "Destroy a key for good.",
                self._destroy,
                _KEY,
                operator=True,
                parameters=key,
            ),
            Operation(
                "POST",
                "/keys/{key}/evaluate",
                "Evaluate.",
                self._evaluate,
                _EVALUATED,
                _EVALUATE,
                refusals=(410,),
                parameters=key,
            ),
        ]

    def _path(self, public: str) -> Path:
        return self.folder / f"{public}.key"

    async def _create(self, request: Request) -> Response:
        body = await body_of(request, _CREATE)
        public = await run_in_threadpool(self.create_key, body["budget"])
        return JSONResponse({"public": public, "state": "open"}, status_code=201)

    def create_key(self, budget: int) -> str:
        """Make a key that may evaluate `budget` elements in all; return its public part in hex."""
        key = VoprfKey.generate(self.randomness)
        public = key.public.hex()
        with secret_for(self._path(public), key.to_bytes()), self._database.transaction() as t:
            t.run("INSERT INTO keys VALUES (?, 'open', ?, 0)", (public, budget))
        return public

    async def _show(self, request: Request) -> Response:
        public = request.path_params["key"]
        return JSONResponse({"public": public, "state": await run_in_threadpool(self._state, public)})

    def _state(self, public: str) -> str:
        with self._database.transaction() as t:
            rows = t.rows("SELECT state FROM keys WHERE public = ?", (public,))
        if not rows:
            raise Refused(404, "There is no such key here.")
        return str(rows[0][0])

    async def _destroy(self, request: Request) -> Response:
        public = request.path_params["key"]
        await run_in_threadpool(self.destroy_key, public)
        return JSONResponse({"public": public, "state": "destroyed"})

    def destroy_key(self, public: str) -> None:
        """Refuse from now on, then overwrite and remove the key."""
        self._state(public)
        with self._database.transaction() as t:
            t.run("UPDATE keys SET state = 'destroyed' WHERE public = ?", (public,))
        destroy_secret(self._path(public))

    async def _evaluate(self, request: Request) -> Response:
        public, elements = request.path_params["key"], (await body_of(request, _EVALUATE))["elements"]
        if not self._allowance.take(address_of(request.scope), len(elements)):
            raise Refused(429, "Too many elements came from this address; wait a few seconds and try again.")
        return JSONResponse(
            {"evaluation": to_base64(await run_in_threadpool(self.evaluate, public, elements))}
        )

    def evaluate(self, public: str, elements: list[bytes]) -> bytes:
        """Evaluate the elements if the key still exists and its budget allows."""
        with self._database.transaction() as t:
            paid = t.run(
                "UPDATE keys SET used = used + ? WHERE public = ? AND state = 'open' AND used + ? <= budget",
                (len(elements), public, len(elements)),
            )
        if not paid:
            if self._state(public) == "destroyed":
                raise Refused(410, _DESTROYED)
            raise Refused(429, "This key has evaluated as many elements as it may.")
        try:
            key = VoprfKey.from_bytes(self._path(public).read_bytes())
        except FileNotFoundError as error:  # destroyed since the lines above
            raise Refused(410, _DESTROYED) from error
        return evaluate(key, elements, self.randomness).to_bytes()
