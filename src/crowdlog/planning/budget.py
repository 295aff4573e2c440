"""What a log's releases cost together, counted twice: the plain sum that refusals go by, and the tight bound
beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from crowdlog.privacy.accounting import ledger_epsilon
from crowdlog.privacy.guarantee import Guarantee, compose
from crowdlog.privacy.ledger import Entry, Ledger
from crowdlog.release.promise import Promise

# without a limit the tight ε is shown at this many times the sum of δ: the tight bound needs δ to spend
SLACK = 2.0


@dataclass(frozen=True)
class Spending:
    """`total`: ε and δ added up.

    `tight_epsilon`: by privacy loss distributions, at `tight_delta`; infinite when that δ is spent already.
    """

    total: Guarantee
    tight_epsilon: float
    tight_delta: float


def next_entry(promise: Promise, mechanism: str) -> Entry:
    """A release that has not been charged."""
    return Entry(0, 0.0, mechanism, promise.guarantee, "", "charged", promise.accounting)


def spending(ledger: Ledger, more: tuple[Entry, ...] = ()) -> tuple[Spending, Spending]:
    """Of the charged releases, and of these and the releases still to come.

    Both tight ε are at one δ: they can be subtracted.
    """
    charged = ledger.entries()
    everything = [*charged, *more]
    limit = ledger.budget()
    delta = limit.delta if limit else min(1.0, SLACK * compose(entry.guarantee for entry in everything).delta)
    return _spending(charged, delta), _spending(everything, delta)


def _spending(entries: list[Entry], delta: float) -> Spending:
    total = compose(entry.guarantee for entry in entries)
    return Spending(total, ledger_epsilon(entries, delta), delta)
