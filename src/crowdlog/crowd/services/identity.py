"""Who a service is: its owner's name, the key it signs with, and the credential keys it has made.

A credential key is made before the collection that will use it has an id; it lies in a file named by a hash
of its public part.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crowdlog.crowd.crypto.credential import IssuerKey, issue_credential, requested_point
from crowdlog.crowd.crypto.signing import SigningKey, signed
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.fields import Bytes, Fields, Integer, Text
from crowdlog.crowd.services.keyfile import destroy_secret, write_secret
from crowdlog.errors import InputError
from crowdlog.files.disk import force_to_disk
from crowdlog.privacy.randomness import Randomness

SIGNATURE = Bytes(64, exact=True)
JOIN: Fields = {"request": Bytes(96, exact=True), "ticket": SIGNATURE}
JOINED: Fields = {"credential": Bytes(4096)}
IDENTITY: Fields = {"owner": Text(), "signing": Text()}
CERTIFICATE: Fields = {"destroyed": Integer(0, 2**53), "certificate": Text(least=0)}


@dataclass
class Identity:
    """The keys of one service, as files in its folder."""

    folder: Path
    owner: str
    randomness: Randomness

    def __post_init__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise InputError(
                f"The folder {self.folder} cannot be made: {error.strerror}. Name another with --data."
            ) from error
        path = self.folder / "signing.key"
        if not path.exists():
            write_secret(path, SigningKey.generate(self.randomness).to_bytes())
        self.signing = SigningKey.from_bytes(path.read_bytes())
        self._issuers: dict[bytes, IssuerKey] = {}

    def as_json(self) -> dict[str, str]:
        return {"owner": self.owner, "signing": self.signing.public.hex()}

    def make_issuer(self) -> bytes:
        """Make a key that credentials are issued under; return its public part."""
        key = IssuerKey.generate(self.randomness)
        write_secret(self._path(key.public), key.to_bytes())
        return key.public

    def issuer(self, public: bytes) -> IssuerKey:
        """The key with this public part, read from disk once."""
        self.drop_destroyed()
        key = self._issuers.get(public)
        if key is None:
            try:
                key = IssuerKey.from_bytes(self._path(public).read_bytes())
            except FileNotFoundError as error:
                raise Refused(410, "The collection has ended.") from error
            self._issuers[public] = key
        return key

    def drop_destroyed(self) -> None:
        """Forget keys whose file is gone: another process of this service may have destroyed it."""
        for public in list(self._issuers):  # a copy: other threads read keys meanwhile
            if not self._path(public).exists():
                self._issuers.pop(public, None)

    def destroy_issuer(self, public: bytes) -> None:
        self._issuers.pop(public, None)
        destroy_secret(self._path(public))
        self._bound(public).unlink(missing_ok=True)

    def bind_issuer(self, manifest: Manifest, issuer: str) -> None:
        """Keep a credential key for one collection. Under a key of two, who was invited to both would count
        twice in each, and the end of one would be the end of the other.
        """
        public, own = manifest.collection.issuer(issuer), manifest.collection.id
        bound = self._bound(public)
        written = self.folder / f"{bound.name}.{self.randomness.bytes(8).hex()}"
        write_secret(written, own)
        try:
            with suppress(FileExistsError):
                os.link(written, bound)  # of two at once one comes first, also of two processes
        finally:
            written.unlink()
        force_to_disk(self.folder)
        if bound.read_bytes() != own:
            raise Refused(409, "Another collection uses this credential key; make one for each.")

    def holds(self, manifest: Manifest, role: str, issuer: str | None = None) -> int:
        """Check that a manifest names this service in this role, with keys of its own; return which of the
        parties it is.
        """
        mine = self.signing.public.hex()
        place = next((n for n, party in enumerate(manifest.parties) if party.signing == mine), None)
        if place is None or manifest.parties[place].role != role:
            raise Refused(400, "The collection does not name this service in its role.")
        if manifest.parties[place].owner != self.owner:
            raise Refused(400, "The collection gives this service another owner than it has.")
        if issuer and not self._path(manifest.collection.issuer(issuer)).exists():
            raise Refused(400, "The collection does not use a credential key that this service made for it.")
        return place

    def place(self, manifest: Manifest) -> int:
        """Which of the parties of agreed terms this service is."""
        mine = self.signing.public.hex()
        return next(number for number, party in enumerate(manifest.parties) if party.signing == mine)

    def agree(self, manifest: Manifest) -> str:
        """The signature that says: these are the terms I work under."""
        return self.signing.sign("terms", manifest.collection.id).hex()

    def admit(self, manifest: Manifest, issuer: str, request: bytes, ticket: bytes) -> tuple[bytes, bytes]:
        """Issue this service's credential to somebody whom the aggregation server gave a ticket; return her
        point and the credential.
        """
        collection = manifest.collection
        point = requested_point(collection.id, request)
        if not signed(bytes.fromhex(manifest.aggregation.signing), "ticket", collection.id + point, ticket):
            raise Refused(403, "The aggregation server has not admitted this request; join there first.")
        key = self.issuer(collection.issuer(issuer))
        return point, issue_credential(key, collection.id, request, self.randomness, issuer)

    def _bound(self, public: bytes) -> Path:
        """Where it is written which collection a credential key is for."""
        return self._path(public).with_suffix(".collection")

    def _path(self, public: bytes) -> Path:
        return self.folder / f"{hashlib.sha256(public).hexdigest()[:32]}.issuer"
