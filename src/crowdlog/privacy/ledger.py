"""The privacy ledger of one log store: what was promised about it so far, charged before anything is written.

A charge goes through states: charged (nothing was shown) → publishing (one output, known by its hash,
is about to be shown) → published. `lost` ends a charge whose output cannot be found again, or will not
be made: it stays spent and is never drawn again. Proof: proofs/ledger.md.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import quote

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import Guarantee, Kind, approximate, compose
from crowdlog.privacy.rounding import sum_up

WAIT = 120.0  # seconds to wait for another process; a charge holds the lock for milliseconds
VERSION = 3  # of the tables below, kept as SQLite's user_version

State = Literal["charged", "publishing", "published", "lost"]
_Look = tuple[os.stat_result, os.stat_result]
UNFINISHED: tuple[State, State] = ("charged", "publishing")

TABLES = """
CREATE TABLE source (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1), content_hash TEXT NOT NULL, store TEXT NOT NULL);
CREATE TABLE budgets (id INTEGER PRIMARY KEY, time REAL NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL);
CREATE TABLE charges (
  id INTEGER PRIMARY KEY, time REAL NOT NULL, mechanism TEXT NOT NULL,
  epsilon REAL NOT NULL, delta REAL NOT NULL, kind TEXT NOT NULL, k INTEGER, out TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('charged', 'publishing', 'published', 'lost')),
  steps TEXT NOT NULL,
  folder_hash TEXT,
  CHECK (state != 'charged' OR folder_hash IS NULL),
  CHECK (state NOT IN ('publishing', 'published') OR folder_hash IS NOT NULL));
