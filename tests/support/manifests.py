"""Terms of collections without services: keys of which nobody has the secret, parties that do not exist."""

from crowdlog.crowd.manifest import Manifest, Party
from crowdlog.crowd.operator import PartyKeys, Terms

ISSUERS = tuple(bytes([number]) * 64 for number in range(3))  # each party has keys of its own
KEYS = PartyKeys(bytes(32), *ISSUERS, tuple(bytes([number]) * 32 for number in range(3)))
# RFC 2606: nobody is called
PARTIES = tuple(
    Party(role, f"owner {number}", f"http://{number}.invalid", f"{number:064x}")
    for number, role in enumerate(("randomness", "mix", "mix", "aggregation"))
)


def manifest_of(**terms) -> Manifest:
    """The manifest of these terms; k is 5 unless given."""
    return Terms(**{"title": "t", "k": 5, **terms}).manifest(PARTIES, KEYS, 4_000_000_000)
