"""The seal of a label: a checksum over all of it and, if the owner signs, her Ed25519 signature.

The label holds the hashes of tables and pages, so the seal binds them, too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crowdlog.errors import InputError

SEAL = "seal"
_PARTS = {"sha256": "[0-9a-f]{64}", "ed25519": "[0-9a-f]{128}", "public_key": "[0-9a-f]{64}"}


def _spelled(label: Mapping[str, Any]) -> bytes:
    rest = {name: value for name, value in label.items() if name != SEAL}
    return json.dumps(rest, sort_keys=True, ensure_ascii=True).encode()


def sealed(label: Mapping[str, Any], key: Any = None) -> dict[str, Any]:
    """The label with its seal. `key`: what `read_key` gave."""
    text = _spelled(label)
    seal: dict[str, str | None] = {
        "sha256": hashlib.sha256(text).hexdigest(),
        "ed25519": None,
        "public_key": None,
    }
    if key is not None:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        seal |= {"ed25519": key.sign(text).hex(), "public_key": public.hex()}
    return {**label, SEAL: seal}


def read_key(path: str | Path) -> Any:
    """A private Ed25519 key in PEM, as `openssl genpkey -algorithm ed25519` writes it."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(Path(path).read_bytes(), None)
    except OSError as error:
        raise InputError(f"The key {path} cannot be read: {error.strerror}.") from None
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(
            f"{path} is no private Ed25519 key without a password. "
            "Make one: openssl genpkey -algorithm ed25519 -out KEY.pem"
        )
    return key


def read_public_key(said: str) -> str:
    """A public Ed25519 key as labels spell it: said as its 64 hexadecimal digits, or as a file in PEM."""
    if re.fullmatch("[0-9a-fA-F]{64}", said):
        return said.lower()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

    try:
        key = load_pem_public_key(Path(said).read_bytes())
    except (OSError, ValueError, TypeError):  # no such file, a private key, or of another kind
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(
            f"{said} is no public Ed25519 key: neither 64 hexadecimal digits nor a file in PEM. "
            "Of your own: openssl pkey -in KEY.pem -pubout -out PUBLIC.pem"
        )
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def check_seal(label: Any, of: str) -> str | None:
    """Raise InputError if the label was changed since it was sealed. Returns who signed it: a public key."""
    seal = label.get(SEAL) if isinstance(label, Mapping) else None
    if not isinstance(seal, Mapping) or not isinstance(seal.get("sha256"), str):
        raise InputError(
            f"The label of {of} has no seal: it is no label of a release, or it was changed by hand."
        )
    text = _spelled(label)
    if seal["sha256"] != hashlib.sha256(text).hexdigest():
        raise InputError(f"The label of {of} was changed after it was written: do not trust it.")
    if seal.get("ed25519") is None and seal.get("public_key") is None and set(seal) <= set(_PARTS):
        return None
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    false = InputError(f"The signature of {of} is not that of its label: do not trust it.")
    # The seal covers no part of itself: it has these parts alone, and each is spelled in one way.
    if set(seal) != set(_PARTS):
        raise false
    if not all(isinstance(seal[name], str) and re.fullmatch(_PARTS[name], seal[name]) for name in _PARTS):
        raise false
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(seal["public_key"]))
        public.verify(bytes.fromhex(seal["ed25519"]), text)
    except (InvalidSignature, ValueError):
        raise false from None
    return str(seal["public_key"])
