"""The operator's side: create a collection, watch its counts, close it (the randomness key is destroyed),
publish it.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.files.whole import new_folder
from crowdlog.progress import progress_bar

_POLL_SECONDS = 0.2
# Budget of the randomness key: how many elements per invited person and artifact, so that lost answers can be
# asked for again.
_RETRIES = 4


@dataclass(frozen=True)
class RemoteService:
    url: str
    token: str

    def __repr__(self) -> str:
        return f"RemoteService({self.url!r})"


@dataclass(frozen=True)
class Terms:
    """What the operator decides about a collection.

    With an inner artifact it is nested: the inner opens at `inner_k`, inside opened queries.
    """

    title: str
    k: int
    artifact: str = "query"
    representation: str = "original"
    limit: int = 200
    count: str = "users"
    policy: str | None = None  # FTu with the collection's k
    payload_size: int = 256
    inner_artifact: str = ""
    inner_k: int = 0
    inner_slots: int = 3  # most clicks or pairs of one query that a person sends
    inner_policy: str | None = None  # FTu with the inner k

    def policies(self) -> dict[str, str]:
        """The mechanism of each layer as it is spelled."""

        def spelled(given: str | None, k: int, artifact: str) -> str:
            return given or (
                f"FTu(k={k}, artifact={artifact!r}, representation={self.representation!r})"
                if artifact
                else ""
            )

        return {
            "policy": spelled(self.policy, self.k, self.artifact),
            "inner_policy": spelled(self.inner_policy, self.inner_k, self.inner_artifact),
        }


class Operator:
    """Calls the operator's part of each service with its token."""

    def __init__(
        self,
        randomness: RemoteService,
        mixes: Sequence[RemoteService],
        aggregation: RemoteService,
        cafile: str | None = None,
    ) -> None:
        self._services = (randomness, list(mixes), aggregation)
        self._cafile = cafile
        self.randomness, self.aggregation = self._connect(randomness), self._connect(aggregation)
        self.mixes = [self._connect(mix) for mix in mixes]

    def _connect(self, service: RemoteService) -> Connection:
        return Connection(service.url, token=service.token, cafile=self._cafile)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in (self.randomness, *self.mixes, self.aggregation):
            connection.__exit__(kind, error, trace)

    def to_json(self) -> dict[str, Any]:
        randomness, mixes, aggregation = (
            [vars(s) for s in group] if isinstance(group, list) else vars(group) for group in self._services
        )
        return {"randomness": randomness, "mixes": mixes, "aggregation": aggregation, "cafile": self._cafile}

    @classmethod
    def from_file(cls, path: Path) -> Operator:
        """Read operator.json, which `crowdlog crowd up` writes."""
        if not path.is_file():
            raise InputError(
                f"There is no file {path}; 'crowdlog crowd up FOLDER' writes FOLDER/operator.json."
            )
        try:
            value = json.loads(path.read_text())
            mixes = [RemoteService(**mix) for mix in value["mixes"]]
            return cls(
                RemoteService(**value["randomness"]),
                mixes,
                RemoteService(**value["aggregation"]),
                value.get("cafile"),
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path} does not hold the addresses and tokens of the services; "
                "'crowdlog crowd up' writes such a file."
            ) from error

    def create(self, terms: Terms, invitations: int) -> tuple[Manifest, list[str]]:
        """Create a collection; return it with its invitations, each good for one person."""
        budget = _RETRIES * terms.limit * invitations * (2 if terms.inner_artifact else 1)
        key = self.randomness.call("POST", "/keys", {"budget": budget})["public"]
        body = {
            **asdict(terms),
            **terms.policies(),
            "voprf_public": base64.b64encode(bytes.fromhex(key)).decode(),
            "randomness": self.randomness.url,
            "mix_publics": [mix.call("GET", "/key")["public"] for mix in self.mixes],
            "mix": self.mixes[0].url,
        }
        try:
            manifest = Manifest.from_json(self.aggregation.call("POST", "/collections", body)["manifest"])
        except InputError:  # terms that do not fit: the key belongs to nothing
            self.randomness.call("DELETE", f"/keys/{key}")
            raise
        invited = (
            self.aggregation.call("POST", f"/collections/{manifest.id}/invitations", {"count": invitations})[
                "invitations"
            ]
            if invitations
            else []
        )
        return manifest, invited

    def status(self, collection_id: str) -> dict[str, Any]:
        """Return counts: of the aggregation server and of each mix."""
        return {
            **self.aggregation.call("GET", f"/collections/{collection_id}/status"),
            "mixes": [mix.call("GET", "/status") for mix in self.mixes],
        }

    def manifest(self, collection_id: str) -> Manifest:
        return Manifest.from_json(self.aggregation.call("GET", f"/collections/{collection_id}")["manifest"])

    def close(self, collection_id: str) -> None:
        """Destroy the randomness key, then let the reports in."""
        public = self.manifest(collection_id).collection.voprf_public.hex()
        self.randomness.call("DELETE", f"/keys/{public}")
        self.aggregation.call("POST", f"/collections/{collection_id}/uploads")

    def drain(self, seconds: float = 600) -> int:
        """Empty the mixes in the order of travel; return the smallest batch that left any of them."""
        deadline = time.monotonic() + seconds
        for number, mix in enumerate(self.mixes, 1):
            left = _held(mix.call("POST", "/drain"))
            with progress_bar(f"Emptying mix {number}", left, unit="envelopes") as advance:
                while left:
                    if time.monotonic() > deadline:
                        raise CrowdlogError(
                            "The mixes still hold envelopes; see that all services run, then publish again."
                        )
                    time.sleep(_POLL_SECONDS)
                    before, left = left, _held(mix.call("GET", "/status"))
                    advance(before - left)
        return min(int(mix.call("GET", "/status")["smallest_batch"]) for mix in self.mixes)

    def publish(self, collection_id: str, out: Path, seconds: float = 3600) -> Path:
        """Drain the mixes, end the uploads, wait for the crowd log and fetch it into a new folder."""
        if out.exists():
            raise InputError(f"{out} exists already; choose another folder for the crowd log.")
        if self.aggregation.call("GET", f"/collections/{collection_id}")["phase"] == "uploading":
            self.aggregation.call(
                "POST", f"/collections/{collection_id}/publish", {"smallest_batch": self.drain()}
            )
        self._wait(collection_id, seconds)
        return self._fetch(collection_id, out)

    def _wait(self, collection_id: str, seconds: float) -> None:
        """Wait until the crowd log is published."""
        deadline = time.monotonic() + seconds
        with progress_bar("Opening what enough people share", unit="looks") as advance:
            while (
                phase := self.aggregation.call("GET", f"/collections/{collection_id}")["phase"]
            ) != "published":
                if phase != "publishing":
                    raise InputError(
                        f"The collection is in phase '{phase}': close it before it is published."
                    )
                if time.monotonic() > deadline:
                    raise CrowdlogError(
                        "The crowd log is not ready yet; run publish again later, nothing is lost."
                    )
                time.sleep(_POLL_SECONDS)
                advance(1)

    def _fetch(self, collection_id: str, out: Path) -> Path:
        at = f"/collections/{collection_id}/release"
        with new_folder(out) as folder:
            for name in self.aggregation.call("GET", at)["files"]:
                (folder / Path(name).name).write_bytes(self.aggregation.read(f"{at}/{name}"))
        return out


def _held(status: dict[str, Any]) -> int:
    return int(status["waiting"]) + int(status["leaving"])
