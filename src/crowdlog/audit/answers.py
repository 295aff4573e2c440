"""What a mechanism decides and how it names that, looked at before anything is concluded from it.

An author's own `decide` may raise, or return what cannot be named. That is a fault of the mechanism, and is
said in one sentence; what it raised is not quoted, for it could hold anything. Of a key with two counts, or
of a count with a fraction, some audits would see a part only: such answers are refused. Most audits look at
what was decided, so an author's own `name` that shows anything else is refused, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.decide import CountSource, Kept, KeyHistories, TableCounts
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.promise import Protected
from crowdlog.types import Ints

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.engine.log_source import LogSource
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True)
class _Given:
    """A source that notes which keys it gave."""

    source: CountSource
    keys: list[Ints] = field(default_factory=list)

    def counts(self, plan: TablePlan, randomness: Randomness) -> TableCounts:
        found = self.source.counts(plan, randomness)
        self.keys.append(found.key)
        return found

    def histories(self, plan: TablePlan, shown: Ints | None) -> KeyHistories:
        found = self.source.histories(plan, shown)
        self.keys.append(found.key)
        return found

    def artifacts_per_user(self, plan: TablePlan) -> Ints:
        return self.source.artifacts_per_user(plan)


def decided(mechanism: Mechanism, source: CountSource, randomness: Randomness) -> dict[str, Kept]:
    """What the mechanism keeps of these counts. InputError when that cannot be audited."""
    given = _Given(source)
    with faults_of(mechanism):
        kept = mechanism.decide(given, randomness)
    wrong = _wrong(mechanism, kept, given)
    if wrong:
        raise InputError(f"{mechanism!r} cannot be audited: its decide returns {wrong}.")
    return kept


def named(mechanism: Mechanism, source: LogSource, kept: Mapping[str, Kept]) -> Protected:
    """The tables that the mechanism makes of what it kept. InputError when they show anything else."""
    with faults_of(mechanism):
        tables = mechanism.name(source, kept)
    if _names_itself(mechanism):
        decided_tables = Mechanism.name(mechanism, source, kept)
        if tables.keys() != decided_tables.keys() or not all(
            _shows(tables[name], table) for name, table in decided_tables.items()
        ):
            raise InputError(
                f"{mechanism!r} cannot be audited: its name shows other tables, rows or counts than its "
                "decide returned."
            )
    return Protected(tables)


def check_naming(mechanism: Mechanism, source: LogSource, counted: CountSource) -> None:
    """InputError where the mechanism names in a way of its own, and shows something else than it decides of
    these counts.
    """
    if _names_itself(mechanism):
        named(mechanism, source, decided(mechanism, counted, SeededRandomness(1)))


def protected_log(mechanism: Mechanism, log: LogStore, randomness: Randomness) -> Protected:
    """What a mechanism that goes a way of its own publishes. InputError for tables that it does not plan."""
    with faults_of(mechanism):
        found = mechanism.protect(log, randomness)
    if not found.tables.keys() <= {plan.name for plan in mechanism.plan}:
        raise InputError(
            f"{mechanism!r} cannot be audited: it publishes a table that its plan does not have."
        )
    return found


def _names_itself(mechanism: Mechanism) -> bool:
    return type(mechanism).name is not Mechanism.name


def _shows(table: pa.Table, decided_table: pa.Table) -> bool:
    """Whether it has these columns, row by row; what further ones tell is looked at by the replay."""
    columns = decided_table.column_names
    return set(columns) <= set(table.column_names) and bool(table.select(columns).equals(decided_table))


@contextmanager
def faults_of(mechanism: Mechanism) -> Iterator[None]:
    """What a mechanism's own code raises is told as its fault; the system's errors go on as they are."""
    try:
        yield
    except (CrowdlogError, OSError, MemoryError, ImportError):
        raise
    except Exception as error:
        raise InputError(
            f"{mechanism!r} cannot be audited: it raises {type(error).__name__} on a made-up log."
        ) from error


def _wrong(mechanism: Mechanism, kept: object, given: _Given) -> str:
    """The first thing that is wrong, or nothing."""
    names = [plan.name for plan in mechanism.plan]
    if not isinstance(kept, Mapping) or list(kept) != names:
        return f"other tables than its plan has ({', '.join(names)})"
    for table in kept.values():
        if not isinstance(table, Kept) or not (_whole_numbers(table.key) and _whole_numbers(table.count)):
            return "keys or counts that are not arrays of whole numbers"
        if len(table.key) != len(table.count):
            return "not one count for each key"
        if not _ascending(table.key) and len(np.unique(table.key)) != len(table.key):
            return "a key twice"
        if not _given(table.key, given.keys):
            return "keys that it was not given"
    return ""


def _ascending(keys: Ints) -> bool:
    return bool((keys[1:] > keys[:-1]).all())


def _given(keys: Ints, given: list[Ints]) -> bool:
    """Whether all of these keys were given, at once or in parts."""
    if not len(keys) or any(_found(keys, some) for some in given):
        return True
    return bool(given) and bool(np.isin(keys, np.concatenate(given)).all())


def _found(keys: Ints, given: Ints) -> bool:
    """Whether all are here. Sources mostly give keys in order, and then nothing needs to be sorted: an audit
    asks this in every run.
    """
    if not _ascending(given):
        return False
    place = np.searchsorted(given, keys)
    return bool(place.max() < len(given) and (given[place] == keys).all())


def _whole_numbers(values: object) -> bool:
    return isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "iu"
