"""What a collection tells everybody: its cryptographic parameters, what is mined, how it is published, who
runs the services, and what people agree to. Its id is a hash of all of it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, get_args

from crowdlog.artifacts.kinds import ARTIFACTS, COLLECTED_ARTIFACTS, QUERY_ARTIFACTS
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.crowd import consent_words
from crowdlog.crowd.crypto.collection import ISSUERS, Collection
from crowdlog.crowd.separate_parties import refuse_one_in_two_roles
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.plan.bounds import Counts

COUNTS = get_args(Counts)
INNER_ARTIFACTS = ("", *(kind for kind in QUERY_ARTIFACTS if kind != "query"))  # "": one threshold
ROLES = ("randomness", "mix", "aggregation")
SECONDARIES = ("", "original", "note")
ALWAYS = 1_000_000  # of a probability in millionths
LONGEST_LINE = 4000  # characters
_TEXTS = ("title", "artifact", "representation", "count", "inner_artifact", "secondary")
_MISREAD = "The server's description of the collection is not one crowdlog understands."


@dataclass(frozen=True)
class Layer:
    """What opens at one threshold, and the mechanism that decides which of it is published."""

    artifact: str
    k: int
    policy: str


@dataclass(frozen=True)
class Party:
    """Who runs one of the services, where it is, and the key (in hex) it signs with."""

    role: str
    owner: str
    url: str
    signing: str


@dataclass(frozen=True)
class Consent:
    """What a volunteer is told before she joins, in plain words."""

    purpose: str
    institution: str
    contact: str
    published: str
    dates: str
    not_guaranteed: str
    version: int = 1


@dataclass(frozen=True)
class Job:
    """When a collection mines, which part of people's logs, and which others go with it. Times are seconds
    since 1970; 0 is no bound.

    `repeat_seconds`: how long after its beginning the next round begins; 0 for a single one. `previous`: the
    id of the round before. `panel`: the name of the people asked, whose privacy loss of all collections is
    summed up in one ledger.
    """

    mining_from: int = 0
    log_from: int = 0
    log_until: int = 0
    repeat_seconds: int = 0
    previous: str = ""
    panel: str = ""


@dataclass(frozen=True)
class Manifest:
    """`policy`: the mechanism that decides what is published, as the command line spells it.

    `count`: what a published count counts. For "impressions" each report carries how often its sender has the
    artifact, readable only where the artifact is. The collection's limit says how much of one person is
    counted at most, in the same unit. `inner_artifact`, `inner_policy`: in a nested collection, what opens
    inside opened queries; the limit holds for these once more. `smallest_crowd`: fewest people who must have
    joined before anything is evaluated. Mining ends at `mining_until` (seconds since 1970) or earlier, when
    the randomness key is destroyed; uploads last `upload_seconds` from then on. `cover`: everybody sends as
    many reports as the limit allows, the rest of them empty. `sampling`: the probability, in millionths,
    with which a member reports each artifact that she chose. `secondary`: what goes along with an artifact,
    readable where it is: "original" is the text before its representation, "note" what she herself adds,
    "" nothing.
    """

    collection: Collection
    title: str
    artifact: str
    representation: str
    count: Counts
    policy: str
    smallest_crowd: int
    mining_until: int
    upload_seconds: int
    cover: bool
    parties: tuple[Party, ...]
    consent: Consent
    inner_artifact: str = ""
    inner_policy: str = ""
    sampling: int = ALWAYS
    secondary: str = ""
    job: Job = Job()

    def __post_init__(self) -> None:
        if not 1 <= self.sampling <= ALWAYS:
            raise InputError(f"A collection's sampling must be from 1 to {ALWAYS}, in millionths.")
        if self.sampling < ALWAYS and not self.cover:
            raise PrivacyRefusal(
                "A collection that samples must ask for cover: otherwise the number of a person's reports "
                "tells what was sampled."
            )
        if self.secondary and self.inner_artifact:
            raise InputError("A nested collection has no secondary field of text.")
        if self.secondary == "original" and self.artifact != "query":
            raise InputError("Only a collection of queries can ask how they were written.")
        nested = {bool(self.collection.inner_k), bool(self.inner_artifact), bool(self.inner_policy)}
        if len(nested) > 1:
            raise InputError(
                "A nested collection needs an inner k, an inner artifact and an inner policy; any other "
                "has none "
                "of them."
            )
        if self.inner_artifact and self.artifact != "query":
            raise InputError(
                "A nested collection opens queries first, then what is inside: its artifact must be 'query'. "
                f"Got {self.artifact!r}."
            )
        roles = tuple(party.role for party in self.parties)
        mixes = len(self.collection.mix_publics) - 1  # the last key is the aggregation server's
        if roles != ("randomness", *["mix"] * mixes, "aggregation"):
            raise InputError(
                "A collection names its randomness server, its mixes and its aggregation server."
            )
        self._refuse_one_in_two_roles()
        if self.smallest_crowd < self.collection.k:
            raise PrivacyRefusal(
                f"The smallest crowd must be at least k ({self.collection.k}), got {self.smallest_crowd}; "
                "do not join it."
            )
        if self.collection.terms != digest_of(self.description()):
            raise PrivacyRefusal(
                "The terms shown are not those the collection's id was made from; do not join, and tell the "
                "operator."
            )
        self._refuse_other_words()

    def _refuse_other_words(self) -> None:
        """Words that promise more than the terms do would be bound by the id like true ones."""
        told, k, inner_k = self.consent, self.collection.k, self.collection.inner_k
        follows = (
            consent_words.published(self.artifact, k, self.inner_artifact, inner_k, self.policy),
            consent_words.dates(self.job, self.mining_until, self.upload_seconds),
            consent_words.NOT_GUARANTEED,
        )
        if (told.published, told.dates, told.not_guaranteed) != follows:
            raise PrivacyRefusal(
                "The words that volunteers are shown are not those that follow from the terms; do not join, "
                "and tell the operator."
            )

    def _refuse_one_in_two_roles(self) -> None:
        collection = self.collection
        refuse_one_in_two_roles(
            [party.url for party in self.parties],
            [party.signing for party in self.parties],
            collection.mix_publics,
            [collection.issuer(name) for name in ISSUERS],
        )

    @property
    def id(self) -> str:
        """The collection's name in hex: a hash of every term, so nobody can be shown others under it."""
        return self.collection.id.hex()

    @property
    def limit(self) -> int:
        return self.collection.limit

    @property
    def randomness(self) -> Party:
        return self.parties[0]

    @property
    def mixes(self) -> tuple[Party, ...]:
        return self.parties[1:-1]

    @property
    def aggregation(self) -> Party:
        return self.parties[-1]

    @property
    def layers(self) -> tuple[Layer, ...]:
        """What opens at each level of the collection."""
        outer = Layer(self.artifact, self.collection.k, self.policy)
        if not self.inner_artifact:
            return (outer,)
        return (outer, Layer(self.inner_artifact, self.collection.inner_k, self.inner_policy))

    def description(self) -> dict[str, Any]:
        """All terms but those that go into the cryptography, as JSON holds them."""
        values = asdict(self)
        del values["collection"]
        values["parties"] = [asdict(party) for party in self.parties]
        return values

    def to_json(self) -> dict[str, Any]:
        return {**self.description(), "collection": json.loads(self.collection.to_json())}

    @classmethod
    def from_json(cls, value: Any) -> Manifest:
        """Read a manifest that a server sent; anything unexpected is refused."""
        if not isinstance(value, dict) or set(value) != set(cls.__dataclass_fields__):
            raise InputError(_MISREAD)
        texts = (*_TEXTS, "policy", "inner_policy")
        numbers = ("smallest_crowd", "mining_until", "upload_seconds", "sampling")
        if (
            not all(is_line(value[name]) for name in texts)
            or not all(_is_number(value[name]) for name in numbers)
            or type(value["cover"]) is not bool
        ):
            raise InputError(_MISREAD)
        known = {*ARTIFACTS, *COLLECTED_ARTIFACTS}
        kinds = value["artifact"] in known and value["inner_artifact"] in INNER_ARTIFACTS
        words = value["count"] in COUNTS and value["secondary"] in SECONDARIES
        if not kinds or value["representation"] not in REPRESENTATIONS or not words:
            raise InputError(
                "The server's description of the collection holds a value crowdlog does not know."
            )
        read = {
            "collection": Collection.from_json(json.dumps(value["collection"])),
            "parties": tuple(_read(Party, party) for party in _list(value["parties"])),
            "consent": _read(Consent, value["consent"]),
            "job": _read(Job, value["job"]),
        }
        return cls(**{**value, **read})


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value that is hashed and signed: sorted names, no spaces, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def digest_of(description: dict[str, Any]) -> bytes:
    """The hash that stands for all terms outside the cryptography."""
    return hashlib.sha256(b"crowdlog-v2-terms" + canonical(description)).digest()


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(_MISREAD)
    return value


def _read(kind: type[Any], value: Any) -> Any:
    """Read a party, a consent or a job: lines of text, and whole numbers where the class has them."""
    fields = kind.__dataclass_fields__
    if not isinstance(value, dict) or set(value) != set(fields):
        raise InputError(_MISREAD)
    for name, item in value.items():
        if not (_is_number(item) if fields[name].type == "int" else is_line(item)):
            raise InputError(_MISREAD)
    return kind(**value)


def _is_number(value: Any) -> bool:
    """Whether a value is a whole number that every JSON reader reads exactly."""
    return type(value) is int and 0 <= value < 2**53


def is_line(value: Any) -> bool:
    """Whether a value is text without control characters: a title must not redraw a terminal."""
    return isinstance(value, str) and len(value) <= LONGEST_LINE and (value.isprintable() or not value)
