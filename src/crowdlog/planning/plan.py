"""What a release would promise and cost. Nothing is computed from a log: expected numbers come from the
parameters or from a made-up log.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crowdlog.files.scratch import Scratch
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.base import Mechanism
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.planning.budget import Amount, Limit, fits, left_of, limit_of, to_come
from crowdlog.planning.expected_rows import expectation
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.promise import Promise, Setting, Step
from crowdlog.release.publish import open_ledger

if TYPE_CHECKING:
    from crowdlog.engine.choice import OpenEngine

CHANCES = (0.01, 0.1, 0.5, 0.9, 0.99)


@dataclass(frozen=True)
class Odds:
    """How likely a key of a true (bounded) count is published."""

    count: float
    chance: float


@dataclass(frozen=True)
class BudgetCheck:
    """Whether a release fits into a store's budget, as a charge would be decided: without one it does not.
    `left` is by the plain sum, None where that does not decide (`limit` says what does) or there is no limit.
    """

    spent: Amount
    left: Amount | None
    fits: bool
    limit: Limit | None = None


@dataclass(frozen=True)
class SyntheticRun:
    """What a mechanism kept of a synthetic log: rows of each table."""

    users: int
    distinct_queries: int
    kept: Mapping[str, int]


@dataclass(frozen=True)
class ReleasePlan:
    """The promise in words and numbers, with what was asked for beside it."""

    mechanism: str
    guarantee: str
    epsilon: float
    delta: float
    steps: tuple[Step, ...]
    settings: Mapping[str, Setting]
    as_published: Mapping[str, Setting]
    odds: tuple[Odds, ...]
    unprotected: tuple[str, ...]
    budget: BudgetCheck | None = None
    synthetic: SyntheticRun | None = None
    expected: str = ""  # how many queries to expect with so many people


def plan_release(
    mechanism: Mechanism,
    *,
    log: LogStore | None = None,
    users: int | None = None,
    people: int | None = None,
    engine: OpenEngine | None = None,
) -> ReleasePlan:
    """The plan. `log`: check the budget of this store; `users`: try it on a synthetic log of so many, counted
    by this engine. `people`: say how many queries to expect with so many, from a public table.
    """
    promise = mechanism.promise()
    return ReleasePlan(
        repr(mechanism),
        str(promise.guarantee),
        promise.guarantee.epsilon,
        promise.guarantee.delta,
        promise.steps,
        promise.settings,
        promise.as_published,
        _odds(promise),
        promise.unprotected,
        None if log is None else _check(log, mechanism),
        None if users is None else _try_on_synthetic(mechanism, users, engine),
        "" if people is None else _expected(mechanism, people),
    )


def _expected(mechanism: Mechanism, people: int) -> str:
    found = expectation(mechanism, people)
    return "How many queries it would show is not known for this mechanism." if found is None else found[0]


def _odds(promise: Promise) -> tuple[Odds, ...]:
    """The counts that are published with the chances above, where a noisy threshold decides."""
    selection = promise.tables[0].selection if promise.tables else None
    if not isinstance(selection, NoisyThreshold):
        return ()
    # quantiles of Laplace noise
    less = [math.log(2 * c) if c <= 0.5 else -math.log(2 * (1 - c)) for c in CHANCES]
    counts = [selection.K + selection.scale * each for each in less]
    return tuple(map(Odds, counts, CHANCES))


def _check(log: LogStore, mechanism: Mechanism) -> BudgetCheck:
    with open_ledger(log) as ledger:
        fitting = fits(ledger, [to_come(mechanism)])
        return BudgetCheck(Amount.of(ledger.spent()), left_of(ledger), fitting, limit_of(ledger))


def _try_on_synthetic(mechanism: Mechanism, users: int, engine: OpenEngine | None) -> SyntheticRun:
    from crowdlog.log.importer import import_log
    from crowdlog.log.synth import synthesize

    with Scratch("plan") as folder:
        source = folder / "log.tsv"
        synthesize(source, users=users, seed=1)
        log = import_log([source], folder / "store")
        with nullcontext() if engine is None else engine(log) as opened:
            protected = mechanism.protect(log, SeededRandomness(1), engine=opened)
        kept = {name: table.num_rows for name, table in protected.tables.items()}
        return SyntheticRun(users, log.info.queries, kept)
