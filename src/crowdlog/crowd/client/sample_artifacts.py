"""What a member sends of what she has: a random choice within the collection's limits.

It depends on her own artifacts only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crowdlog.crowd.artifact import MinedArtifact, encode_secondary, encode_texts
from crowdlog.crowd.crypto.collection import PAYLOAD_OVERHEAD
from crowdlog.crowd.crypto.report import ReportedArtifact
from crowdlog.crowd.manifest import ALWAYS, Manifest
from crowdlog.crowd.shuffle import sampled, shuffled
from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class SampledArtifact:
    """An artifact that will be reported, as its owner reads it and as the report holds it.

    `inner`: what the report holds inside.
    """

    readable: str = field(repr=False)
    artifact: ReportedArtifact
    inner: tuple[ReportedArtifact, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As the client keeps it on its own disk."""
        parts = [[one.primary.hex(), one.secondary.hex()] for one in (self.artifact, *self.inner)]
        return {"readable": self.readable, "parts": parts}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> SampledArtifact:
        parts = [ReportedArtifact(*map(bytes.fromhex, part)) for part in value["parts"]]
        return cls(value["readable"], parts[0], tuple(parts[1:]))


@dataclass(frozen=True)
class Sample:
    """What will be sent, and how many artifacts stay behind: too long for a report, over a limit, or not
    drawn where the terms say that each is reported with some probability.
    """

    chosen: list[SampledArtifact] = field(repr=False)
    too_long: int
    over_limit: int
    not_sampled: int = 0

    @property
    def inner(self) -> int:
        """How many clicks or pairs go along inside."""
        return sum(len(item.inner) for item in self.chosen)


def sample_artifacts(manifest: Manifest, found: Sequence[MinedArtifact], randomness: Randomness) -> Sample:
    """Choose at random within the limit; inside each chosen query at most as many as a report has room for,
    and in all within the limit too.
    """
    fitting = [item for item in found if _fits(manifest, item)]
    kept = _bounded(manifest, fitting, randomness)
    inside = [pair for item in kept for pair in item.inner]
    fitting_inside = [[pair for pair in item.inner if _fits(manifest, pair)] for item in kept]
    room = manifest.collection.inner_slots
    kept_inside = _bounded(
        manifest,
        [pair for pairs in fitting_inside for pair in shuffled(pairs, randomness)[:room]],
        randomness,
    )
    by_query: dict[str, list[MinedArtifact]] = defaultdict(list)
    for pair in kept_inside:
        by_query[pair.texts[0]].append(pair)
    too_long = len(found) - len(fitting) + len(inside) - sum(map(len, fitting_inside))
    over_limit = len(found) + len(inside) - too_long - len(kept) - len(kept_inside)
    drawn = sampled(kept, manifest.sampling, randomness) if manifest.sampling < ALWAYS else kept
    chosen = [_chosen(manifest, item, by_query[item.texts[0]]) for item in drawn]
    return Sample(chosen, too_long, over_limit, len(kept) - len(drawn))


def _fits(manifest: Manifest, item: MinedArtifact) -> bool:
    name, extra = encode_texts(item.texts), _secondary(manifest, item)
    return name is not None and len(name) + len(extra) <= manifest.collection.payload_size - PAYLOAD_OVERHEAD


def _bounded(
    manifest: Manifest, found: Sequence[MinedArtifact], randomness: Randomness
) -> list[MinedArtifact]:
    """At most `limit` different artifacts, or at most `limit` impressions of all of them together: each as
    likely as any other.
    """
    if manifest.count == "users":
        return shuffled(found, randomness)[: manifest.limit]
    every = [index for index, item in enumerate(found) for _ in range(item.impressions)]
    times = Counter(shuffled(every, randomness)[: manifest.limit])
    return [replace(found[index], impressions=number) for index, number in times.items()]


def _chosen(manifest: Manifest, item: MinedArtifact, inside: Sequence[MinedArtifact]) -> SampledArtifact:
    readable = " › ".join(
        [
            _readable(manifest, item.texts, item),
            *(_readable(manifest, pair.texts[1:], pair) for pair in inside),
        ]
    )
    return SampledArtifact(
        readable, _artifact(manifest, item), tuple(_artifact(manifest, pair) for pair in inside)
    )


def _readable(manifest: Manifest, texts: tuple[str, ...], item: MinedArtifact) -> str:
    times = f"  ({item.impressions} times)" if manifest.count == "impressions" else ""
    word = {"original": "written", "note": "note"}.get(manifest.secondary)
    beside = f"  ({word}: {item.beside})" if word and item.beside else ""
    return " | ".join(texts) + times + beside


def _artifact(manifest: Manifest, item: MinedArtifact) -> ReportedArtifact:
    return ReportedArtifact(encode_texts(item.texts) or b"", _secondary(manifest, item))


def _secondary(manifest: Manifest, item: MinedArtifact) -> bytes:
    return encode_secondary(item, manifest.count, text=bool(manifest.secondary))