CREATE UNIQUE INDEX one_unfinished_per_folder ON charges (out) WHERE state IN ('charged', 'publishing');
"""


@dataclass(frozen=True)
class Entry:
    """One charge. `steps` is what tight accounting needs (accounting.py)."""

    id: int
    time: float  # seconds since 1970
    mechanism: str
    guarantee: Guarantee
    out: str
    state: State
    steps: tuple[Mapping[str, Any], ...]
    folder_hash: str | None = None  # of the one output that may be shown; None before it is made


class Ledger:
    """Open with `Ledger.open`; close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection, file: Path, seen: _Look) -> None:
        self._connection = connection
        self._file, self._seen = file, seen

    @classmethod
    def create(cls, path: Path | str, source: str, store: str) -> None:
        """Begin the ledger of the store with this content hash and id: once, when the store is made.

        Nothing is forced to disk: whoever makes the store does that for all its files.
        """
        connection = sqlite3.connect(path, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
            connection.execute("INSERT INTO source VALUES (1, ?, ?)", (source, store))
        finally:
            connection.close()

    @classmethod
    def open(cls, path: Path | str, source: str, store: str) -> Self:
        """Open the ledger of the store with this content hash and id. One that is missing is never made here:
        it would be made in whichever store has come to lie at this path.
        """
        file = Path(path).absolute()
        try:
            before = _look(file)
            # autocommit: transactions are begun by hand below, so that a charge holds the write lock from its
            # first read.
            address = f"file:{quote(os.fsencode(file))}?mode=rw"
            connection = sqlite3.connect(address, uri=True, timeout=WAIT, isolation_level=None)
            try:
                # A charge is on the disk before anything else happens.
                connection.execute("PRAGMA synchronous = FULL")
                _check_source(connection, path, source, store)
                _check_unmoved(file, before)
            except BaseException:
                connection.close()
                raise
        except FileNotFoundError:
            raise InputError(
                f"The ledger {path} is missing, so nobody can tell what was spent. Restore it from a copy; "
                "if nothing was ever released from this store, import the log again."
            ) from None
        except sqlite3.Error as error:
            raise InputError(
                f"The ledger {path} cannot be opened ({error}): restore it from a copy; without it nothing can be released."
            ) from None
        return cls(connection, file, before)

    def is_still_there(self) -> bool:
        """Whether the path still leads to the file that is open: even a copy of it is another ledger."""
        try:
            return _is_same(self._seen, _look(self._file))
        except OSError:
            return False

    @contextmanager
    def _writing(self, failed: str) -> Iterator[None]:
        """One immediate transaction: all of it or nothing, one process at a time."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(f"The ledger could not be written ({error}): {failed}") from None
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def set_budget(self, epsilon: float, delta: float) -> None:
        """Set the most that may be spent in all.

        Without a budget nothing is refused for being too much; the history of budgets is kept.
        """
        if not (0 <= epsilon < math.inf and 0 <= delta <= 1):
            raise InputError(
                f"A budget needs a finite ε of at least 0 and a δ from 0 to 1. Got ε = {epsilon} and δ = {delta}."
            )
        with self._writing("the budget is as it was."):
            self._connection.execute(
                "INSERT INTO budgets (time, epsilon, delta) VALUES (?, ?, ?)", (time.time(), epsilon, delta)
            )

    def budget(self) -> Guarantee | None:
        """The budget in force, or None: no limit."""
        row = self._connection.execute(
            "SELECT epsilon, delta FROM budgets ORDER BY id DESC LIMIT 1"
        ).fetchone()
        return approximate(*row) if row else None

    def charge(
        self,
        guarantee: Guarantee,
        mechanism: str,
        out: str,
        *,
        steps: Sequence[Mapping[str, Any]] = (),
        allow_unprotected: bool = False,
    ) -> int:
        """Record a release before it is made; return its id.

        Refused, and nothing recorded, if the budget does not hold it.

        An output folder has at most one unfinished charge: a stopped release is resumed, not charged again.
        """
        if not guarantee.protects and not allow_unprotected:
            raise PrivacyRefusal(
                f"{mechanism} promises nothing to the people in the log. Allow an unprotected release explicitly if that is meant."
            )
        with self._writing("nothing was charged and nothing may be published."):
            self._refuse_over_budget(guarantee, mechanism)
            self.refuse_taken(out)
            promised = guarantee.epsilon, guarantee.delta, guarantee.kind, guarantee.k
            row = (time.time(), mechanism, *promised, out, json.dumps([dict(step) for step in steps]))
            cursor = self._connection.execute(
                "INSERT INTO charges (time, mechanism, epsilon, delta, kind, k, out, state, steps) VALUES (?, ?, ?, ?, ?, ?, ?, 'charged', ?)",
                row,
            )
            return int(cursor.lastrowid or 0)

    def refuse_taken(self, out: str, but_for: int = 0) -> None:
        """A folder has at most one unfinished charge: refuse if it has another one than this."""
        row = self._connection.execute(
            "SELECT id, state FROM charges WHERE out = ? AND id != ? AND state IN (?, ?)",
            (out, but_for, *UNFINISHED),
        ).fetchone()
        if row:
            raise InputError(
                f"A release to {out} is unfinished (charge {row[0]}, {row[1]}): resume it, or choose another folder."
            )

    def _refuse_over_budget(self, guarantee: Guarantee, mechanism: str) -> None:
        budget = self.budget()
        if budget is None:
            return
        spent = [entry.guarantee for entry in self.entries()]
        for name, limit, before, more in (
            ("ε", budget.epsilon, [g.epsilon for g in spent], guarantee.epsilon),
            ("δ", budget.delta, [g.delta for g in spent], guarantee.delta),
        ):
            if _exact_sum([*before, more]) > Fraction(limit):
                raise PrivacyRefusal(
                    f"{mechanism} needs {name} = {more:.6g}, but {sum_up(before):.6g} of the budget of {limit:.6g} is spent."
                )

    def publishing(self, charge_id: int, folder_hash: str) -> None:
        """Record the one output that may be shown for this charge, before it is shown.

        Succeeds once per charge: of two runs that drew noise for it, only one may show what it drew.
        """
        self._change(charge_id, "charged", "state = 'publishing', folder_hash = ?", folder_hash)

    def publish(self, charge_id: int) -> None:
        """Mark a release as published: the folder that `publishing` recorded has its final name."""
        self._change(charge_id, "publishing", "state = 'published'")

    def lose(self, entry: Entry) -> None:
        """Give a charge up: it stays spent, and nothing is shown for it from now on."""
        self._change(entry.id, entry.state, "state = 'lost'")

    def move(self, entry: Entry, out: str) -> None:
        """Another folder for an unfinished charge."""
        with self._writing(f"charge {entry.id} is as it was."):
            self.refuse_taken(out, but_for=entry.id)
            self._update(entry.id, entry.state, "out = ?", out)

    def _change(self, charge_id: int, state: State, change: str, *values: str) -> None:
        with self._writing(f"run 'crowdlog resume' to see how charge {charge_id} stands."):
            self._update(charge_id, state, change, *values)

    def _update(self, charge_id: int, state: State, change: str, *values: str) -> None:
        statement = f"UPDATE charges SET {change} WHERE id = ? AND state = ? AND state IN (?, ?)"
        changed = self._connection.execute(statement, (*values, charge_id, state, *UNFINISHED)).rowcount
        if changed != 1:
            raise InputError(
                f"The ledger has no charge with the number {charge_id} in the state '{state}': "
                "another run has gone on with it. Run 'crowdlog budget' to see how it stands."
            )

    def entries(self) -> list[Entry]:
        """Every charge, oldest first."""
        columns = "id, time, mechanism, epsilon, delta, kind, k, out, state, steps, folder_hash"
        rows = self._connection.execute(f"SELECT {columns} FROM charges ORDER BY id")
        return [_entry(*row) for row in rows]

    def unpublished(self) -> list[Entry]:
        """The charges whose release did not come to its end."""
        return [entry for entry in self.entries() if entry.state in UNFINISHED]

    def spent(self) -> Guarantee:
        """Everything charged so far, published or not, added up."""
        return compose(entry.guarantee for entry in self.entries())

    def left(self) -> Guarantee | None:
        """What the budget still holds (rounded down), or None without a budget."""
        budget, spent = self.budget(), self.spent()
        if budget is None:
            return None
        return approximate(_difference(budget.epsilon, spent.epsilon), _difference(budget.delta, spent.delta))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _entry(
    id_: int,
    at: float,
    mechanism: str,
    epsilon: float,
    delta: float,
    kind: Kind,
    k: int | None,
    out: str,
    state: Any,
    steps: str,
    folder_hash: str | None,
) -> Entry:
    guarantee = Guarantee(epsilon, delta, kind, k=k)
    return Entry(id_, at, mechanism, guarantee, out, state, tuple(json.loads(steps)), folder_hash)


def _exact_sum(numbers: Sequence[float]) -> Fraction | float:
    return math.inf if math.inf in numbers else sum(map(Fraction, numbers), Fraction(0))


def _difference(limit: float, spent: float) -> float:
    """limit − spent, rounded down, not below 0."""
    return 0.0 if spent >= limit else -sum_up([-limit, spent])


def _check_source(connection: sqlite3.Connection, path: Path | str, source: str, store: str) -> None:
    """Refuse a ledger of other tables or of another store."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise InputError(
            f"The ledger {path} was made by another version of crowdlog (its tables are version {version}, "
            f"this one needs {VERSION}). Use that version, or import the log again and add what was spent by hand."
        )
    row = connection.execute("SELECT content_hash, store FROM source").fetchone()
    if row != (source, store):
        held = "none" if row is None else f"{row[0][:16]} of store {row[1][:16]}"
        raise InputError(
            f"The ledger {path} belongs to another log or another import of it: its source is {held}, "
            f"expected {source[:16]} of store {store[:16]}. Was the store replaced? Try again."
        )


def _look(file: Path) -> _Look:
    """The file and the folder around it, to be known again."""
    return file.stat(), file.parent.stat()


def _is_same(before: _Look, now: _Look) -> bool:
    return all(map(os.path.samestat, before, now))


def _check_unmoved(file: Path, before: _Look) -> None:
    """Refuse if another file came to lie at this path meanwhile: SQLite's three files would be of two stores.

    By now all three are open, so what happens to the path from here on does not reach them.
    """
    if not _is_same(before, _look(file)):
        raise InputError(
            f"The ledger {file} was replaced while it was opened. Nothing was charged; try again."
        )
