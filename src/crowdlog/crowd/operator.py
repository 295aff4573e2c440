"""The operator's side: create a collection, watch its counts, close it (the randomness key is destroyed),
publish it.
"""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from crowdlog.crowd.http import Connection
from crowdlog.crowd.manifest import Manifest, Party
from crowdlog.crowd.services.collections import PHASES
from crowdlog.crowd.terms import PartyKeys as PartyKeys
from crowdlog.crowd.terms import Terms as Terms
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.files.whole import new_folder
from crowdlog.progress import progress_bar

_POLL_SECONDS = 0.2
_INVITATIONS_AT_ONCE = 10_000


@dataclass(frozen=True)
class RemoteService:
    url: str
    token: str

    def __post_init__(self) -> None:
        if not isinstance(self.url, str) or not isinstance(self.token, str):
            raise TypeError("An address and a token are texts.")  # told by who reads the file

    def __repr__(self) -> str:
        return f"RemoteService({self.url!r})"


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
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise InputError(f"{path} holds tokens and others can read it; run: chmod 600 {path}")
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

    def create(
        self, terms: Terms, invitations: int, first: Callable[[Manifest], None] = lambda _manifest: None
    ) -> tuple[Manifest, list[str]]:
        """Have every party make its keys, agree on the terms with all of them, and invite people.

        `first` sees the terms before anybody agrees to them, and may refuse.
        """
        manifest = self._agreed(terms, first)
        return manifest, self.invite(manifest.id, invitations) if invitations else []

    def _agreed(self, terms: Terms, first: Callable[[Manifest], None]) -> Manifest:
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
        first(manifest)
        self._register(manifest)
        return manifest

    def _register(self, manifest: Manifest) -> None:
        """Have every party agree to the terms, the aggregation server first: it refuses a policy that does
        not fit. Asking again changes nothing.
        """
        for service in reversed([self.randomness, *self.mixes, self.aggregation]):
            service.call("POST", "/collections", {"manifest": manifest.to_json()})

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

    def _phase_reached(self, collection_id: str) -> str:
        """The phase, of a closed collection once all services know that it is closed: they look every second,
        and a command may come sooner after `close`.
        """
        if self.phase(collection_id) == "mining" and self._closed(collection_id):
            self.wait_open(collection_id)
        return self.phase(collection_id)

    def _closed(self, collection_id: str) -> bool:
        try:
            state = self.randomness.call("GET", f"/collections/{collection_id}").get("state")
        except InputError:  # creating stopped before this service agreed
            return False
        return state == "destroyed"

    def publish(self, collection_id: str, out: Path, seconds: float = 3600) -> Path:
        """Wait for the end of the uploads, have the crowd log made, and fetch it into a new folder to look
        at.

        Nobody else can read it before `release`.
        """
        if out.exists():
            raise InputError(f"{out} exists already; choose another folder for the crowd log.")
        phase = self._phase_reached(collection_id)
        if phase == "mining":
            raise InputError("The collection is in phase 'mining': close it before it is published.")
        if phase == "uploading":
            self._wait(collection_id, seconds, "complete", "Uploads and the last batches")
        if self.phase(collection_id) == "complete":
            self._wait_empty(collection_id, seconds)
            at = f"/collections/{collection_id}"
            statistics = [mix.call("GET", f"{at}/statistics") for mix in self.mixes]
            self.aggregation.call("POST", f"{at}/publish", {"statistics": statistics})
        self._wait(collection_id, seconds, "ready", "Opening what enough people share")
        return self._fetch(collection_id, out)

    def extend(self, collection_id: str, moment: int) -> None:
        """Plan the end of mining for this moment; the terms set the latest."""
        self.randomness.call("POST", f"/collections/{collection_id}/closing", {"at": moment})

    def cancel(self, collection_id: str) -> None:
        """End a collection without a crowd log: reports are deleted, nobody can mine or send."""
        self.aggregation.call("POST", f"/collections/{collection_id}/cancel")
        self.close(collection_id)

    def retry(self, collection_id: str, out: Path | None) -> str:
        """Go on where trouble stopped a command, and return the phase: have every party agree that did not
        when it was created, cancel at all of them, or make and fetch the crowd log.
        """
        phase = self._phase_reached(collection_id)
        if phase == "mining":
            self._register(self.manifest(collection_id))
        elif phase not in PHASES:  # cancelled
            self.cancel(collection_id)
        elif phase == "published":
            raise InputError("The collection is published; there is nothing to do again.")
        elif out is None:
            raise InputError("Name a folder for the crowd log with -o.")
        else:
            self.publish(collection_id, out)
        return self.phase(collection_id)

    def preview(self, collection_id: str, out: Path) -> Path:
        """Fetch the crowd log before it is public, once more."""
        if out.exists():
            raise InputError(f"{out} exists already; choose another folder for the crowd log.")
        return self._fetch(collection_id, out)

    def release(self, collection_id: str) -> None:
        """Make the crowd log public at the aggregation server's address."""
        self.aggregation.call("POST", f"/collections/{collection_id}/release")

    def _wait(self, collection_id: str, seconds: float, wanted: str, title: str) -> None:
        """Wait until the collection is in this phase or beyond it."""
        deadline = time.monotonic() + seconds
        with progress_bar(title, unit="looks") as advance:
            while PHASES.index(self._going_on(collection_id)) < PHASES.index(wanted):
                _refuse_longer(deadline)
                time.sleep(_POLL_SECONDS)
                advance(1)

    def _wait_empty(self, collection_id: str, seconds: float) -> None:
        """Wait until every mix knows that it is empty. The aggregation server knows it before the last mix
        does, long before if that was killed in between.
        """
        deadline = time.monotonic() + seconds
        at = f"/collections/{collection_id}"
        while any(mix.call("GET", at)["state"] != "ended" for mix in self.mixes):
            _refuse_longer(deadline)
            time.sleep(_POLL_SECONDS)

    def _going_on(self, collection_id: str) -> str:
        phase = self.phase(collection_id)
        if phase not in PHASES:
            raise InputError(f"The collection is {phase}: there will be no crowd log.")
        return phase

    def _fetch(self, collection_id: str, out: Path) -> Path:
        at = f"/collections/{collection_id}/preview"
        with new_folder(out, secret=True) as folder:
            for name in self.aggregation.call("GET", at)["files"]:
                self.aggregation.fetch(f"{at}/{name}", folder / Path(name).name)
        return out


def _refuse_longer(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise CrowdlogError("The crowd log is not ready yet; run publish again later, nothing is lost.")


def _bytes(answer: dict[str, Any], name: str) -> bytes:
    return base64.b64decode(str(answer[name]))
