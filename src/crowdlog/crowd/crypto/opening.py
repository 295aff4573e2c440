"""Opening a group: the shares of k different people give the artifact, its count, and which reports were
false.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.derive import coefficient, key_of, polynomial, tag_of
from crowdlog.crowd.crypto.group import ReportError
from crowdlog.crowd.crypto.report import Payload, Report
from crowdlog.crowd.crypto.shamir import Share, decode, secret, value

WINDOWS = 8  # stretches of a group in which errors are corrected
# subsets of k people tried after that: opens a group of k + 1 with one liar, who cannot be corrected
TRIES = 200
# products that these may cost (about two seconds), so that liars cannot keep a server busy
TRIES_WORK = 5_000_000


@dataclass(frozen=True)
class Opened:
    """An artifact that at least k people sent.

    `inner` are reports of level 1: check each with `check_report(…, level=1)` before grouping them.
    """

    artifact: bytes = field(repr=False)
    people: int
    secondaries: tuple[bytes, ...] = field(repr=False)  # those that are not empty, one per person at most
    inner: tuple[Report, ...] = field(repr=False)
    rejected: int  # reports with a false share or payload


def open_group(reports: Sequence[Report], collection: Collection) -> Opened | None:
    """Open the checked reports of one group, or return None where fewer than k people sent true ones.

    A person's first report counts.
    """
    if len({report.context + report.tag for report in reports}) > 1:
        raise ReportError("Reports of several groups were given to be opened as one; group them first.")
    people: dict[bytes, Report] = {}
    for report in reports:
        people.setdefault(report.pseudonym, report)
    if not people or len(people) < collection.bar(reports[0].level):
        return None
    members = [(report, report.share) for report in people.values()]
    found = _find(members, collection.bar(reports[0].level))
    return _count(members, found, collection) if found else None


class _Group(Protocol):
    @property
    def artifact(self) -> bytes: ...

    @property
    def people(self) -> int: ...


Group = TypeVar("Group", bound=_Group)


def largest_per_artifact(opened: Iterable[Group]) -> list[Group]:
    """One entry per artifact.

    Two groups can hold one artifact only if k people made up their own randomness for it: the larger group
    stays.
    """
    best: dict[bytes, Group] = {}
    for item in opened:
        if item.artifact not in best or best[item.artifact].people < item.people:
            best[item.artifact] = item
    return list(best.values())


Member = tuple[Report, Share]


def _find(members: Sequence[Member], k: int) -> Payload | None:
    """A payload that proves the polynomial: its root gives the group's tag and the secret that opened it."""
    for candidate, around in _candidates(members, k):
        cipher = ChaCha20Poly1305(key_of(candidate, members[0][0].context, members[0][0].tag))
        for report, _ in around:
            payload = _read(report, cipher)
            if payload and _proves(payload, candidate, report):
                return payload
    return None


def _candidates(members: Sequence[Member], k: int) -> Iterator[tuple[int, Sequence[Member]]]:
    """Possible secrets: from the first k shares (right unless somebody lied), by correcting errors in
    stretches of 3k + 8, from subsets of k.
    """
    yield secret([share for _, share in members[:k]]), members[:k]
    size = 3 * k + 8  # corrects k + 4 false shares of them
    starts = range(0, max(1, len(members) - size + 1), max(1, (len(members) - size) // WINDOWS))
    for start in starts:
        stretch = members[start : start + size]
        corrected = decode([share for _, share in stretch], k)
        if corrected:
            yield (
                corrected[0],
                [member for member in stretch if value(corrected, member[1][0]) == member[1][1]],
            )
    for number in range(min(TRIES, TRIES_WORK // k**2)):
        subset = heapq.nsmallest(
            k,
            members[:size],
            key=lambda member: hashlib.sha256(bytes([number]) + member[0].pseudonym).digest(),
        )
        yield secret([share for _, share in subset]), subset


def _proves(payload: Payload, candidate: int, report: Report) -> bool:
    context = report.context
    return (
        coefficient(payload.root, context, 0) == candidate
        and tag_of(payload.root, context, payload.artifact.primary) == report.tag
    )


def _read(report: Report, cipher: ChaCha20Poly1305) -> Payload | None:
    try:
        return Payload.parse(report.decrypt(cipher))
    except (InvalidTag, ReportError):
        return None


def _inside(data: bytes, collection: Collection) -> list[Report]:
    """The reports of level 1 that a payload holds, one after the other."""
    if not data:
        return []
    size = collection.report_size(1)
    return [Report.parse(data[start : start + size]) for start in range(0, len(data), size)]


def _count(members: Sequence[Member], found: Payload, collection: Collection) -> Opened | None:
    """Count the people whose share lies on the polynomial and whose payload says the same as the group's."""
    first = members[0][0]
    k = collection.bar(first.level)
    coefficients = polynomial(found.root, first.context, k)
    cipher = ChaCha20Poly1305(key_of(coefficients[0], first.context, first.tag))
    secondaries, inner, true = [], [], 0
    for report, (x, y) in members:
        payload = _read(report, cipher) if value(coefficients, x) == y else None
        if (
            payload is None
            or payload.root != found.root
            or payload.artifact.primary != found.artifact.primary
        ):
            continue
        try:
            inner += _inside(payload.inner, collection)
        except ReportError:
            continue
        true += 1
        secondaries += [payload.artifact.secondary] if payload.artifact.secondary else []
    return (
        Opened(found.artifact.primary, true, tuple(secondaries), tuple(inner), len(members) - true)
        if true >= k
        else None
    )
