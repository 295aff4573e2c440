"""What a log's releases cost together, counted twice: by the rule of refusals (the plain sum, or Σμ²) and by
the tight bound beside it; and what further releases would add.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.accounting import ledger_epsilon
from crowdlog.privacy.gaussian_filter import limits
from crowdlog.privacy.guarantee import Guarantee, compose
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_book import Entry, spent_parts
from crowdlog.privacy.rounding import round_up

# without a limit the tight ε is shown at this many times the sum of δ: the tight bound needs δ to spend
SLACK = 2.0


@dataclass(frozen=True)
class Amount:
    """ε and δ that are spent or left; an infinite ε where nothing is promised."""

    epsilon: float
    delta: float

    @classmethod
    def of(cls, guarantee: Guarantee) -> Amount:
        return cls(guarantee.epsilon, guarantee.delta)


@dataclass(frozen=True)
class Spending(Amount):
    """ε and δ added up.

    `tight_epsilon`: by privacy loss distributions, at `tight_delta`; infinite when that δ is spent already.
    """

    tight_epsilon: float
    tight_delta: float


@dataclass(frozen=True)
class NextReleases(Amount):
    """What so many releases by a mechanism would cost; `tight_epsilon`: how much more by the tight bound."""

    mechanism: str
    times: int
    tight_epsilon: float
    fits: bool
    spent_after: Spending


@dataclass(frozen=True)
class ChargedRelease(Amount):
    """One line of the ledger."""

    id: int
    mechanism: str
    kind: str
    state: str
    out: str
    date: str
    store: str


@dataclass(frozen=True)
class Limit(Amount):
    """The budget in force: `rule` is "sum" or "gaussian". The latter decides by Σμ² and the δ of thresholds
    (`tails`): what the releases have of both, and the most of each. `after`: how many releases were charged
    before it was set; what is decided then is no longer decided before anything was seen.
    """

    rule: str
    date: str
    after: int = 0
    squares: float | None = None
    most_squares: float | None = None
    tails: float | None = None
    most_tails: float | None = None


@dataclass(frozen=True)
class EarlierLimit(Amount):
    """A budget that was in force before. `after`: as in `Limit`."""

    date: str
    after: int


@dataclass(frozen=True)
class LookAtLog:
    """A look at the log that no promise covers."""

    date: str
    how: str


@dataclass(frozen=True)
class BudgetReport:
    """`left` is None without a limit; then no release fits that promises something: it needs one first. It is
    None too where Σμ² decides: of the plain sum nothing may be left, and releases still fit (`limit`).
    """

    spent: Spending
    left: Amount | None
    next: NextReleases | None
    releases: tuple[ChargedRelease, ...]
    limit: Limit | None = None
    looks: tuple[LookAtLog, ...] = ()
    stores: tuple[str, ...] = ()  # all that share this ledger
    earlier_limits: tuple[EarlierLimit, ...] = ()  # oldest first


def budget_of(ledger: Ledger, coming: Mechanism | None = None, times: int = 1) -> BudgetReport:
    """What is spent and left; with a mechanism also what so many releases by it would cost. Charges nothing.

    All tight ε are at one δ: they can be subtracted.
    """
    charged, limit = ledger.entries(), ledger.budget()
    more = [] if coming is None else [to_come(coming)] * times
    total = compose(entry.guarantee for entry in [*charged, *more])
    delta = limit.delta if limit else min(1.0, SLACK * total.delta)
    spent = _spending(charged, delta)
    return BudgetReport(
        spent,
        left_of(ledger),
        _next(more, spent, _spending([*charged, *more], delta), fits=fits(ledger, more)) if more else None,
        tuple(_charged(entry) for entry in charged),
        limit_of(ledger),
        tuple(LookAtLog(_date(look.time), look.how) for look in ledger.looks()),
        tuple(ledger.stores()),
        tuple(
            EarlierLimit(was.epsilon, was.delta, _date(was.time), was.after) for was in ledger.budgets()[:-1]
        ),
    )


def fits(ledger: Ledger, more: Sequence[Entry]) -> bool:
    """As a charge would be decided; what promises nothing fits no budget."""
    if not all(entry.guarantee.protects for entry in more):
        return False
    return ledger.why_not([(entry.guarantee, entry.steps) for entry in more]) is None


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def left_of(ledger: Ledger) -> Amount | None:
    """What is left by the plain sum, where that decides."""
    limit, left = ledger.budget(), ledger.left()
    return None if limit is None or left is None or limit.rule != "sum" else Amount.of(left)


def limit_of(ledger: Ledger) -> Limit | None:
    """The budget in force, with what its rule counts."""
    limit = ledger.budget()
    if limit is None:
        return None
    if limit.rule == "sum":
        return Limit(limit.epsilon, limit.delta, limit.rule, _date(limit.time), limit.after)
    spent = [spent_parts(entry) for entry in ledger.entries() if entry.guarantee.protects]
    squares, tails = round_up(sum(part[0] for part in spent)), round_up(sum(part[1] for part in spent))
    most_squares, most_tails = (-round_up(-most) for most in limits(limit.epsilon, limit.delta))
    return Limit(
        limit.epsilon,
        limit.delta,
        limit.rule,
        _date(limit.time),
        limit.after,
        squares=squares,
        most_squares=most_squares,
        tails=tails,
        most_tails=most_tails,
    )


def to_come(mechanism: Mechanism) -> Entry:
    """A release that has not been charged."""
    promise = mechanism.promise()
    return Entry(0, 0.0, repr(mechanism), promise.guarantee, "", "charged", promise.accounting)


def _next(more: Sequence[Entry], spent: Spending, after: Spending, *, fits: bool) -> NextReleases:
    cost = compose(entry.guarantee for entry in more)
    bounded = math.isfinite(after.tight_epsilon)
    return NextReleases(
        cost.epsilon,
        cost.delta,
        mechanism=more[0].mechanism,
        times=len(more),
        tight_epsilon=after.tight_epsilon - spent.tight_epsilon if bounded else math.inf,
        fits=fits,
        spent_after=after,
    )


def _charged(entry: Entry) -> ChargedRelease:
    promised = entry.guarantee
    return ChargedRelease(
        promised.epsilon,
        promised.delta,
        entry.id,
        entry.mechanism,
        promised.kind,
        entry.state,
        entry.out,
        _date(entry.time),
        entry.store,
    )


def _spending(entries: list[Entry], delta: float) -> Spending:
    total = compose(entry.guarantee for entry in entries)
    return Spending(total.epsilon, total.delta, ledger_epsilon(entries, delta), delta)
