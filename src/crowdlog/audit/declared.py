"""What a mechanism says about itself in the plan of its tables, as the audits ask for it.

An audit that lacks a declaration cannot be left out in silence: `main` raises, and the report says which
audits ran.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.artifacts.kinds import Sequences
from crowdlog.errors import InputError
from crowdlog.plan.bounds import ScaledLength, SessionCut, SquaredBudget
from crowdlog.plan.candidates import NamedBy, OfShown, Pool, PublicResults
from crowdlog.plan.selections import Crossing, NoisyThreshold
from crowdlog.plan.table import TablePlan

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

OF_SHOWN = OfShown | PublicResults | NamedBy  # candidates that need their queries shown first


def key_tables(mechanism: Mechanism) -> list[TablePlan]:
    """Tables of what people did; the others have a row for each of some public values, whatever they did."""
    return [plan for plan in mechanism.plan if not isinstance(plan.artifact, Breakdown)]


def first_table(mechanism: Mechanism) -> TablePlan:
    """The table whose keys are chosen first."""
    first = mechanism.plan[0] if mechanism.plan else None
    if first is None or first.selection is None or (first.noise is None and not first.names_only):
        raise InputError(
            f"{mechanism!r} promises privacy, but its promise has no plan of a table with a selection and "
            "noise: it cannot be audited."
        )
    return first


def edges(mechanism: Mechanism) -> TablePlan | None:
    """The first table that depends on another: clicks or pairs of shown queries; or further keys beside the
    main table's.
    """
    return next(iter(key_tables(mechanism)[1:]), None)


def thresholds(mechanism: Mechanism) -> dict[str, NoisyThreshold]:
    """By table: the thresholds on counts. Selections by weights have none."""
    return {
        plan.name: plan.selection for plan in mechanism.plan if isinstance(plan.selection, NoisyThreshold)
    }


def chooses_by_weights(mechanism: Mechanism) -> bool:
    """Whether people divide weights among their keys and Gaussian noise hides them, rather than Laplace noise
    their counts.
    """
    return isinstance(first_table(mechanism).bound, SquaredBudget | ScaledLength)


def by_lot(mechanism: Mechanism) -> bool:
    """Whether what counts of a person is drawn by lot.

    The outcome then follows her number in the log, its distribution does not.
    """
    return any(plan.bound.by_lot for plan in mechanism.plan)


def units(plan: TablePlan) -> int:
    """How many counts of this table one person adds at most; 0 where she is bounded in another way."""
    return int(plan.reach.total) if math.isfinite(plan.reach.total) else 0


def kept_keys(plan: TablePlan) -> int:
    """How many keys of one person count: sessions where sequences are published."""
    return int(plan.bound.sessions if isinstance(plan.bound, SessionCut) else plan.bound.keys)


def chance_shown(mechanism: Mechanism, plan: TablePlan, count: int, *, pooled: bool) -> float:
    """The chance that a key of this count is shown.

    Clicks and pairs are candidates only where their queries are shown.
    """
    selection = plan.selection
    if not isinstance(selection, NoisyThreshold):
        raise TypeError(f"{plan.name} has no threshold on counts")
    closed = isinstance(plan.candidates, Pool) and not plan.candidates.others
    own = 0.0 if closed and not pooled else selection.shown(count)
    if plan.least is not None and plan.noise is not None:
        own *= plan.noise.tail(plan.least - count - 1)
    if isinstance(plan.candidates, OF_SHOWN):
        own *= chance_shown(mechanism, first_table(mechanism), count, pooled=pooled) ** (
            2 if plan.name == "pairs" else 1
        )
    return own


def critical_crowds(crossing: Crossing, added: int) -> tuple[int, ...]:
    """Crowds at which one person changes the odds most: Gaussian noise does so in its tails, Laplace noise
    from just below the threshold on.
    """
    sd = crossing.sd
    places = (-2 * sd, -1.25 * sd, -0.75 * sd, sd) if crossing.gaussian else (-added, 0)
    return tuple(sorted({max(1, round(crossing.centre + place)) for place in places}))


def queries_per_key(mechanism: Mechanism, *, whole_sessions: bool) -> int:
    """How many queries in a row a person asks for one key: two for pairs; of sessions two, or one more than
    count.
    """
    first = mechanism.plan[0]
    if isinstance(first.artifact, Sequences) and isinstance(first.bound, SessionCut):
        return first.bound.queries + 1 if whole_sessions else 2
    return 2 if any(plan.name == "pairs" for plan in mechanism.plan) else 1


def words_of(mechanism: Mechanism) -> int:
    """How many words a query of the audit has: two where pairs of words are counted."""
    return 2 if any(plan.name == "word_pairs" for plan in mechanism.plan) else 1
