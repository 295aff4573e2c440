"""Whether a plan agrees with itself and with the ε and δ that are promised of it: in closed form, before
anything is read or drawn.

What is compared is a lower limit of what the plan costs: no correct plan is refused, and a plan whose noise,
threshold or bound is not the one its promise was made for costs more than it promises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from crowdlog.plan.candidates import NamedBy, OfShown, OfTheLog, Pool
from crowdlog.plan.gaussian_cost import gaussian_cost
from crowdlog.plan.selections import (
    AtLeast,
    GradedRounds,
    KeySelection,
    NoisyThreshold,
    SampledThreshold,
    WeightedRounds,
)
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.guarantee import Guarantee
from crowdlog.privacy.rounding import sum_up

# The same δ computed in another order of operations differs by less: 10⁻¹² in μ or in a threshold, times the
# steepness of the normal tail.
ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Contradiction:
    """One place of a plan that says more than another place allows."""

    where: str
    allowed: float
    declared: float
    sentence: str


@lru_cache(maxsize=256)  # a release makes its promise several times
def contradictions(tables: tuple[TablePlan, ...], promised: Guarantee) -> tuple[Contradiction, ...]:
    """Every contradiction within these plans, or between them and what is promised; none where all agree."""
    found = [one for plan in tables for one in (*_bounds(plan), *_reuse(plan), *_anonymity(plan, promised))]
    if promised.protects:
        found += [one for plan in tables for one in _unhidden(plan)]
    if promised.protects and not found:
        found += _costs(tables, promised)
    return tuple(found)


def _bounds(plan: TablePlan) -> Iterator[Contradiction]:
    """The bound on one person against the one that the selection was made for."""
    made_for: float
    match plan.selection:
        case NoisyThreshold(d=made_for, on=on):
            declared, what = plan.bound.reach(on).total, "move the counts"
        case SampledThreshold(d=made_for):
            declared, what = plan.bound.reach("users").total, "move the counts"
        case WeightedRounds(method=method) | GradedRounds(method=method) | KeySelection(method=method):
            made_for = method.items_per_user
            declared, what = plan.bound.keys, "support keys"
        case _:
            return
    if declared > made_for:
        yield Contradiction(
            f"bound of {plan.name}",
            made_for,
            declared,
            f"The bound lets one person {what} of {plan.name} by {declared:g}; their threshold was made for "
            f"{made_for:g}.",
        )


def _reuse(plan: TablePlan) -> Iterator[Contradiction]:
    """A number that is published as it was compared has the noise, and counts what, the threshold says."""
    chosen = plan.selection
    if plan.reuses_noise and not (
        isinstance(chosen, NoisyThreshold) and plan.noise == chosen.noise and plan.counts == chosen.on
    ):
        sentence = (
            f"The counts of {plan.name} are said to be the numbers that were compared with the threshold, "
            "but their noise, or what they count, is another."
        )
        yield Contradiction(f"noise of {plan.name}", 0, 1, sentence)


def _anonymity(plan: TablePlan, promised: Guarantee) -> Iterator[Contradiction]:
    """k-anonymity of queries: every key has at least k people."""
    if promised.k is None or promised.kind != "k-anonymity of queries":
        return
    chosen = plan.selection
    people = chosen.k if isinstance(chosen, AtLeast) and chosen.on == "users" else 1
    if people < promised.k:
        sentence = (
            f"At least {promised.k} people are promised behind everything that is shown; the plan of "
            f"{plan.name} shows what {people} {'has' if people == 1 else 'have'}."
        )
        yield Contradiction(f"people of {plan.name}", promised.k, people, sentence)


def _unhidden(plan: TablePlan) -> Iterator[Contradiction]:
    """What differential privacy never allows, however large ε is: exact counts, or keys that somebody has and
    that no noise hides.
    """
    chosen = plan.selection
    private = isinstance(plan.candidates, OfTheLog | OfShown) or (
        isinstance(plan.candidates, Pool | NamedBy) and plan.candidates.others
    )
    if plan.noise is None and not plan.names_only and not isinstance(chosen, SampledThreshold):
        sentence = (
            f"Differential privacy is promised, but the counts of {plan.name} are published without noise."
        )
        yield Contradiction(f"noise of {plan.name}", 0, 1, sentence)
    unnoised = chosen is None or isinstance(chosen, AtLeast)
    if private and (unnoised or (isinstance(chosen, NoisyThreshold) and chosen.public)):
        sentence = (
            f"Differential privacy is promised, but which keys of {plan.name} people have is not hidden: "
            "they come from the log, and no noise that is charged for it chooses them."
        )
        yield Contradiction(f"keys of {plan.name}", 0, 1, sentence)


def _costs(tables: Sequence[TablePlan], promised: Guarantee) -> Iterator[Contradiction]:
    """ε and δ of the whole plan against what is promised."""
    parts = [part for plan in tables for part in _promised_parts(plan)]
    epsilon = sum_up(part.epsilon for part in parts)
    if epsilon > promised.epsilon:
        yield _dearer("ε", promised.epsilon, epsilon)
    elif promised.kind != "probabilistic DP":  # its δ counts other outcomes
        delta = sum_up([*(part.delta for part in parts), gaussian_cost(tables, promised.epsilon - epsilon)])
        if delta > promised.delta * ROUNDING:
            yield _dearer("δ", promised.delta, delta)


def _dearer(symbol: str, promised: float, declared: float) -> Contradiction:
    sentence = f"The plan costs at least {symbol} = {declared:.4g}; {promised:.4g} is promised."
    return Contradiction(f"{symbol} promised", promised, declared, sentence)


def _promised_parts(plan: TablePlan) -> list[Guarantee]:
    """The parts that have an ε of their own; Gaussian noise has one only together."""
    own = [plan.selection.guarantee()] if isinstance(plan.selection, KeySelection) else []
    return [*own, *plan.guarantees()]
