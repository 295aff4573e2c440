"""Counts of people who each took part with probability p, shown from a threshold on: how private that is.
Proof: proofs/nebula.md.

With n people behind a key, the number who take part is binomial. One person more makes that n + 1. Every
result is the worst over all n; what lies beyond the n that are computed is bounded by Chernoff's inequality
and Stirling's formula. All numbers are upper bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from crowdlog.errors import InputError
from crowdlog.privacy.accounting import RELATIVE_ERROR
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Floats, Hashes, Ints

MILLION = 1_000_000
# SciPy's binomial probabilities and tails are good to better than this (tests compare them with fractions)
_BINOMIAL_ERROR = 1e-9
_BLOCK = 64  # values of n looked at together at first, then twice as many each time
_MOST = 4_000_000  # values of n at most: a smaller ε than that can judge is not offered
_MOST_NEEDED = 1024  # hardly any artifact has more people
_DRAWN_TOGETHER = 4_000_000  # people: bounds memory
_STEPS = 100  # points of the curve from 0 to ε, for several keys


@dataclass(frozen=True)
class SampledCount:
    """One key: everybody behind it takes part with probability `millionths` / 1,000,000, and the number who
    did is shown if it is at least K.
    """

    millionths: int
    K: int

    def __post_init__(self) -> None:
        if not 1 <= self.millionths < MILLION or self.K < 2:
            raise InputError("Sampling needs a probability between 0 and 1 and a threshold of at least 2.")

    @property
    def p(self) -> float:
        return self.millionths / MILLION

    def delta(self, epsilon: float) -> float:
        """The δ of one key at this ε, for a person who is added or removed."""
        return max(self.with_her(epsilon), self.without_her(epsilon))

    def with_her(self, epsilon: float) -> float:
        """How much more likely than e^ε times something can be because of her: large counts."""
        edge = 1 - (1 - self.p) * math.exp(-epsilon)

        def excess(n: Ints) -> Floats:
            from scipy.stats import binom

            t = np.maximum(self.K, np.floor((n + 1) * edge) + 1)
            gained = self.p * binom.pmf(t - 1, n, self.p) * (1 + _BINOMIAL_ERROR)
            paid = math.expm1(epsilon) * binom.sf(t - 1, n, self.p) * (1 - _BINOMIAL_ERROR)
            return np.asarray(gained - paid)

        return self._worst(excess, edge)

    def without_her(self, epsilon: float) -> float:
        """How much more likely than e^ε times something can be because she is missing: small counts, and
        nothing shown.
        """
        edge = 1 - (1 - self.p) * math.exp(epsilon)
        if edge <= 0:  # she was not drawn with probability 1 − p: nothing is 1/(1 − p) times as likely
            return 0.0

        def excess(n: Ints) -> Floats:
            from scipy.stats import binom

            t = np.maximum(self.K - 1, np.ceil((n + 1) * edge) - 1)
            gained = math.exp(epsilon) * self.p * binom.pmf(t, n, self.p) * (1 + _BINOMIAL_ERROR)
            paid = math.expm1(epsilon) * binom.cdf(t, n, self.p) * (1 - _BINOMIAL_ERROR)
            return np.asarray(gained - paid)

        return self._worst(excess, edge, 1 / (1 - self.p))  # and e^ε is less than that: the edge is positive

    def _worst(self, excess: Callable[[Ints], Floats], edge: float, factor: float = 1.0) -> float:
        """The largest over all n from K − 1 on; those that are not looked at are bounded."""
        if _divergence(edge, self.p) * 2 * _MOST < 0.5:  # Chernoff's bound on them stays above a half
            return 1.0
        worst, start, block = 0.0, self.K - 1, _BLOCK
        while start < _MOST:
            worst = max(worst, float(excess(np.arange(start, start + block)).max()))
            start += block
            block *= 2
            if start * edge >= self.K and factor * self._beyond(start, edge) <= worst:
                return min(worst, 1.0)
        return min(max(worst, factor * self._beyond(start, edge)), 1.0)

    def _beyond(self, n: int, edge: float) -> float:
        """No n from here on exceeds this: it falls with n (claim 2 of the proof)."""
        chernoff = math.exp(-_divergence(edge, self.p) * n)
        low, high = edge - 2 / n, edge + 2 / n  # the share that is looked at, wherever it was rounded to
        if low <= 0 or high >= 1:
            return chernoff
        nearest = max(low, self.p) if edge > self.p else min(high, self.p)
        spread = 2 * math.pi * n * min(low * (1 - low), high * (1 - high))
        return min(chernoff, self.p * math.exp(-_divergence(nearest, self.p) * n) / math.sqrt(spread))


@cache
def sampled_delta(millionths: int, K: int, d: int, epsilon: float) -> float:
    """The δ at this ε where one person has up to d keys, each drawn by itself."""
    one = SampledCount(millionths, K)
    alone = one.delta(epsilon)
    if d == 1 or alone == 1:  # nothing is promised of one key: no grid of losses makes that better
        return alone
    return max(_composed(way, d, epsilon) for way in (one.with_her, one.without_her))


def _composed(delta: Callable[[float], float], d: int, epsilon: float) -> float:
    """δ at ε of d independent keys whose curve of δ is no worse than this one.

    The distribution of the privacy loss on a grid from 0 to ε (Doroshenko et al. 2022, algorithm 1; what
    exceeds ε counts as infinite), d times convolved. All terms are positive, so that sums lose nothing.
    """
    step = epsilon / _STEPS
    curve = np.array(_curve(delta, epsilon))
    falls = -np.diff(curve)
    loss = np.concatenate([[1 - curve[0]], falls / -math.expm1(-step)])
    loss[:-1] -= falls / math.expm1(step)
    whole = np.ones(1)
    for _ in range(d):
        whole = np.convolve(whole, np.maximum(loss, 0))
    beyond = whole[_STEPS + 1 :]
    over = float(beyond @ -np.expm1(-step * np.arange(1, len(beyond) + 1)))
    never = -math.expm1(d * math.log1p(-curve[-1]))
    return min(1.0, (over + never) * (1 + RELATIVE_ERROR))


@cache
def smallest_sampled_threshold(millionths: int, d: int, epsilon: float, delta: float) -> int:
    """The smallest threshold with which d keys of one person cost no more than this δ."""
    # One key costs no more than d, and is quickly judged: what cannot be had is refused without composing.
    refused = SampledCount(millionths, _MOST_NEEDED).delta(epsilon) > delta
    low, high = 1, 2
    while refused or sampled_delta(millionths, high, d, epsilon) > delta:
        low, high = high, 2 * high
        if refused or high > _MOST_NEEDED:
            raise InputError(
                f"No threshold up to {_MOST_NEEDED} makes sampling so private; choose a smaller probability "
                "or fewer artifacts of each person, or a larger ε or δ."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if sampled_delta(millionths, middle, d, epsilon) <= delta else (middle, high)
        )
    return high


def _curve(delta: Callable[[float], float], epsilon: float) -> list[float]:
    """δ at 0, one step, … ε. At 0 it is that of the first step and what e^step hides."""
    step = epsilon / _STEPS
    later = [delta(step * place) for place in range(1, _STEPS + 1)]
    return [min(1.0, later[0] + math.expm1(step)), *np.maximum.accumulate(later[::-1])[::-1].tolist()]


def draw_participants(people: Ints, millionths: int, least: int, randomness: Randomness) -> Ints:
    """For each number of people how many of them take part, each by a draw of her own. Where there are fewer
    than `least`, nobody is drawn: so few are not shown whatever comes.
    """
    drawn = np.zeros(len(people), np.int64)
    places = np.flatnonzero(people >= least)
    parts = np.cumsum(people[places]) // _DRAWN_TOGETHER
    for part in np.unique(parts):
        here = places[parts == part]
        ends = np.cumsum(people[here])
        took_part = _below_million(int(ends[-1]), randomness) < millionths
        drawn[here] = np.add.reduceat(took_part, np.concatenate([[0], ends[:-1]]), dtype=np.int64)
    return drawn


def _below_million(n: int, randomness: Randomness) -> Hashes:
    """n uniform numbers below 1,000,000: the integer part of a fraction of 32 bits times a million, drawn
    again where the rest falls on the 2^32 mod 1,000,000 surplus values (Lemire 2019).
    """
    found = np.empty(0, np.uint64)
    while len(found) < n:
        more = np.frombuffer(randomness.bytes(4 * (n - len(found) + 8)), "<u4").astype(np.uint64) * MILLION
        found = np.concatenate([found, more[more % 2**32 >= 2**32 % MILLION] >> np.uint64(32)])
    return found[:n]


def published_delta(p: float, K: int, epsilon: float) -> float:
    """The δ of one key as published for sampling and a threshold (Bharadwaj and Cormode 2022, theorem 1)."""
    share = p / -math.expm1(-epsilon)
    return math.exp(-K * (math.log(1 / share) - 1 / (1 + share))) if share < 1 else 1.0


def _divergence(a: float, p: float) -> float:
    """Kullback and Leibler's divergence of two coins; a of 1 is a sure one."""
    sure = a * math.log(a / p) if a > 0 else 0.0
    return sure + ((1 - a) * math.log((1 - a) / (1 - p)) if a < 1 else 0.0)
