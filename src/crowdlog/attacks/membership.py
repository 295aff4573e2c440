"""Membership inference: is she in the log?

The attacker knows the mechanism, everybody else's queries and hers, and sees one release of a log.

Where all noise is Gaussian and some hundred runs of the mechanism are affordable, a tenth of the people play
in each, and the attacker knows the coins of all others. Such games are not independent of each other, but
runs are: how certain a figure is follows from the runs' own shares of right guesses.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr

from crowdlog.artifacts.query_file import ORIGINAL
from crowdlog.attacks import histogram_games, weighted_games
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.histogram_games import HistogramGames
from crowdlog.attacks.ladder_games import LadderGames, learnt_factors
from crowdlog.attacks.likelihood import Likelihood
from crowdlog.attacks.log_without import LogWithout
from crowdlog.attacks.result import AttackResult, nothing
from crowdlog.attacks.user_counts import user_counts
from crowdlog.attacks.weighted_games import WeightedGames
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch
from crowdlog.measure.intervals import CONFIDENCE, Interval, clopper_pearson, mean_interval
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.release.label import Label
from crowdlog.types import Bools, Floats, Ints

GAMES = 500  # on a large log, which is read anew for each run: the interval is about 4.5 points each way
MANY_GAMES = 100_000
EXACT_GAMES = 30  # enough where counts are exact: all right is then far above chance
# a mechanism that uses up its promise lies on the bound: one in 40 would be above it at 95 %, here one in
# 10,000 is
ALARM = 0.9998
RUNS = 40  # of the mechanism at most
MANY_RUNS = (
    200  # from here on more is learnt from runs with many targets than from games that are independent
)
# of logs that are protected for the games at most: a large log has many targets for each run, a small one is
# quick
ROWS = 10_000_000


def membership(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """Right guesses, beside ½. A promise of (ε, δ) admits (e^ε + δ)/(e^ε + 1): only more than that breaks it.

    For every target a coin decides whether she is in the log; the mechanism is run on that log, with fresh
    noise each time.
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
        played = _games(label, own, ids, noise, truth, attacker)
    except InputError as error:
        return nothing("membership", f"The mechanism cannot be run again: {error}")
    allowed, accounted, interval = _allowed(label), _accounted(label), played.interval()
    details = {"trials": played.games, "runs of the mechanism": played.runs, "the promise admits": allowed}
    if accounted < allowed:
        details["the accounting admits"] = accounted
    return AttackResult(
        "membership",
        played.share,
        0.5,
        interval,
        played.surely_above(min(allowed, accounted)) or played.counts_surely_above(),
        details | played.of_counts(),
        _remark(interval, allowed),
    )


