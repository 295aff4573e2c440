"""What a mechanism counts of each person, as far as an attacker can tell: all or the first d, impressions or different queries, or a bounded sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.types import Ints


def contributions(truth: Impressions, ids: Ints, counts: Ints, label: Any) -> Any:
    """Users by queries: of all ways that fit the label the one that explains the published counts best."""
    from crowdlog.mechanisms import parse

    d, budget = label["implementation"]["settings"].get("d"), getattr(parse(label["crowdlog"]["mechanism"]), "budget", None)
    options = [truth.profile, _distinct(truth.profile)]
    if d is not None:
        first = truth.nth_impression < d
        options.append(count_matrix(truth.user[first], truth.query[first], truth.profile.shape))
        options.append(_first_distinct(truth, int(d)))
    if budget is not None:
        options.append(_bounded(truth.profile, ids, budget))
    return min(options, key=lambda own: float(np.abs(counts - np.asarray(own.sum(axis=0)).ravel()[ids]).sum()))


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
    """The published queries of each user, less of all when the sum of their squares is above the budget: what is left on average, about."""
    shown = np.zeros(profile.shape[1])
    shown[ids] = 1
    kept = profile.multiply(shown[None, :]).tocsr()
    squares = np.asarray(kept.multiply(kept).sum(axis=1), float).ravel()
    return kept.multiply(np.minimum(1, np.sqrt(budget / np.maximum(squares, 1)))[:, None]).tocsr()
