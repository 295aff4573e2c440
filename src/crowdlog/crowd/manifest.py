"""What a collection tells everybody: its cryptographic parameters, what is mined, how it is published, where the services are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from crowdlog.artifacts.kinds import ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.errors import InputError

COUNTS = ("users", "impressions")
_FIELDS = {"collection", "artifact", "representation", "limit", "count", "policy", "randomness", "mix"}


@dataclass(frozen=True)
class Manifest:
    """`limit`: most artifacts of one person. `policy`: the mechanism that decides what is published, as the command line spells it.

    `count`: what a published count counts. For "impressions" each report carries how often its sender has the artifact,
    readable only where the artifact is.
    """

    collection: Collection
    artifact: str
    representation: str
    limit: int
    count: str
    policy: str
    randomness_url: str
    mix_url: str

    @property
    def id(self) -> str:
        """Return the collection's name in hex: a hash of its cryptographic parameters, so nobody can be shown another k under the same name."""
        return self.collection.id.hex()

    def to_json(self) -> dict[str, Any]:
        return {
            "collection": json.loads(self.collection.to_json()),
            "artifact": self.artifact,
            "representation": self.representation,
            "limit": self.limit,
            "count": self.count,
            "policy": self.policy,
            "randomness": self.randomness_url,
            "mix": self.mix_url,
        }

    @classmethod
    def from_json(cls, value: Any) -> Manifest:
        """Read a manifest that a server sent; anything unexpected is refused."""
        if not isinstance(value, dict) or set(value) != _FIELDS:
            raise InputError("The server's description of the collection is not one crowdlog understands.")
        texts = all(isinstance(value[name], str) for name in _FIELDS - {"collection", "limit"})
        known = texts and value["artifact"] in ARTIFACTS and value["representation"] in REPRESENTATIONS and value["count"] in COUNTS
        if not known or type(value["limit"]) is not int or value["limit"] < 1:
            raise InputError("The server's description of the collection holds a value crowdlog does not know.")
        return cls(
            collection=Collection.from_json(json.dumps(value["collection"])),
            artifact=value["artifact"],
            representation=value["representation"],
            limit=value["limit"],
            count=value["count"],
            policy=value["policy"],
            randomness_url=value["randomness"],
            mix_url=value["mix"],
        )
