"""What a mechanism counts of each person, as far as an attacker can tell: all or the first d, impressions or
different queries, or a bounded sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.plan.bounds import FirstKeys, FirstOccurrences, RandomKeys, RandomOccurrences, SquaredBudget
from crowdlog.plan.table import TablePlan
from crowdlog.types import Ints


def user_counts(truth: Impressions, ids: Ints, counts: Ints, plan: TablePlan) -> Any:
    """Users by queries, as the plan bounds them.

    A choice by lot cannot be known: of the ways to guess it the one that fits the counts best.
    """
    match plan.bound:
        case SquaredBudget(budget):
            return _bounded(truth.profile, ids, budget)
        case FirstOccurrences(d):
            first = truth.nth_impression < d
            own = count_matrix(truth.user[first], truth.query[first], truth.profile.shape)
            return _distinct(own) if plan.counts == "users" else own
        case FirstKeys(d):
            return _first_distinct(truth, d)
        case RandomOccurrences(d) | RandomKeys(d):
            options = [truth.profile, _distinct(truth.profile), _first_distinct(truth, d)]
            return min(
                options,
                key=lambda own: float(np.abs(counts - np.asarray(own.sum(axis=0)).ravel()[ids]).sum()),
            )
    return _distinct(truth.profile) if plan.counts == "users" else truth.profile


def fixed_counts(truth: Impressions, plan: TablePlan) -> tuple[Any, Any]:
    """Impressions and people, users by queries, of a bound that takes the same rows of each user whoever else
    is in the log.
    """
    match plan.bound:
        case FirstOccurrences(d):
            first = truth.nth_impression < d
            own = count_matrix(truth.user[first], truth.query[first], truth.profile.shape)
        case FirstKeys(d):
            own = _first_distinct(truth, d)
        case _:
            own = truth.profile
    return own, _distinct(own)


def _distinct(matrix: Any) -> Any:
    once = matrix.copy()
    once.data[:] = 1
    return once


def _first_distinct(truth: Impressions, d: int) -> Any:
    """The first d different queries of each user."""
    _keys, first = np.unique(pack(truth.user, truth.query), return_index=True)
    first.sort()
    user = truth.user[first]
    nth = np.arange(len(user)) - np.searchsorted(user, user)
    return count_matrix(user[nth < d], truth.query[first][nth < d], truth.profile.shape)


def _bounded(profile: Any, ids: Ints, budget: int) -> Any:
    """The published queries of each user, less of all when the sum of their squares is above the budget: what
    is left on average, about.
    """
    shown = np.zeros(profile.shape[1])
    shown[ids] = 1
    kept = profile.multiply(shown[None, :]).tocsr()
    squares = np.asarray(kept.multiply(kept).sum(axis=1), float).ravel()
    return kept.multiply(np.minimum(1, np.sqrt(budget / np.maximum(squares, 1)))[:, None]).tocsr()
