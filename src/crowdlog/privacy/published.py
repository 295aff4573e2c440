"""The papers' own formulas, with real-valued noise, as printed (`as_published`).

Plain floats: for comparison, never for a promise.

What holds of them, and what does not, is in proofs/threshold.md; thresholds.py has the versions that are
used.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class PublishedThreshold:
    """Noise scale b, threshold k and raw filter: keep keys with more than k_raw people before the noise."""

    b: float
    k: float
    k_raw: int = 0


def alpha(b: float, K: float, p_g: float = 1.0) -> float:
    """Korolova et al.

    2009, Lemma 1; with p_g < 1 Zhang's A_Click, equation 3.4: the most one query changes the odds of a
    selection.
    """
    return max(math.exp(1 / b) / p_g, 1 + 1 / (2 * math.exp((K - 1) / b) - 1))


def korolova(d: int, b: float, K: float) -> tuple[float, float]:
    """(ε, δ) of selecting queries: d·ln α and (d/2)·e^((d−K)/b)."""
    return d * math.log(alpha(b, K)), d / 2 * math.exp((d - K) / b)


def dp_a(epsilon: float, delta: float, d: int) -> PublishedThreshold:
    """Korolova et al.'s optimal setting, which is Feild's DP_a (B.1, B.2)."""
    return PublishedThreshold(d / epsilon, d * (1 - math.log(2 * delta / d) / epsilon))


def dp_u(epsilon: float, delta: float, d: int) -> PublishedThreshold:
    """Feild's DP_u (B.10): people instead of impressions are counted for the selection."""
    return PublishedThreshold(d / epsilon, 1 - d * math.log(2 * delta / d) / epsilon)


def zealous_indistinguishable(epsilon: float, delta: float, d: int) -> PublishedThreshold:
    """ZEALOUS as (ε, δ)-indistinguishability (Feild, B.3 to B.5)."""
    return PublishedThreshold(2 * d / epsilon, d * (1 - math.log(2 * delta / d) / epsilon), k_raw=1)


def zealous_probabilistic(epsilon: float, delta: float, d: int, users: int) -> PublishedThreshold:
    """ZEALOUS as (ε, δ)-probabilistic differential privacy (Feild, end of Appendix B), with the smallest
    noise and threshold.
    """
    b = 2 * d / epsilon
    k_raw = math.ceil(b)
    return PublishedThreshold(
        b,
        k_raw + max(-b * math.log(2 - 2 * math.exp(-1 / b)), -b * math.log(2 * delta * k_raw / (users * d))),
        k_raw,
    )


def epsilon_for(mechanism: Literal["DP_a", "DP_u"], k: float, d: int, delta: float) -> float:
    """The ε whose optimal threshold is k: B.1 or B.10 solved for ε. Feild's Table 3.3 prints it for DP_u."""
    return -d * math.log(2 * delta / d) / (k - (d if mechanism == "DP_a" else 1))


def sweep_epsilon(
    mechanism: Literal["DP_a", "DP_u"], k: float, d: int, delta: float, step: float = 0.01
) -> float:
    """The smallest ε, in steps, whose threshold is at most k. Feild's Table 3.3 prints it for DP_a."""
    settings = {"DP_a": dp_a, "DP_u": dp_u}[mechanism]
    steps = math.floor(epsilon_for(mechanism, k, d, delta) / step)
    while settings(steps * step, delta, d).k > k:
        steps += 1
    return steps * step


def a_click_epsilon(
    q_f: int, c_f: int, b: float, K: float, b_q: float, b_c: float, p_g: float = 1.0
) -> float:
    """Zhang's A_Click, Theorem 1."""
    return q_f * math.log(alpha(b, K, p_g)) + q_f / b_q + c_f / b_c


def a_click_turning_point(b: float, p_g: float = 1.0) -> float:
    """The K at which both terms of α are equal: a higher one costs queries and gains no privacy."""
    grown = math.exp(1 / b) / p_g
    return 1 + b * math.log(grown / (2 * (grown - 1)))


def session_sensitivity(l_s: int, l_q: int) -> int:
    """Subsequences of at least two queries in l_s sessions of l_q queries (Zhang, 4.4)."""
    return l_s * ((1 << l_q) - 1 - l_q)


def a_session(b: float, K: float, sensitivity: int) -> tuple[float, float]:
    """(ε, δ) of one part of Zhang's A_Session (4.5; with sensitivity l it is 4.6): selection, then counts
    with fresh noise of the same scale.
    """
    epsilon, delta = korolova(sensitivity, b, K)
    return epsilon + sensitivity / b, delta
