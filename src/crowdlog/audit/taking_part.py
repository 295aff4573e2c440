"""Audits of a selection by people who take part by lot (`SampledThreshold`): there is no noise added to a
count, so what the other audits ask of noise is asked here of the draws.

Made-up counts stand in the place of a log: the mechanism's own `decide` draws. What members of a collection
draw is audited too, with the function that clients call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.audit.answers import decided
from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.delta import BITS, delta_bound
from crowdlog.audit.epsilon import epsilon_bound
from crowdlog.audit.events import codings
from crowdlog.audit.finding import Finding
from crowdlog.audit.neighbours import Shape
from crowdlog.audit.sampling import Shown
from crowdlog.audit.shrink import replaced
from crowdlog.audit.synthetic_logs import SyntheticLogs, WorldLayout
from crowdlog.crowd.shuffle import sampled
from crowdlog.errors import InputError
from crowdlog.plan.decide import KeyHistories, TableCounts, by_counts
from crowdlog.plan.selections import SampledThreshold
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

PLACES = (-2.0, -1.0, 0.0, 1.0, 2.0)  # crowds tried, in standard deviations from the threshold
WORLDS = 4000  # of each crowd and run
MEMBERS = 300  # worlds in which clients draw: each draw is a call
# at which a δ of some per cent is seen: few people, each of whom matters
SMALL_K, SMALL_SAMPLING = 3, 300_000
EXPECTED = 20.0  # draws expected in a bin of χ² at least


@dataclass(frozen=True)
class MadeUpCounts:
    """So many people behind each key; nothing else is known of them."""

    users: Ints

    def counts(self, _plan: TablePlan, _randomness: Randomness) -> TableCounts:
        return TableCounts(np.arange(len(self.users)), self.users, self.users)

    def histories(self, _plan: TablePlan, _shown: Ints | None) -> KeyHistories:
        raise TypeError("keys of people who take part by lot are chosen by counts")

    def artifacts_per_user(self, _plan: TablePlan) -> Ints:
        raise TypeError("keys of people who take part by lot are chosen by counts")


def takes_part_by_lot(mechanism: Mechanism) -> bool:
    return bool(mechanism.plan) and isinstance(mechanism.plan[0].selection, SampledThreshold)


def audit_taking_part(
    mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness, runs: int, alpha: float
) -> list[Finding]:
    """Every audit, by the same names as those of other selections."""
    (plan,) = mechanism.plan
    selection = plan.selection
    if not isinstance(selection, SampledThreshold):
        raise InputError("Only tables of people who take part by lot are audited this way.")
    few = {"k": SMALL_K, "p": SMALL_SAMPLING / 1e6, "d": min(2, selection.d), "epsilon": 1.0, "delta": 0.1}
    small = replaced(mechanism, few)
    return [
        _closed_form(selection, mechanism.promise().guarantee.delta),
        _replay(mechanism, logs),
        _source(mechanism),
        *_draws("log", selection, _decided(mechanism), randomness, WORLDS, alpha),
        *_draws("members", selection, _by_members(selection), randomness, MEMBERS, alpha),
        *_neighbours(small, randomness, runs, alpha),
    ]


Drawer = Callable[[int, int, "Randomness"], Ints]  # people, worlds: the published count of each, or 0


def _decided(mechanism: Mechanism) -> Drawer:
    def draw(people: int, worlds: int, randomness: Randomness) -> Ints:
        kept = decided(mechanism, MadeUpCounts(np.full(worlds, people)), randomness)
        (table,) = kept.values()
        found = np.zeros(worlds, np.int64)
        found[table.key] = table.count
        return found

    return draw


def _by_members(selection: SampledThreshold) -> Drawer:
    """As in a collection: clients draw, the aggregation server compares."""
    there = replace(selection, by_people=True)

    def draw(people: int, worlds: int, randomness: Randomness) -> Ints:
        sent = [len(sampled(range(people), selection.millionths, randomness)) for _ in range(worlds)]
        counts = TableCounts(np.arange(worlds), np.array(sent), np.array(sent))
        kept = by_counts(_plan_of(there), counts, randomness)
        found = np.zeros(worlds, np.int64)
        found[kept.key] = kept.count
        return found

    return draw


def _plan_of(selection: SampledThreshold) -> TablePlan:
    from crowdlog.artifacts.kinds import Artifact
    from crowdlog.plan.bounds import RandomKeys

    return TablePlan(Artifact(), "users", RandomKeys(selection.d), selection, None)


def _closed_form(selection: SampledThreshold, promised: float) -> Finding:
    """δ of one key summed term by term in long arithmetic, of K − 1 to 6K others."""
    import mpmath

    with mpmath.workprec(BITS):
        p, e = mpmath.mpf(selection.millionths) / 10**6, mpmath.exp(mpmath.mpf(selection.epsilon))
        worst = max(float(_excess(n, p, e, selection.K)) for n in range(selection.K - 1, 6 * selection.K))
    meaning = f"One key alone needs δ = {worst:.3g} at this ε; {promised:.3g} is promised for all of hers."
    return Finding("closed form", "one key, real parameters", promised, worst, worst > promised, meaning)


def _excess(n: int, p: Any, e: Any, K: int) -> Any:
    """The larger of both directions: what one log makes likelier than e^ε times the other does."""
    import mpmath

    def law(people: int) -> list[Any]:
        chances = [mpmath.binomial(people, s) * p**s * (1 - p) ** (people - s) for s in range(K, n + 2)]
        return [1 - mpmath.fsum(chances), *chances]

    more, less = law(n + 1), law(n)
    added = mpmath.fsum(a - e * b for a, b in zip(more, less, strict=True) if a > e * b)
    removed = mpmath.fsum(b - e * a for a, b in zip(more, less, strict=True) if b > e * a)
    return max(added, removed)


def _replay(mechanism: Mechanism, logs: SyntheticLogs) -> Finding:
    """How many counts one person moves, who has three times as many keys as count."""
    (plan,) = mechanism.plan
    d = int(plan.bound.keys)
    layout = WorldLayout(
        (Shape("crowd and a person of many keys", 3, min(3 * d, 60), min(3 * d, 60), 2),), 20
    )
    totals = []
    for side in (False, True):
        with mechanism.open(logs.log(layout, with_person=side)) as source:
            totals.append(int(source.counts(plan, SeededRandomness(7)).users.sum()))
    moved = (totals[1] - totals[0]) / layout.worlds
    meaning = f"One person moves {moved:g} counts by one; {d} is declared."
    return Finding("replay", "a person of many keys", d, moved, moved > d, meaning)


def _source(mechanism: Mechanism) -> Finding:
    """Equal random numbers give equal tables, others give others."""
    draw = _decided(mechanism)
    people = round(mechanism.plan[0].selection.crossing.centre)  # type: ignore[union-attr]
    same, again, other = (draw(people, WORLDS, SeededRandomness(seed)) for seed in (1, 1, 2))
    alarm = not np.array_equal(same, again) or np.array_equal(same, other)
    return Finding(
        "source", "equal and other randomness", 0, float(alarm), alarm, "Draws come from the source."
    )


def _draws(
    whose: str,
    selection: SampledThreshold,
    draw: Drawer,
    randomness: Randomness,
    worlds: int,
    alpha: float,
) -> list[Finding]:
    """How often crowds are shown, the law of what is shown, and whether neighbours in a table draw alike."""
    from scipy.stats import binom

    crossing, p = selection.crossing, selection.millionths / 1e6
    found, level = [], alpha / (2 * len(PLACES))
    for place in PLACES:
        people = max(selection.K, round(crossing.centre + place * crossing.sd))
        shown = int((draw(people, worlds, randomness) > 0).sum())
        chance = selection.shown(people)
        alarm = not lower(shown, worlds, level) <= chance <= upper(shown, worlds, level)
        meaning = (
            f"{people} people are shown with probability {shown / worlds:.4g}; {chance:.4g} is declared."
        )
        found.append(
            Finding("selection", f"{whose}, {people} people", chance, shown / worlds, alarm, meaning)
        )
    people = round(crossing.centre + 8 * crossing.sd)
    taken = draw(people, worlds, randomness)
    chance = _fit(taken, lambda s: binom.sf(s - 1, people, p))
    found.append(
        Finding(
            "noise", f"{whose}, {people} people", alpha, chance, chance < alpha, "The law of the draws (χ²)."
        )
    )
    off = np.sign(taken - people * p)
    agree = abs(float((off[1:] * off[:-1]).sum())) / np.sqrt(len(off))
    bound = float(np.sqrt(2 * np.log(2 / alpha)))
    meaning = (
        f"Signs of neighbours agree {agree:.2g} standard deviations from chance; {bound:.2g} is allowed."
    )
    found.append(Finding("independence", whose, bound, agree, agree > bound, meaning))
    return found


def _fit(drawn: Ints, tail: Callable[[int], float]) -> float:
    """The p-value of χ² of these draws against the law whose P(S ≥ s) is `tail`."""
    from scipy.stats import chi2

    edges, last = [], 1.0
    for s in range(int(drawn.min()), int(drawn.max()) + 2):
        here = tail(s)
        if min(last - here, here) * len(drawn) >= EXPECTED:
            edges.append(s)
            last = here
    tails = np.array([1.0, *map(tail, edges), 0.0])
    expected = -np.diff(tails) * len(drawn)
    observed = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(edges) + 1)
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), max(1, len(edges))))


def _neighbours(small: Mechanism, randomness: Randomness, runs: int, alpha: float) -> list[Finding]:
    """Lower bounds on δ and ε, from crowds with and without one person of d keys."""
    promised = small.promise().guarantee
    d = int(small.plan[0].bound.keys)
    draw, found = _decided(small), []
    sizes = range(SMALL_K - 1, 4 * SMALL_K)
    for people in sizes:
        sides = [_shown(draw, people + more, d, max(2, runs), randomness) for more in (0, 1)]
        ways = codings({"keys": sides[0]}, {"keys": sides[1]}, 0)
        for way, pairs in (("added", [(b, a) for a, b in ways]), ("removed", ways)):
            where, level = f"{people} others, person {way}", alpha / (4 * len(sizes))
            delta = delta_bound(pairs, promised.epsilon, level)
            meaning = f"δ is at least {delta:.3g}; {promised.delta:.3g} is promised at these parameters."
            found.append(Finding("delta", where, promised.delta, delta, delta > promised.delta, meaning))
            epsilon = epsilon_bound(pairs, promised.delta, level)
            meaning = f"ε is at least {epsilon:.3g}; {promised.epsilon:.3g} is promised."
            found.append(
                Finding("epsilon", where, promised.epsilon, epsilon, epsilon > promised.epsilon, meaning)
            )
    return found


def _shown(draw: Drawer, people: int, d: int, runs: int, randomness: Randomness) -> Shown:
    """[run, shape, world]: how many of the d keys of a world are shown, and their sum."""
    samples: Sequence[Ints] = [draw(people, d * WORLDS, randomness).reshape(WORLDS, d) for _ in range(runs)]
    counts = np.stack(samples)
    return Shown((counts > 0).sum(axis=2)[:, None], counts.sum(axis=2)[:, None])
