"""How full a budget is, by the rule that refuses releases: a share, what it is made of, and what is left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowdlog.mechanisms.base import Mechanism
from crowdlog.number_format import amount, rounded_down, rounded_up
from crowdlog.planning.budget import Limit, budget_of, to_come
from crowdlog.privacy.gaussian_filter import gaussian_parts, limits
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_book import Entry

NO_PROMISE = "A release of these people promised nothing: no budget can be kept for them."
TIGHTER = (
    "Added up plainly their ε is {epsilon}. Σμ² counts Gaussian noise more tightly: that sum may be above "
    "the budget's ε, and the budget is kept all the same."
)


@dataclass(frozen=True)
class BudgetBar:
    """`share`: of the budget that is used, the largest of what it limits; 1 is all of it. `spent` and `left`
    say what of, `remark` what else to know. `epsilon`, `delta`: the limit as a form writes it.
    """

    share: float
    spent: str
    left: str
    remark: str
    epsilon: str
    delta: str

    @property
    def percent(self) -> str:
        """Rounded up: what is nearly used up is not shown as less, and what is used never as nothing."""
        return f"{math.ceil(1000 * self.share - 1e-9) / 10:g} %" if math.isfinite(self.share) else "all"

    @property
    def length(self) -> float:
        """Of the bar, from 0 to 100."""
        return min(100.0, 100 * self.share)


def budget_bar(ledger: Ledger, coming: Mechanism | None = None) -> BudgetBar | None:
    """The bar of a ledger, with a release to come counted in; None without a budget."""
    report = budget_of(ledger)
    if report.limit is None:
        return None
    entries = [*ledger.entries(), *([] if coming is None else [to_come(coming)])]
    kept = [entry for entry in entries if entry.guarantee.protects]
    limited = _gaussian(report.limit, kept) if report.limit.rule == "gaussian" else _sum(report.limit, kept)
    promised = len(kept) == len(entries)
    spent = ", ".join(f"{name} = {_up(used)} of {_down(most)}" for name, used, most in limited)
    left = ", ".join(f"{name} = {_down(max(most - used, Fraction(0)))}" for name, used, most in limited)
    return BudgetBar(
        max(_share(used, most) for _name, used, most in limited) if promised else math.inf,
        f"Spent: {spent}, in {amount(len(entries), 'release')}.",
        f"Left: {left}.",
        NO_PROMISE if not promised else _remark(report.limit, kept),
        _field(report.limit.epsilon),
        _field(report.limit.delta),
    )


_Limited = list[tuple[str, Fraction, Fraction]]  # name, what is used of it, the most


def _sum(limit: Limit, entries: Sequence[Entry]) -> _Limited:
    used_epsilon = sum((Fraction(entry.guarantee.epsilon) for entry in entries), Fraction(0))
    used_delta = sum((Fraction(entry.guarantee.delta) for entry in entries), Fraction(0))
    return [
        ("ε", used_epsilon, Fraction(limit.epsilon)),
        ("δ", used_delta, Fraction(limit.delta)),
    ]


def _gaussian(limit: Limit, entries: Sequence[Entry]) -> _Limited:
    most_squares, most_tails = limits(limit.epsilon, limit.delta)
    squares, tails = Fraction(limit.squares or 0.0), Fraction(0)
    for entry in entries:
        parts = gaussian_parts(entry.steps)
        tails += Fraction(entry.guarantee.delta) if parts is None else parts[1]
        if entry.id == 0 and parts is not None:  # the one to come is not in the report
            squares += parts[0]
    return [("Σμ²", squares, most_squares), ("δ of thresholds", tails, most_tails)]


def _remark(limit: Limit, entries: Sequence[Entry]) -> str:
    if limit.rule != "gaussian" or len(entries) < 2:
        return ""
    return TIGHTER.format(epsilon=rounded_up(math.fsum(entry.guarantee.epsilon for entry in entries)))


def _share(used: Fraction, most: Fraction) -> float:
    return float(used / most) if most else math.inf if used else 0.0


def _up(value: Fraction) -> str:
    return rounded_up(float(value))


def _down(value: Fraction) -> str:
    return rounded_down(float(value))


def _field(value: float) -> str:
    """Every digit: a form that is sent as it stands changes nothing."""
    return repr(value).removesuffix(".0")