@dataclass(frozen=True)
class Played:
    """Who was guessed right in each run of the mechanism; and the same for its counts alone, where they are a
    mechanism of their own, with what that admits.
    """

    right: list[Bools]
    runs: int
    shared: bool = False  # targets of one run may share published queries
    by_counts: Bools | None = None
    counts_admit: float = 1.0

    @property
    def games(self) -> int:
        return sum(map(len, self.right))

    @property
    def share(self) -> float:
        return float(np.concatenate(self.right).mean())

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Of the share. Games that share queries are right or wrong together: whole runs are what counts."""
        if self.shared:
            return mean_interval(np.array([run.mean() for run in self.right]), confidence)
        return _exact(np.concatenate(self.right), confidence)

    def surely_above(self, allowed: float) -> bool:
        return self.interval(ALARM)[0] > allowed

    def counts_surely_above(self) -> bool:
        return self.by_counts is not None and _exact(self.by_counts, ALARM)[0] > self.counts_admit

    def of_counts(self) -> dict[str, float]:
        if self.by_counts is None:
            return {}
        return {
            "trials on counts alone": len(self.by_counts),
            "right on counts alone": float(self.by_counts.mean()),
            "counts alone admit": self.counts_admit,
        }


def _exact(right: Bools, confidence: float) -> Interval:
    return clopper_pearson(int(right.sum()), len(right), confidence)


def _games(
    label: Label, own: Any, ids: Ints, noise: Likelihood, truth: Impressions, attacker: Attacker
) -> Played:
    mechanism = _of_queries(label)
    mechanism.check_inputs()
    plan = next(plan for plan in mechanism.plan if plan.name == "queries")
    rng, gaussian = attacker.rng(), _accounted(label) < 1
    if histogram_games.fits(mechanism, plan):
        targets = apart(own, rng)
        histogram = HistogramGames.of(plan, truth, ids)
        played = histogram.play(targets, histogram_games.GAMES, noise, rng, attacker.randomness)
        return Played([played], len(played) // len(targets))
    if weighted_games.fits(mechanism, plan):
        return _weighted(WeightedGames.of(mechanism, plan, truth.store), own, ids, noise, attacker, gaussian)
    if isinstance(mechanism, Ladder) and mechanism.representation == ORIGINAL:
        return _climbing(mechanism, own, ids, noise, truth, attacker)
    return _whole(mechanism, own, ids, noise, truth, attacker, gaussian)


def _climbing(
    mechanism: Ladder, own: Any, ids: Ints, noise: Likelihood, truth: Impressions, attacker: Attacker
) -> Played:
    """A ladder climbs anew in each run."""
    rng, right = attacker.rng(), list[Bools]()
    with LadderGames(mechanism, truth.store) as games:
        runs = games.affordable()
        shared = runs >= MANY_RUNS
        enough = MANY_GAMES if shared else GAMES

        def choose() -> tuple[Ints, Bools]:
            targets = together(own, rng, -(-enough // runs)) if shared else apart(own, rng)
            return targets, rng.random(len(targets)) < 0.5

        def absent() -> Ints:
            targets, inside = choose()
            return targets[~inside]

        factor = learnt_factors(games, truth, absent, attacker.randomness)[ids]
        while len(right) < runs and sum(map(len, right)) < enough:
            targets, inside = choose()
            found = games.shown_without(targets[~inside], truth.texts.find, attacker.randomness)
            shown, sd = found.count[ids] / factor, found.noise[ids] / factor
            right.append(play(own, shown, targets, inside, noise, rng, sd))
    return Played(right, len(right), shared)


def _whole(
    mechanism: Mechanism,
    own: Any,
    ids: Ints,
    noise: Likelihood,
    truth: Impressions,
    attacker: Attacker,
    gaussian: bool,
) -> Played:
    """The whole mechanism is run on one log after another."""
    rng, runs = attacker.rng(), min(RUNS, max(2, ROWS // len(truth.user)))
    shared = gaussian and runs >= MANY_RUNS
    enough = MANY_GAMES if shared else GAMES if noise.any else EXACT_GAMES
    right = list[Bools]()
    with Scratch("membership") as folder:
        worlds = LogWithout(truth.store, folder)
        while len(right) < runs and sum(map(len, right)) < enough:
            targets = together(own, rng, -(-enough // runs)) if shared else apart(own, rng)
            inside = rng.random(len(targets)) < 0.5
            table = mechanism.protect(worlds.without(targets[~inside]), attacker.randomness).tables["queries"]
            right.append(play(own, _shown(table, ids, truth), targets, inside, noise, rng))
    return Played(right, len(right), shared)


def _weighted(
    games: WeightedGames, own: Any, ids: Ints, noise: Likelihood, attacker: Attacker, gaussian: bool
) -> Played:
    rng, randomness, runs = attacker.rng(), attacker.randomness, games.affordable()
    shared = gaussian and runs >= MANY_RUNS
    each = -(-MANY_GAMES // runs)
    right = games.play(
        runs,
        lambda: together(own, rng, each) if shared else apart(own, rng),
        lambda shown, targets, inside: play(own, shown[ids], targets, inside, noise, rng),
        rng,
        randomness,
    )
    admit = games.counts_admit()
    if admit is None:
        return Played(right, len(right), shared)
    counts = games.play_counts(ids, apart(own, rng, by_counts=True), rng, randomness)
    return Played(right, len(right), shared, counts, admit)


def _of_queries(label: Label) -> Mechanism:
    """The mechanism that made the table of queries."""
    from crowdlog.mechanisms import parse

    made = map(parse, label.mechanisms)
    return next(mechanism for mechanism in made if any(plan.name == "queries" for plan in mechanism.plan))


def together(own: Any, rng: np.random.Generator, most: int) -> Ints:
    """So many people at most, and a tenth of all, those with most published queries: the log without half of
    them is still much like the log.
    """
    order = _exposed(own, np.diff(own.indptr), rng)
    return order[: max(1, min(most, own.shape[0] // 10))]


def apart(own: Any, rng: np.random.Generator, *, by_counts: bool = False) -> Ints:
    """People of whom no two have a published query in common, those with most published queries first; or
    those whose counts of them are largest, by the sum of squares.
    """
    first = np.asarray(own.multiply(own).sum(axis=1), float).ravel() if by_counts else np.diff(own.indptr)
    used, chosen = np.zeros(own.shape[1], bool), []
    for user in _exposed(own, first, rng):
        mine = own.indices[own.indptr[user] : own.indptr[user + 1]]
        if not used[mine].any():
            used[mine] = True
            chosen.append(user)
            if used.all():
                break
    return np.array(chosen, np.int64)


def _exposed(own: Any, by: Floats | Ints, rng: np.random.Generator) -> Ints:
    """Who has a published query, the largest first; ties in random order."""
    order: Ints = np.lexsort((rng.random(own.shape[0]), -by))
    return order[: np.count_nonzero(np.diff(own.indptr))]


def _shown(table: Any, ids: Ints, truth: Impressions) -> Floats:
    """The count of each of these queries in a table; NaN where it is not published."""
    counts = np.full(truth.queries + 1, np.nan)
    # texts that the log does not have go to the last place
    counts[truth.texts.find(table["query"])] = table["count"].to_numpy()
    counts[-1] = np.nan
    shown: Floats = counts[ids]
    return shown


def play(
    own: Any,
    shown: Floats,
    targets: Ints,
    inside: Bools,
    noise: Likelihood,
    rng: np.random.Generator,
    sd: Floats | None = None,
) -> Bools:
    """Which guesses are right: 'in' where what is published is more likely with her than without; a tie is
    decided by a coin. Who else of the targets is in the log is known. `sd`: of the noise of each query, where
    they differ.
    """
    rows = own[targets].astype(float)
    row = np.repeat(np.arange(len(targets)), np.diff(rows.indptr))
    there = inside[row]
    absent = np.bincount(rows.indices, np.where(there, 0.0, rows.data), own.shape[1])
    everybody = np.asarray(own.sum(axis=0), float).ravel()
    others = (everybody - absent)[rows.indices] - np.where(there, rows.data, 0.0)
    each = 1.0 if sd is None else np.where(np.isnan(sd), 1.0, sd)[rows.indices]
    total = np.bincount(row, noise.evidence(rows.data, others, shown[rows.indices], each), len(targets))
    guesses: Bools = np.where(total == 0, rng.random(len(targets)) < 0.5, (total > 0) == inside)
    return guesses


def _allowed(label: Label) -> float:
    """The best share of right guesses that the promise admits."""
    promised = label.promise.guarantee
    if not promised.protects:
        return 0.5
    epsilon, delta = promised.epsilon, promised.delta
    return float(min(1.0, (1 + delta * math.exp(-epsilon)) / (1 + math.exp(-epsilon))))


def _accounted(label: Label) -> float:
    """The same by what the label accounts for, where that is Gaussian noise and what is added to δ; else 1.

    Gaussian noise of μ moves the chance of any event by at most 2Φ(μ/2) − 1, and the rest by its own chance.
    """
    mu, tail = 0.0, 0.0
    for step in label.promise.accounting:
        if step.get("step") not in ("gaussian", "tail"):
            return 1.0
        mu, tail = math.hypot(mu, step.get("mu", 0.0)), tail + step.get("delta", 0.0)
    return float(min(1.0, ndtr(mu / 2) + tail / 2)) if mu else 1.0


def _remark(interval: Interval, allowed: float) -> str:
    if not 0.5 < interval[0] <= allowed:
        return ""
    return f"Better than chance, within what the promise admits: {allowed:.1%} right guesses."
