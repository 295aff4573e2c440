"""The privacy ledger of one log store: what was promised about it so far, charged before anything is written. Proof: proofs/ledger.md."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.privacy.guarantee import Guarantee, Kind, approximate, compose
from crowdlog.privacy.rounding import sum_up

WAIT = 120.0  # seconds to wait for another process; a charge holds the lock for milliseconds

TABLES = """
CREATE TABLE IF NOT EXISTS source (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), content_hash TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS budgets (id INTEGER PRIMARY KEY, time REAL NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL);
CREATE TABLE IF NOT EXISTS charges (
  id INTEGER PRIMARY KEY, time REAL NOT NULL, mechanism TEXT NOT NULL, epsilon REAL NOT NULL, delta REAL NOT NULL, kind TEXT NOT NULL,
  out TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('charged', 'published')), steps TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS one_unpublished_per_folder ON charges (out) WHERE state = 'charged';
"""


@dataclass(frozen=True)
class Entry:
    """One charge. `steps` is what tight accounting needs (accounting.py)."""

    id: int
    time: float  # seconds since 1970
    mechanism: str
    guarantee: Guarantee
    out: str
    state: Literal["charged", "published"]
    steps: tuple[Mapping[str, Any], ...]


class Ledger:
    """Open with `Ledger.open`; close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @classmethod
    def open(cls, path: Path | str, source: str) -> Self:
        """Open or begin the ledger of the source with this content hash."""
        try:
            # autocommit: transactions are begun by hand below, so that a charge holds the write lock from its first read.
            connection = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
            _use_write_ahead_log(connection)
            connection.execute("PRAGMA synchronous = FULL")  # a charge is on the disk before anything else happens
            ledger = cls(connection)
            ledger._begin(path, source)
        except sqlite3.Error as error:
            raise InputError(f"The ledger {path} cannot be opened ({error}): restore it from a copy; without it nothing can be released.") from None
        return ledger

    def _begin(self, path: Path | str, source: str) -> None:
        with self._writing():
            for statement in filter(str.strip, TABLES.split(";")):
                self._connection.execute(statement)
            self._connection.execute("INSERT OR IGNORE INTO source VALUES (1, ?)", (source,))
            (held,) = self._connection.execute("SELECT content_hash FROM source").fetchone()
        if held != source:
            self.close()
            raise InputError(f"The ledger {path} belongs to another log: its source is {held[:16]}, this store is {source[:16]}.")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One immediate transaction: all of it or nothing, one process at a time."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise InputError(f"The ledger could not be written ({error}): nothing was charged and nothing may be published.") from None
        finally:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def set_budget(self, epsilon: float, delta: float) -> None:
        """Set the most that may be spent in all. Without a budget nothing is refused for being too much; the history of budgets is kept."""
        if not (0 <= epsilon < math.inf and 0 <= delta <= 1):
            raise InputError(f"A budget needs a finite ε of at least 0 and a δ from 0 to 1. Got ε = {epsilon} and δ = {delta}.")
        with self._writing():
            self._connection.execute("INSERT INTO budgets (time, epsilon, delta) VALUES (?, ?, ?)", (time.time(), epsilon, delta))

    def budget(self) -> Guarantee | None:
        """The budget in force, or None: no limit."""
        row = self._connection.execute("SELECT epsilon, delta FROM budgets ORDER BY id DESC LIMIT 1").fetchone()
        return approximate(*row) if row else None

    def charge(
        self, guarantee: Guarantee, mechanism: str, out: str, *, steps: Sequence[Mapping[str, Any]] = (), allow_unprotected: bool = False
    ) -> int:
        """Record a release before it is made; return its id. Refused, and nothing recorded, if the budget does not hold it.

        An output folder has at most one unpublished charge: a stopped release is resumed, not charged again.
        """
        if not guarantee.protects and not allow_unprotected:
            raise PrivacyRefusal(f"{mechanism} promises nothing to the people in the log. Allow an unprotected release explicitly if that is meant.")
        with self._writing():
            self._refuse_over_budget(guarantee, mechanism)
            if self._connection.execute("SELECT 1 FROM charges WHERE out = ? AND state = 'charged'", (out,)).fetchone():
                raise InputError(f"A release to {out} is charged and not yet published: resume it, or choose another folder.")
            row = (time.time(), mechanism, guarantee.epsilon, guarantee.delta, guarantee.kind, out, json.dumps([dict(step) for step in steps]))
            cursor = self._connection.execute(
                "INSERT INTO charges (time, mechanism, epsilon, delta, kind, out, state, steps) VALUES (?, ?, ?, ?, ?, ?, 'charged', ?)", row
            )
            return int(cursor.lastrowid or 0)

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
                raise PrivacyRefusal(f"{mechanism} needs {name} = {more:.6g}, but {sum_up(before):.6g} of the budget of {limit:.6g} is spent.")

    def publish(self, charge_id: int) -> None:
        """Mark a charged release as published: its folder has its final name."""
        with self._writing():
            changed = self._connection.execute("UPDATE charges SET state = 'published' WHERE id = ? AND state = 'charged'", (charge_id,)).rowcount
        if changed != 1:
            raise InputError(f"The ledger has no unpublished charge with the number {charge_id}.")

    def entries(self) -> list[Entry]:
        """Every charge, oldest first."""
        rows = self._connection.execute("SELECT id, time, mechanism, epsilon, delta, kind, out, state, steps FROM charges ORDER BY id")
        return [_entry(*row) for row in rows]

    def unpublished(self) -> list[Entry]:
        """The charges whose release did not come to its end."""
        return [entry for entry in self.entries() if entry.state == "charged"]

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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _entry(id_: int, at: float, mechanism: str, epsilon: float, delta: float, kind: Kind, out: str, state: Any, steps: str) -> Entry:
    return Entry(id_, at, mechanism, Guarantee(epsilon, delta, kind), out, state, tuple(json.loads(steps)))


def _exact_sum(numbers: Sequence[float]) -> Fraction | float:
    return math.inf if math.inf in numbers else sum(map(Fraction, numbers), Fraction(0))


def _difference(limit: float, spent: float) -> float:
    """limit − spent, rounded down, not below 0."""
    return 0.0 if spent >= limit else -sum_up([-limit, spent])


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch the journal; SQLite does not wait by itself when another process switches at the same moment."""
    patience = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > patience:
                raise
            time.sleep(0.01)
        else:
            return
