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

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Consent, Manifest, Party, digest_of
from crowdlog.crowd.services.collections import PHASES
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.files.whole import new_folder
from crowdlog.progress import progress_bar

_POLL_SECONDS = 0.2
_HOUR = 3600
_INVITATIONS_AT_ONCE = 10_000
_NOT_GUARANTEED = (
    "A count of people is not differential privacy unless the policy says so. Whoever runs the randomness "
    "server "
    "and the aggregation server together could test guesses while the key exists. Whoever runs all mixes "
    "and the "
    "aggregation server could see which address sent which report."
)


@dataclass(frozen=True)
class RemoteService:
    url: str
    token: str

    def __repr__(self) -> str:
        return f"RemoteService({self.url!r})"


@dataclass(frozen=True)
class PartyKeys:
    """What the parties made for one collection; the last mix key is the aggregation server's."""

    voprf_public: bytes
    report_issuer: bytes
    evaluation_issuer: bytes
    admission_issuer: bytes
    mix_publics: tuple[bytes, ...]


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
    smallest_crowd: int = 0  # fewest people who must have joined; k if 0
    mining_seconds: int = 14 * 24 * _HOUR  # from now on, unless closed earlier
    upload_seconds: int = 7 * 24 * _HOUR
    cover: bool = True
    purpose: str = "To learn what many people search for."
    institution: str = "not given"
    contact: str = "not given"
    consent_version: int = 1

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

    def consent(self) -> Consent:
        """What volunteers are told, in plain words."""
        nested = f", and each {self.inner_artifact} inside one that {self.inner_k} people sent" * bool(
            self.inner_k
        )
        published = (
            f"Each {self.artifact} that at least {self.k} people sent{nested}, as the policy "
            f"{self.policies()['policy']} allows, when the uploads have ended. Nothing else can be read, "
            "and all "
            "reports are deleted."
        )
        return Consent(
            self.purpose, self.institution, self.contact, published, _NOT_GUARANTEED, self.consent_version
        )

    def manifest(self, parties: Sequence[Party], keys: PartyKeys, mining_until: int) -> Manifest:
        """The collection on these terms, run by these parties with these keys."""
        described: dict[str, Any] = {
            "title": self.title,
            "artifact": self.artifact,
            "representation": self.representation,
            "count": self.count,
            **self.policies(),
            "smallest_crowd": self.smallest_crowd or self.k,
            "mining_until": mining_until,
            "upload_seconds": self.upload_seconds,
            "cover": self.cover,
            "inner_artifact": self.inner_artifact,
        }
        consent = self.consent()
        written = [asdict(party) for party in parties]
        collection = Collection(
            terms=digest_of({**described, "parties": written, "consent": asdict(consent)}),
            k=self.k,
            limit=self.limit,
            voprf_public=keys.voprf_public,
            report_issuer=keys.report_issuer,
            evaluation_issuer=keys.evaluation_issuer,
            admission_issuer=keys.admission_issuer,
            mix_publics=keys.mix_publics,
            inner_k=self.inner_k,
            payload_size=self.payload_size,
            inner_slots=self.inner_slots,
        )
        return Manifest(collection, parties=tuple(parties), consent=consent, **described)


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
        """Have every party make its keys, agree on the terms with all of them, and invite people."""
        manifest = self._agreed(terms)
        return manifest, self.invite(manifest.id, invitations) if invitations else []

    def _agreed(self, terms: Terms) -> Manifest:
        services = [self.randomness, *self.mixes, self.aggregation]
        roles = ["randomness", *["mix"] * len(self.mixes), "aggregation"]
        parties = [
            Party(role, url=service.url, **service.call("GET", "/identity"))
            for role, service in zip(roles, services, strict=True)
        ]
        made = [service.call("POST", "/keys") for service in services]
        keys = PartyKeys(
            voprf_public=bytes.fromhex(made[0]["voprf_public"]),
            report_issuer=_bytes(made[-1], "issuer"),
            evaluation_issuer=_bytes(made[0], "issuer"),
            admission_issuer=_bytes(made[1], "issuer"),
            mix_publics=tuple(_bytes(one, "public") for one in made[1:]),
        )
        manifest = terms.manifest(parties, keys, int(time.time()) + terms.mining_seconds)
        # The aggregation server first: it refuses a policy that does not fit.
        for service in reversed(services):
            service.call("POST", "/collections", {"manifest": manifest.to_json()})
        return manifest

    def invite(self, collection_id: str, people: int) -> list[str]:
        """Make invitations, each good for one person."""
        invited: list[str] = []
        while len(invited) < people:
            count = min(people - len(invited), _INVITATIONS_AT_ONCE)
            path = f"/collections/{collection_id}/invitations"
            invited += self.aggregation.call("POST", path, {"count": count})["invitations"]
        return invited

    def collections(self) -> list[dict[str, Any]]:
        """Every collection of the aggregation server with its phase."""
        return list(self.aggregation.call("GET", "/collections")["collections"])

    def status(self, collection_id: str) -> dict[str, Any]:
        """Return counts: of the aggregation server, the randomness server and each mix."""
        at = f"/collections/{collection_id}"
        return {
            **self.aggregation.call("GET", f"{at}/status"),
            "joined everywhere": self.randomness.call("GET", at)["joined"],
            "mixes": [mix.call("GET", f"{at}/status") for mix in self.mixes],
        }

    def manifest(self, collection_id: str) -> Manifest:
        return Manifest.from_json(self.aggregation.call("GET", f"/collections/{collection_id}")["manifest"])

    def close(self, collection_id: str) -> None:
        """Destroy the randomness key: the uploads begin."""
        self.randomness.call("DELETE", f"/collections/{collection_id}/key")

    def wait_open(self, collection_id: str, seconds: float = 60) -> None:
        """Wait until the mixes and the aggregation server have seen that the key is gone."""
        deadline = time.monotonic() + seconds
        at = f"/collections/{collection_id}"
        while self.phase(collection_id) == "mining" or any(
            mix.call("GET", at)["state"] == "waiting" for mix in self.mixes
        ):
            if time.monotonic() > deadline:
                raise CrowdlogError("A service cannot reach the randomness server; see that all of them run.")
            time.sleep(_POLL_SECONDS)

    def phase(self, collection_id: str) -> str:
        return str(self.aggregation.call("GET", f"/collections/{collection_id}")["phase"])

    def publish(self, collection_id: str, out: Path, seconds: float = 3600) -> Path:
        """Wait for the end of the uploads, have the crowd log made, and fetch it into a new folder to look
        at.

        Nobody else can read it before `release`.
        """
        if out.exists():
            raise InputError(f"{out} exists already; choose another folder for the crowd log.")
        phase = self.phase(collection_id)
        if phase == "mining":
            raise InputError("The collection is in phase 'mining': close it before it is published.")
        if phase == "uploading":
            self._wait(collection_id, seconds, "complete", "Uploads and the last batches")
        if self.phase(collection_id) == "complete":
            at = f"/collections/{collection_id}"
            statistics = [mix.call("GET", f"{at}/statistics") for mix in self.mixes]
            self.aggregation.call("POST", f"{at}/publish", {"statistics": statistics})
        self._wait(collection_id, seconds, "ready", "Opening what enough people share")
        return self._fetch(collection_id, out)

    def release(self, collection_id: str) -> None:
        """Make the crowd log public at the aggregation server's address."""
        self.aggregation.call("POST", f"/collections/{collection_id}/release")

    def _wait(self, collection_id: str, seconds: float, wanted: str, title: str) -> None:
        """Wait until the collection is in this phase or beyond it."""
        deadline = time.monotonic() + seconds
        with progress_bar(title, unit="looks") as advance:
            while PHASES.index(self.phase(collection_id)) < PHASES.index(wanted):
                if time.monotonic() > deadline:
                    raise CrowdlogError(
                        "The crowd log is not ready yet; run publish again later, nothing is lost."
                    )
                time.sleep(_POLL_SECONDS)
                advance(1)

    def _fetch(self, collection_id: str, out: Path) -> Path:
        at = f"/collections/{collection_id}/preview"
        with new_folder(out) as folder:
            for name in self.aggregation.call("GET", at)["files"]:
                (folder / Path(name).name).write_bytes(self.aggregation.read(f"{at}/{name}"))
        return out


def _bytes(answer: dict[str, Any], name: str) -> bytes:
    return base64.b64decode(str(answer[name]))
