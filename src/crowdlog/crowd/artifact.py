"""How an artifact is written into a report: its texts joined by tabs (the primary field) and, if asked for,
its impressions and a text that goes along (the secondary).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from crowdlog.artifacts.kinds import TABLES
from crowdlog.crowd.crypto.opening import Opened

# The text columns of each table of a release.
TEXTS = dict(TABLES.values())
_IMPRESSIONS_SIZE = 4  # bytes; the same for everybody, so that its length tells nothing
_MOST_IMPRESSIONS = 2**32 - 1


@dataclass(frozen=True)
class MinedArtifact:
    """One artifact of one person's log.

    `inner`: in a nested collection, her clicks or pairs of this query. `beside`: the text that goes along:
    how she wrote it most often, before its representation, or her own note.
    """

    texts: tuple[str, ...] = field(repr=False)
    impressions: int
    inner: tuple[MinedArtifact, ...] = field(default=(), repr=False)
    beside: str = field(default="", repr=False)


@dataclass(frozen=True)
class OpenedArtifact:
    """An opened artifact with its numbers.

    `beside`: the text that most of its senders sent along, and `beside_people` how many of them did.
    """

    artifact: bytes = field(repr=False)
    people: int
    impressions: int
    beside: str = field(default="", repr=False)
    beside_people: int = 0


def encode_texts(texts: tuple[str, ...]) -> bytes | None:
    """Return the primary field, or None for texts that hold a tab themselves."""
    return None if any("\t" in text for text in texts) else "\t".join(texts).encode()


def encode_secondary(item: MinedArtifact, count: str, *, text: bool) -> bytes:
    """Return the secondary field: impressions where they are counted, then, if asked for, the text beside."""
    number = min(item.impressions, _MOST_IMPRESSIONS).to_bytes(_IMPRESSIONS_SIZE, "big")
    return (number if count == "impressions" else b"") + (item.beside.encode() if text else b"")


def decode_texts(primary_field: bytes, parts: int) -> tuple[str, ...] | None:
    """Return the texts of a primary field, or None: k people may agree to send something that is no such
    text.
    """
    try:
        texts = tuple(primary_field.decode().split("\t"))
    except UnicodeDecodeError:
        return None
    return texts if len(texts) == parts else None


def opened_artifact(group: Opened, limit: int, count: str, *, text: bool) -> OpenedArtifact:
    """Sum the senders' impressions, and count the texts that they sent along.

    Who claims more than the limit is counted with the limit; who says nothing sensible once, as a person is.
    """
    size = _IMPRESSIONS_SIZE if count == "impressions" else 0
    fitting = [value for value in group.secondaries if len(value) == size or (text and len(value) > size)]
    stated = [int.from_bytes(value[:size], "big") for value in fitting if size]
    impressions = sum(min(max(1, value), limit) for value in stated) + group.people - len(stated)
    written, times = _most_frequent([value[size:] for value in fitting]) if text else ("", 0)
    return OpenedArtifact(group.artifact, group.people, impressions, written, times)


def _most_frequent(texts: Sequence[bytes]) -> tuple[str, int]:
    """The text that most people sent, of equals the first in order, and how many did."""
    counted = Counter(text for text in texts if text)
    if not counted:
        return "", 0
    first, times = min(counted.items(), key=lambda one: (-one[1], one[0]))
    return first.decode(errors="replace"), times
