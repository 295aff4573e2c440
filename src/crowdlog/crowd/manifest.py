"""What a collection tells everybody: its cryptographic parameters, what is mined, how it is published, where
the services are.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, get_args

from crowdlog.artifacts.kinds import QUERY_ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.errors import InputError
from crowdlog.plan.bounds import Counts

COUNTS = get_args(Counts)
INNER_ARTIFACTS = ("", *(kind for kind in QUERY_ARTIFACTS if kind != "query"))  # "": one threshold


@dataclass(frozen=True)
class Layer:
    """What opens at one threshold, and the mechanism that decides which of it is published."""

    artifact: str
    k: int
    policy: str


@dataclass(frozen=True)
class Manifest:
    """`policy`: the mechanism that decides what is published, as the command line spells it.

    `count`: what a published count counts. For "impressions" each report carries how often its sender has the
    artifact, readable only where the artifact is. `limit`: how much of one person is counted at most, in the
    same unit: different artifacts, or impressions of all of them. `inner_artifact`, `inner_policy`: in a
    nested collection, what opens inside opened queries (clicks or pairs of that query); the limit holds for
    these once more.
    """

    collection: Collection
    artifact: str
    representation: str
    limit: int
    count: Counts
    policy: str
    randomness: str
    mix: str
    inner_artifact: str = ""
    inner_policy: str = ""

    def __post_init__(self) -> None:
        if bool(self.collection.inner_k) != bool(self.inner_artifact) or bool(self.inner_artifact) != bool(
            self.inner_policy
        ):
            raise InputError(
                "A nested collection needs an inner k, an inner artifact and an inner policy; "
                "any other has none of them."
            )
        if self.inner_artifact and self.artifact != "query":
            raise InputError(
                "A nested collection opens queries first, then what is inside: its artifact must be "
                f"'query'. Got {self.artifact!r}."
            )

    @property
    def id(self) -> str:
        """Return the collection's name in hex: a hash of its cryptographic parameters, so nobody can be shown
        another k under the same name.
        """
        return self.collection.id.hex()

    @property
    def layers(self) -> tuple[Layer, ...]:
        """What opens at each level of the collection."""
        outer = Layer(self.artifact, self.collection.k, self.policy)
        return (
            (outer, Layer(self.inner_artifact, self.collection.inner_k, self.inner_policy))
            if self.inner_artifact
            else (outer,)
        )

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "collection": json.loads(self.collection.to_json())}

    @classmethod
    def from_json(cls, value: Any) -> Manifest:
        """Read a manifest that a server sent; anything unexpected is refused."""
        if not isinstance(value, dict) or set(value) != set(cls.__dataclass_fields__):
            raise InputError("The server's description of the collection is not one crowdlog understands.")
        texts = all(isinstance(value[name], str) for name in value if name not in {"collection", "limit"})
        kinds = texts and value["artifact"] in QUERY_ARTIFACTS and value["inner_artifact"] in INNER_ARTIFACTS
        if not kinds or value["representation"] not in REPRESENTATIONS or value["count"] not in COUNTS:
            raise InputError(
                "The server's description of the collection holds a value crowdlog does not know."
            )
        if type(value["limit"]) is not int or value["limit"] < 1:
            raise InputError("The server's description of the collection must have a limit of at least 1.")
        return cls(**{**value, "collection": Collection.from_json(json.dumps(value["collection"]))})
