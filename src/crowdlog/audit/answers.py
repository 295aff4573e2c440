"""What a mechanism decides, looked at before anything is concluded from it.

An author's own `decide` may raise, or return what cannot be named. That is a fault of the mechanism, and is
said in one sentence; what it raised is not quoted, for it could hold anything. Of a key with two counts, or
of a count with a fraction, some audits would see a part only: such answers are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from crowdlog.errors import CrowdlogError, InputError
from crowdlog.plan.decide import CountSource, Kept, KeyHistories, TableCounts
from crowdlog.plan.table import TablePlan
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism
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
