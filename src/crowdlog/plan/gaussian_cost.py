"""What the Gaussian noise of a plan costs: selections by weights and counts are one Gaussian mechanism, whose
μ² is the sum of theirs; keys that one person alone has are added to δ (proofs/crowd.md, proofs/ladder.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from crowdlog.artifacts.breakdowns import Breakdown
from crowdlog.plan.selections import GradedRounds, WeightedRounds
from crowdlog.plan.table import RowNoise, TablePlan
from crowdlog.privacy.gaussian import gaussian_delta
from crowdlog.privacy.rounded_gaussian import RoundedGaussian
from crowdlog.privacy.rounding import sum_up
from crowdlog.privacy.selection.adaptive_gaussian import in_noise
from crowdlog.privacy.selection.own_size import OwnSizes, Part, cost, dearest


def gaussian_cost(tables: Sequence[TablePlan], epsilon: float) -> float:
    """The least δ at this ε, of the person for whom it is largest: 0 without any such noise, 1 where no ε is
    left for it.

    Tables whose graded rounds are equal are taken for one selection, since a plan does not say which share
    one: the δ may be larger than this, never smaller.
    """
    weighted = [plan.selection for plan in tables if isinstance(plan.selection, WeightedRounds)]
    graded = {plan.selection.mu for plan in tables if isinstance(plan.selection, GradedRounds)}
    mu = math.sqrt(sum(each**2 for each in graded) + sum(_counting(tables)))
    if mu == 0 and not weighted:
        return 0.0
    if epsilon <= 0:
        return 1.0
    noise = _by_size(weighted, mu, epsilon) if weighted else gaussian_delta(epsilon, mu)
    return min(1.0, sum_up([noise, *_open_keys(tables, epsilon)]))


def _by_size(weighted: Sequence[WeightedRounds], mu: float, epsilon: float) -> float:
    """The δ of weighted selections beside other noise of this μ, of the size of a person that costs most."""
    own = {one.own or OwnSizes((one.method.items_per_user,), (1.0,)) for one in weighted}
    if len(own) > 1:
        return 1.0  # one person would have two sizes in one release: no proof covers that
    (sizes,) = own
    parts = tuple(Part(one.mu / sizes.largest, in_noise(one.threshold, one.mu)) for one in weighted)
    return cost(epsilon, parts, mu, *dearest(epsilon, parts, mu, sizes))


def _open_keys(tables: Sequence[TablePlan], epsilon: float) -> Iterator[float]:
    """Of graded rounds: what keys cost that one person alone has, once for all tables of the same rounds."""
    rounds = {
        (chosen.mu, chosen.threshold, chosen.method.items_per_user)
        for chosen in (plan.selection for plan in tables)
        if isinstance(chosen, GradedRounds) and chosen.tail > 0
    }
    for mu, threshold, items in rounds:
        yield Part(mu, in_noise(threshold, mu)).own_keys(items, 1.0, epsilon)


def _counting(tables: Sequence[TablePlan]) -> Iterator[float]:
    """The μ² of the counts of each table. Noise that differs from row to row is that of all tables."""
    for plan in tables:
        if isinstance(plan.noise, RoundedGaussian):
            squares = plan.artifact.vectors if isinstance(plan.artifact, Breakdown) else plan.reach.squares
            yield squares / plan.noise.sd**2
    yield from {plan.noise.mu**2 for plan in tables if isinstance(plan.noise, RowNoise)}
