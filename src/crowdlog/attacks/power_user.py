"""Power user: counts far above all others come from one heavy user, so they belong together (Feild 2013,
§3.4.2.1, example 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Ints

TOP = 20  # how many counts may stand out: a gap between small counts further down is no power user
FAR = 10  # "vastly more": ten times the next count. Table 3.1 of the source has 500 times.


def power_user(view: AttackerView, truth: Impressions, _attacker: Attacker) -> AttackResult:
    """Of the queries that stand out: how many are mostly one and the same user's?

    Chance: how many of the others are mostly somebody's.
    """
    published = view.queries(truth)
    if published is None:
        return nothing("power user", "Needs a table of queries.")
    order = np.argsort(-published[1], kind="stable")
    ids, counts = published[0][order], published[1][order]
    top = stand_out(counts)
    if not top:
        return nothing("power user", f"No published count is {FAR} times the next.")
    columns = truth.profile.tocsc()
    heaviest = int(np.argmax(np.asarray(columns[:, ids[:top]].sum(axis=1)).ravel()))
    made = np.asarray(truth.profile[[heaviest]][:, ids[:top]].todense()).ravel()
    hits = int((2 * made > _asked(columns, ids[:top])).sum())
    rest = columns[:, ids[top:]]
    chance = float((2 * rest.max(axis=0).toarray().ravel() > _asked(columns, ids[top:])).mean())
    return result_of_trials("power user", hits, top, chance, published=len(ids))


def stand_out(counts: Ints) -> int:
    """How many counts (falling) lie above the widest gap near the top, if it is wide enough; else 0."""
    positive = counts[counts > 0]
    if len(positive) < 2:
        return 0
    ratios = (positive[:-1] / positive[1:])[:TOP]
    widest = int(np.argmax(ratios))
    return widest + 1 if ratios[widest] >= FAR else 0


def _asked(columns: Any, ids: Ints) -> Ints:
    return np.asarray(columns[:, ids].sum(axis=0)).ravel()
