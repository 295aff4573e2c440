"""What the aggregation server keeps on disk: collections with their phase, invitations, and reports by (level
and tag, pseudonym).

Reports of level 1 come out of opened ones while a nested collection is published, and wait here for the
others of their group.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from crowdlog.crowd.crypto.report import Report
from crowdlog.crowd.manifest import Manifest
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.storage import Transaction, open_database

# A collection goes through these in order: clients mine (the randomness key exists, no uploads); they upload
# (the key is destroyed);
# groups are opened; the crowd log is out and every report is deleted.
PHASES = ("mining", "uploading", "publishing", "published")
# What an operator sees of a collection.
STATUS_COUNTS = (
    "received",
    "duplicates",
    "rejected",
    "smallest_batch",
    "invited",
    "joined",
    "groups",
    "at_bar",
    "near_bar",
)
SCHEMA = [
    "CREATE TABLE IF NOT EXISTS collections (number BIGINT PRIMARY KEY, id TEXT UNIQUE NOT NULL, phase TEXT "
    "NOT NULL, manifest TEXT NOT NULL, "
    "received BIGINT NOT NULL, duplicates BIGINT NOT NULL, rejected BIGINT NOT NULL, smallest_batch BIGINT "
    "NOT NULL)",
    "CREATE TABLE IF NOT EXISTS invitations (hash BLOB PRIMARY KEY, collection BIGINT NOT NULL, request "
    "BLOB)",
    "CREATE TABLE IF NOT EXISTS reports (collection BIGINT NOT NULL, tag BLOB NOT NULL, pseudonym BLOB NOT "
    "NULL, "
    "report BLOB NOT NULL, PRIMARY KEY (collection, tag, pseudonym))",
]
# One checked report: (level and tag, pseudonym, bytes).
Checked = tuple[bytes, bytes, bytes]


def checked(report: Report) -> Checked:
    """Return a report, found good, as it is stored."""
    return report.group, report.pseudonym, report.to_bytes()


def digest(text: str | bytes) -> bytes:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).digest()


class CollectionStore:
    """The tables of the aggregation server. Every method is one transaction."""

    def __init__(self, url: str | None, path: Path) -> None:
        self._database = open_database(url, path, SCHEMA)

    def create(self, manifest: Manifest) -> None:
        with self._database.transaction() as t:
            number = t.rows("SELECT COUNT(*) FROM collections")[0][0] + 1
            t.run(
                "INSERT INTO collections VALUES (?, ?, 'mining', ?, 0, 0, 0, 0) ON CONFLICT (id) DO NOTHING",
                (number, manifest.id, json.dumps(manifest.to_json())),
            )

    def find(self, collection_id: str) -> tuple[str, Manifest]:
        """Return the phase and the manifest of a collection."""
        with self._database.transaction() as t:
            rows = t.rows("SELECT phase, manifest FROM collections WHERE id = ?", (collection_id,))
        if not rows:
            raise Refused(404, "There is no such collection here.")
        return str(rows[0][0]), Manifest.from_json(json.loads(rows[0][1]))

    def in_phase(self, phase: str) -> list[str]:
        with self._database.transaction() as t:
            return [str(name) for (name,) in t.rows("SELECT id FROM collections WHERE phase = ?", (phase,))]

    def advance(self, collection_id: str, phase: str, smallest_batch: int = 0) -> None:
        """Move a collection to the next phase; asking again is fine, going back or skipping is refused.

        What a label needs goes along.
        """
        with self._database.transaction() as t:
            _number, now = _row(t, collection_id)
            if PHASES.index(phase) - PHASES.index(now) not in {0, 1}:
                raise Refused(
                    409, f"The collection is in phase '{now}' and cannot go to '{phase}' from there."
                )
            t.run(
                "UPDATE collections SET phase = ?, smallest_batch = ? WHERE id = ?",
                (phase, smallest_batch, collection_id),
            )

    def invite(self, collection_id: str, tokens: Sequence[str]) -> None:
        """Remember invitations by their hash only."""
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
            t.run_many(
                "INSERT INTO invitations VALUES (?, ?, NULL)", [(digest(token), number) for token in tokens]
            )

    def use_invitation(self, collection_id: str, token: str, request: bytes) -> None:
        """Bind an invitation to one credential request.

        The same request may come again: its answer may have been lost.
        """
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id)
            if phase != "mining":
                raise Refused(410, "The collection takes no new people any more.")
            rows = t.rows(
                "SELECT request FROM invitations WHERE hash = ? AND collection = ?", (digest(token), number)
            )
            if not rows or (rows[0][0] is not None and bytes(rows[0][0]) != digest(request)):
                raise Refused(
                    403, "This invitation is unknown or was used already; ask the operator for another."
                )
            t.run("UPDATE invitations SET request = ? WHERE hash = ?", (digest(request), digest(token)))

    def keep(self, collection_id: str, reports: Sequence[Checked]) -> tuple[int, int]:
        """Store reports, one per person and artifact; return how many were new and how many came at a wrong
        time.
        """
        with self._database.transaction() as t:
            number, phase = _row(t, collection_id)
            if phase != "uploading":
                t.run(
                    "UPDATE collections SET rejected = rejected + ? WHERE id = ?",
                    (len(reports), collection_id),
                )
                return 0, len(reports)
            new = sum(_insert(t, number, report) for report in reports)
            t.run(
                "UPDATE collections SET received = received + ?, duplicates = duplicates + ? WHERE id = ?",
                (new, len(reports) - new, collection_id),
            )
        return new, 0

    def keep_inner(self, collection_id: str, reports: Sequence[Checked]) -> None:
        """Store reports that came out of an opened one; storing them again after a crash changes nothing."""
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
            for report in reports:
                _insert(t, number, report)

    def groups(self, collection_id: str, least: int, level: int = 0) -> Iterator[list[bytes]]:
        """Yield the reports of each group of a level that has at least `least` people, one group in memory at
        a time.
        """
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
        rows = self._database.stream(
            "SELECT tag, report FROM reports WHERE collection = ? AND tag IN "
            "(SELECT tag FROM reports WHERE collection = ? AND tag >= ? AND tag < ? GROUP BY tag HAVING "
            "COUNT(*) >= ?) ORDER BY tag",
            (number, number, *_level(level), least),
        )
        for _tag, group in groupby(rows, key=itemgetter(0)):
            yield [bytes(report) for _same, report in group]

    def counts(self, collection_id: str) -> dict[str, int]:
        """Count, never look: reports, groups of level 0, groups at the bar, groups that have at least half of
        it.
        """
        _phase, manifest = self.find(collection_id)
        with self._database.transaction() as t:
            number, _ = _row(t, collection_id)
            stored = t.rows(
                "SELECT received, duplicates, rejected, smallest_batch FROM collections WHERE id = ?",
                (collection_id,),
            )[0]
            invited = t.rows(
                "SELECT COUNT(*), COUNT(request) FROM invitations WHERE collection = ?", (number,)
            )[0]
        k = manifest.collection.k
        sizes = "SELECT COUNT(*) AS n FROM reports WHERE collection = ? AND tag >= ? AND tag < ? GROUP BY tag"
        statement = (
            "SELECT COUNT(*), COUNT(CASE WHEN n >= ? THEN 1 END), COUNT(CASE WHEN n < ? AND 2 * n >= ? THEN "
            f"1 END) FROM ({sizes}) AS groups"
        )
        groups = next(iter(self._database.stream(statement, (k, k, k, number, *_level(0)))))
        return {
            name: int(value) for name, value in zip(STATUS_COUNTS, (*stored, *invited, *groups), strict=True)
        }

    def finish(self, collection_id: str) -> None:
        """The crowd log is out: delete every report, opened or not."""
        with self._database.transaction() as t:
            number, _phase = _row(t, collection_id)
            t.run("DELETE FROM reports WHERE collection = ?", (number,))
            t.run("DELETE FROM invitations WHERE collection = ?", (number,))
            t.run("UPDATE collections SET phase = 'published' WHERE id = ?", (collection_id,))

    def close(self) -> None:
        self._database.close()


def _row(t: Transaction, collection_id: str) -> tuple[int, str]:
    rows = t.rows("SELECT number, phase FROM collections WHERE id = ?", (collection_id,))
    if not rows:
        raise Refused(404, "There is no such collection here.")
    return int(rows[0][0]), str(rows[0][1])


def _level(level: int) -> tuple[bytes, bytes]:
    """The tags of a level lie from the first of these to below the second."""
    return bytes([level]), bytes([level + 1])


def _insert(t: Transaction, number: int, report: Checked) -> int:
    return t.run("INSERT INTO reports VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", (number, *report))
