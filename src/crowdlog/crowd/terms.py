"""What the operator decides about a collection, and what volunteers are told of it in plain words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from crowdlog.artifacts.kinds import counted_as
from crowdlog.crowd.consent_words import NOT_GUARANTEED, dates, published
from crowdlog.crowd.consent_words import date as date
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.manifest import (
    ALWAYS,
    LONGEST_LINE,
    Consent,
    Job,
    Manifest,
    Party,
    digest_of,
    is_line,
)
from crowdlog.errors import InputError

_HOUR = 3600


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
    sampling: int = ALWAYS  # in millionths
    secondary: str = ""
    job: Job = field(default_factory=Job)

    def __post_init__(self) -> None:
        for name in ("title", "purpose", "institution", "contact"):
            if not is_line(getattr(self, name)):
                raise InputError(
                    f"The {name} must be one line of at most {LONGEST_LINE} characters, all of which can be "
                    "shown."
                )
        if self.job.previous and not re.fullmatch("[0-9a-f]{64}", self.job.previous):
            raise InputError(
                "The round before is named by its id, 64 hexadecimal digits, as 'create' printed it."
            )

    @classmethod
    def of_next_round(cls, manifest: Manifest, mining_seconds: int) -> Terms:
        """The terms of the round after this one: the same but for its dates, moved on as was announced."""
        job, collection = manifest.job, manifest.collection
        if not job.repeat_seconds:
            raise InputError("The terms of this collection announced no further round; create another.")
        dates = {name: getattr(job, name) for name in ("mining_from", "log_from", "log_until")}
        moved = {name: moment and moment + job.repeat_seconds for name, moment in dates.items()}
        same = ("title", "artifact", "representation", "count", "policy", "inner_artifact", "smallest_crowd")
        rest = ("upload_seconds", "cover", "sampling", "secondary")
        told = {name: getattr(manifest.consent, name) for name in ("purpose", "institution", "contact")}
        return cls(
            **{name: getattr(manifest, name) for name in (*same, *rest)},
            **told,
            consent_version=manifest.consent.version,
            k=collection.k,
            limit=collection.limit,
            payload_size=collection.payload_size,
            inner_k=collection.inner_k,
            inner_slots=collection.inner_slots,
            inner_policy=manifest.inner_policy or None,
            mining_seconds=mining_seconds,
            job=replace(job, **moved, previous=manifest.id),
        )

    def policies(self) -> dict[str, str]:
        """The mechanism of each layer as it is spelled."""

        def spelled(given: str | None, k: int, artifact: str) -> str:
            return given or (
                f"FTu(k={k}, artifact={counted_as(artifact)!r}, representation={self.representation!r})"
                if artifact
                else ""
            )

        return {
            "policy": spelled(self.policy, self.k, self.artifact),
            "inner_policy": spelled(self.inner_policy, self.inner_k, self.inner_artifact),
        }

    def consent(self, mining_until: int) -> Consent:
        """What volunteers are told, in plain words."""
        policy = self.policies()["policy"]
        return Consent(
            self.purpose,
            self.institution,
            self.contact,
            published(self.artifact, self.k, self.inner_artifact, self.inner_k, policy),
            dates(self.job, mining_until, self.upload_seconds),
            NOT_GUARANTEED,
            self.consent_version,
        )

    def manifest(self, parties: Sequence[Party], keys: PartyKeys, mining_until: int) -> Manifest:
        """The collection on these terms, run by these parties with these keys."""
        if mining_until <= self.job.mining_from:
            raise InputError(
                f"Mining would end on {date(mining_until)}, before it begins; give it more hours."
            )
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
            "sampling": self.sampling,
            "secondary": self.secondary,
        }
        consent = self.consent(mining_until)
        written = [asdict(party) for party in parties]
        collection = Collection(
            terms=digest_of(
                {**described, "parties": written, "consent": asdict(consent), "job": asdict(self.job)}
            ),
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
        return Manifest(collection, parties=tuple(parties), consent=consent, job=self.job, **described)
