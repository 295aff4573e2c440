"""Membership inference: is she in the log?

The attacker knows the mechanism, everybody else's queries and hers, and sees one release of a log.
"""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.attacks import histogram_games
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.histogram_games import HistogramGames
from crowdlog.attacks.likelihood import Likelihood
from crowdlog.attacks.log_without import LogWithout
from crowdlog.attacks.result import AttackResult, nothing
from crowdlog.attacks.user_counts import user_counts
from crowdlog.errors import InputError
from crowdlog.measure.intervals import Interval, clopper_pearson
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.base import Mechanism
from crowdlog.release.label import Label
from crowdlog.types import Bools, Floats, Ints

GAMES = 500  # where the whole mechanism is run anew: the interval is then about 4.5 points each way
EXACT_GAMES = 30  # enough where counts are exact: all right is then far above chance
# a mechanism that uses up its promise lies on the bound: one in 40 would be above it at 95 %, here one in
# 10,000 is
ALARM = 0.9998
RUNS = 40  # of the mechanism at most
# of logs that are protected for the games at most: a large log has many targets for each run, a small one is
# quick
ROWS = 10_000_000


def membership(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """Right guesses, beside ½. A promise of (ε, δ) admits (e^ε + δ)/(e^ε + 1): only more than that breaks it.

    For every target a coin decides whether she is in the log; the mechanism is run on that log, with fresh
    noise each time. No two targets of a run have a published query in common, so that one's coin says nothing
    about what is published of the other's queries.
    """
    published = view.queries(truth)
    if published is None:
        return nothing("membership", "Needs a table of queries with counts.")
    ids = published[0]
    label = next(label for label in view.labels if "queries" in label.tables)
    plan = next((plan for plan in label.plans if plan.name == "queries"), None)
    if plan is None:
        return nothing(
            "membership",
            "The label has no plan of its table of queries: another version of crowdlog wrote it.",
        )
    own = user_counts(truth, *published, plan)[:, ids].tocsr()
    own.eliminate_zeros()
    if not own.nnz:
        return nothing("membership", "Nobody has a published query.")
    noise = Likelihood.of(plan)
    try:
        right, done = _games(label, own, ids, noise, truth, attacker)
    except InputError as error:
        return nothing("membership", f"The mechanism cannot be run again: {error}")
    interval, surely, allowed = (
        clopper_pearson(sum(right), len(right)),
        clopper_pearson(sum(right), len(right), ALARM),
        _allowed(label),
    )
    details = {"trials": len(right), "runs of the mechanism": done, "the promise admits": allowed}
    return AttackResult(
        "membership",
        sum(right) / len(right),
        0.5,
        interval,
        surely[0] > allowed,
        details,
        _remark(interval, allowed),
    )


def _games(
    label: Label, own: Any, ids: Ints, noise: Likelihood, truth: Impressions, attacker: Attacker
) -> tuple[list[bool], int]:
    """Who was guessed right, and how often the mechanism was run."""
    mechanism = _of_queries(label)
    mechanism.check_inputs()
    plan = next(plan for plan in mechanism.plan if plan.name == "queries")
    if histogram_games.fits(mechanism, plan):
        rng = attacker.rng()
        targets = exposed(own, rng)
        histogram = HistogramGames.of(plan, truth, ids)
        played = histogram.play(targets, histogram_games.GAMES, noise, rng, attacker.randomness)
        return played.tolist(), len(played) // len(targets)
    games, runs = GAMES if noise.any else EXACT_GAMES, min(RUNS, max(2, ROWS // len(truth.user)))
    rng, right, done = attacker.rng(), list[bool](), 0
    with tempfile.TemporaryDirectory(prefix="crowdlog-membership-") as folder:
        worlds = LogWithout(truth.store, Path(folder))
        while done < runs and len(right) < games:
            targets = exposed(own, rng)
            inside = rng.random(len(targets)) < 0.5
            table = mechanism.protect(worlds.without(targets[~inside]), attacker.randomness).tables["queries"]
            right += play(own, _shown(table, ids, truth), targets, inside, noise, rng).tolist()
            done += 1
    return right, done


def _of_queries(label: Label) -> Mechanism:
    """The mechanism that made the table of queries."""
    from crowdlog.mechanisms import parse

    made = map(parse, label.mechanisms)
    return next(mechanism for mechanism in made if any(plan.name == "queries" for plan in mechanism.plan))


def exposed(own: Any, rng: np.random.Generator) -> Ints:
    """People of whom no two have a published query in common, those with most published queries first."""
    touched = np.diff(own.indptr)
    order = np.lexsort((rng.random(len(touched)), -touched))
    used, chosen = np.zeros(own.shape[1], bool), []
    for user in order[: np.count_nonzero(touched)]:
        mine = own.indices[own.indptr[user] : own.indptr[user + 1]]
        if not used[mine].any():
            used[mine] = True
            chosen.append(user)
            if used.all():
                break
    return np.array(chosen, np.int64)


def _shown(table: Any, ids: Ints, truth: Impressions) -> Floats:
    """The count of each of these queries in a table; NaN where it is not published."""
    counts = np.full(truth.queries + 1, np.nan)
    # texts that the log does not have go to the last place
    counts[truth.texts.find(table["query"])] = table["count"].to_numpy()
    counts[-1] = np.nan
    shown: Floats = counts[ids]
    return shown


def play(
    own: Any, shown: Floats, targets: Ints, inside: Bools, noise: Likelihood, rng: np.random.Generator
) -> Bools:
    """Which guesses are right: 'in' where what is published is more likely with her than without; a tie is
    decided by a coin.
    """
    rows = own[targets].astype(float)
    row = np.repeat(np.arange(len(targets)), np.diff(rows.indptr))
    others = np.asarray(own.sum(axis=0), float).ravel()[rows.indices] - rows.data
    total = np.bincount(row, noise.evidence(rows.data, others, shown[rows.indices]), len(targets))
    guesses: Bools = np.where(total == 0, rng.random(len(targets)) < 0.5, (total > 0) == inside)
    return guesses


def _allowed(label: Label) -> float:
    """The best share of right guesses that the promise admits."""
    promised = label.promise.guarantee
    if not promised.protects:
        return 0.5
    epsilon, delta = promised.epsilon, promised.delta
    return float(min(1.0, (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))))


def _remark(interval: Interval, allowed: float) -> str:
    if not 0.5 < interval[0] <= allowed:
        return ""
    return f"Better than chance, within what the promise admits: {allowed:.1%} right guesses."
