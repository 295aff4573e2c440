"""How an artifact is written into a report: its texts joined by tabs (the primary field) and, if asked for,
its impressions (the secondary).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from crowdlog.crowd.crypto.opening import Opened

# The text columns of each table of a release.
TEXTS = {"queries": ("query",), "clicks": ("query", "url"), "pairs": ("query", "next_query")}
_IMPRESSIONS_SIZE = 4  # bytes; the same for everybody, so that its length tells nothing
_MOST_IMPRESSIONS = 2**32 - 1


@dataclass(frozen=True)
class MinedArtifact:
    """One artifact of one person's log.

    `inner`: in a nested collection, her clicks or pairs of this query.
    """

    texts: tuple[str, ...] = field(repr=False)
    impressions: int
    inner: tuple[MinedArtifact, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class OpenedArtifact:
    """An opened artifact with its numbers."""

    artifact: bytes = field(repr=False)
    people: int
    impressions: int


def encode_texts(texts: tuple[str, ...]) -> bytes | None:
    """Return the primary field, or None for texts that hold a tab themselves."""
    return None if any("\t" in text for text in texts) else "\t".join(texts).encode()


def encode_count(impressions: int, count: str) -> bytes:
    """Return the secondary field: empty where people are counted."""
    return (
        min(impressions, _MOST_IMPRESSIONS).to_bytes(_IMPRESSIONS_SIZE, "big")
        if count == "impressions"
        else b""
    )


def decode_texts(primary_field: bytes, parts: int) -> tuple[str, ...] | None:
    """Return the texts of a primary field, or None: k people may agree to send something that is no such
    text.
    """
    try:
        texts = tuple(primary_field.decode().split("\t"))
    except UnicodeDecodeError:
        return None
    return texts if len(texts) == parts else None


def opened_artifact(group: Opened, limit: int) -> OpenedArtifact:
    """Sum the senders' impressions.

    Who claims more than the limit is counted with the limit; who says nothing sensible once, as a person is.
    """
    stated = [int.from_bytes(value, "big") for value in group.secondaries if len(value) == _IMPRESSIONS_SIZE]
    impressions = sum(min(max(1, value), limit) for value in stated) + group.people - len(stated)
    return OpenedArtifact(group.artifact, group.people, impressions)
