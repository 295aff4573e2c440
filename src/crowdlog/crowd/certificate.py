"""What the parties of a collection sign for everybody to check: that they agreed to its terms, and that the
randomness key is gone.
"""

from __future__ import annotations

from crowdlog.crowd.crypto.signing import signed
from crowdlog.crowd.manifest import Manifest, Party


def agreed(manifest: Manifest, party: Party, signature: str) -> bool:
    """Whether a party signed that it works under these terms."""
    return _signed(party, "terms", manifest.collection.id, signature)


def destruction(manifest: Manifest, destroyed: int) -> bytes:
    """What the randomness server signs when the key of a collection is gone."""
    return manifest.collection.id + destroyed.to_bytes(8, "big")


def certified(manifest: Manifest, destroyed: int, certificate: str) -> bool:
    """Whether the collection's randomness server signed that its key was destroyed at this time."""
    if not 0 <= destroyed < 2**63:
        return False
    return _signed(manifest.randomness, "destroyed", destruction(manifest, destroyed), certificate)


def _signed(party: Party, purpose: str, message: bytes, signature: str) -> bool:
    try:
        return signed(bytes.fromhex(party.signing), purpose, message, bytes.fromhex(signature))
    except ValueError:
        return False
