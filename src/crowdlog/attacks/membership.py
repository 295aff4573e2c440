"""Membership inference: the attacker knows everybody's counts and one person's queries, and guesses whether she is among the counted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.result import AttackResult, Floats, Interval, clopper_pearson, nothing
from crowdlog.attacks.truth import Ints, Truth, count_matrix, pack

if TYPE_CHECKING:
    from crowdlog.attacks.seen import Seen

TARGETS = 5000  # games played at most: the interval is then about 1.4 points each way


def membership(seen: Seen, truth: Truth, attacker: Attacker) -> AttackResult:
    """Right guesses, beside ½. A promise of (ε, δ) admits (e^ε + δ)/(e^ε + 1): only more than that breaks it.

    A coin decides whether the target is a person of the log, and the attacker knows the others, or a double of one, and the attacker knows all of
    the log and asks whether there is a second such person. So one release is enough to play both sides.
    """
    published = seen.queries(truth)
    if published is None:
        return nothing("membership", "Needs a table of queries with counts.")
    counts = np.full(truth.queries, np.nan)
    counts[published[0]] = published[1]
    own = _closest(truth, counts, seen.setting("d"))
    rng = attacker.rng()
    targets = strangers(own[:, published[0]].tocsr(), rng)
    if not len(targets):
        return nothing("membership", "Nobody has a published query.")
    inside = rng.random(len(targets)) < 0.5
    hits = int(play(own, counts, targets, inside, rng).sum())
    interval = clopper_pearson(hits, len(targets))
    allowed = _allowed(seen)
    details = {"trials": len(targets), "the promise admits": allowed}
    return AttackResult("membership", hits / len(targets), 0.5, interval, interval[0] > allowed, details, _remark(interval, allowed))


def strangers(published: Any, rng: np.random.Generator) -> Ints:
    """People of whom no two have a published query in common: the noise of a query is drawn once, so only their games are independent."""
    touched = np.diff(published.indptr)
    order = np.lexsort((rng.random(len(touched)), touched))
    used, chosen = np.zeros(published.shape[1], bool), []
    for user in order[touched[order] > 0]:
        mine = published.indices[published.indptr[user] : published.indptr[user + 1]]
        if not used[mine].any():
            used[mine] = True
            chosen.append(user)
    return np.array(chosen[:TARGETS], np.int64)


def play(own: Any, counts: Floats, targets: Ints, inside: Any, rng: np.random.Generator) -> Any:
    """Which guesses are right. Counts with the target are nearer to the published ones, or those without; a tie is decided by a coin."""
    shown = np.where(np.isnan(counts), 0, counts - np.asarray(own.sum(axis=0)).ravel())  # what the attacker cannot explain
    rows = own[targets].astype(float)
    row = np.repeat(np.arange(len(targets)), np.diff(rows.indptr))
    mine = np.where(np.isnan(counts)[rows.indices], 0, rows.data)
    unexplained = shown[rows.indices] + np.where(inside[row], mine, 0)  # of a person in the log the attacker knows the others only
    evidence = np.bincount(row, mine * unexplained - mine * mine / 2, len(targets))
    return np.where(evidence == 0, rng.random(len(targets)) < 0.5, (evidence > 0) == inside)


def _closest(truth: Truth, counts: Floats, d: float | None) -> Any:
    """What is counted of each user, as a matrix: all or the first d, impressions or different queries, whichever explains the release best."""
    options = [truth.profile, _distinct(truth.profile)]
    if d is not None:
        first = truth.nth < d
        options.append(count_matrix(truth.user[first], truth.query[first], truth.profile.shape))
        options.append(_first_distinct(truth, int(d)))
    return min(options, key=lambda own: float(np.nansum(np.abs(counts - np.asarray(own.sum(axis=0)).ravel()))))


def _distinct(matrix: Any) -> Any:
    once = matrix.copy()
    once.data[:] = 1
    return once


def _first_distinct(truth: Truth, d: int) -> Any:
    """The first d different queries of each user."""
    _keys, first = np.unique(pack(truth.user, truth.query), return_index=True)
    first.sort()
    user = truth.user[first]
    nth = np.arange(len(user)) - np.searchsorted(user, user)
    return count_matrix(user[nth < d], truth.query[first][nth < d], truth.profile.shape)


def _allowed(seen: Seen) -> float:
    """The best share of right guesses that the promises of all releases together admit."""
    if any(not label["privacy_loss"]["privacy_parameters"] for label in seen.labels):
        return 0.5
    epsilon, delta = (sum(label["privacy_loss"]["privacy_parameters"][name] for label in seen.labels) for name in ("epsilon", "delta"))
    return float(min(1.0, (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))))


def _remark(interval: Interval, allowed: float) -> str:
    return "Better than chance, within what the promise admits." if 0.5 < interval[0] <= allowed else ""
