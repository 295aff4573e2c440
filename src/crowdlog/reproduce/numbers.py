"""The published numbers, computed again.

Each row: a name, what was printed, what we get, and how far apart they may be (the last printed digit).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from crowdlog.privacy import published
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.thresholds import Threshold

LN10, AOL_DELTA = math.log(10), 1 / 657_427


@dataclass(frozen=True)
class Number:
    """One published number beside ours."""

    name: str
    expected: str
    got: float
    tolerance: float

    @property
    def ok(self) -> bool:
        return abs(float(self.expected) - self.got) <= self.tolerance

    @property
    def shown(self) -> str:
        return f"{self.got:.3e}" if "e" in self.expected else f"{self.got:.2f}"


def reproduce(which: str = "") -> list[Number]:
    """All numbers whose name contains `which`, in any case."""
    makers = (_korolova, _korolova_figure_1, _feild, _a_click, _a_session)
    return [number for maker in makers for number in maker() if which.lower() in number.name.lower()]


def _printed(name: str, expected: str, got: float, slack: float = 1.0) -> Number:
    """Right when it rounds to what was printed; `slack` last digits more or less where the source says so."""
    mantissa, _, exponent = expected.partition("e")
    digits = len(mantissa.partition(".")[2])
    return Number(name, expected, got, slack * 0.5000001 * 10.0 ** (int(exponent or 0) - digits))


def _korolova() -> Iterator[Number]:
    rows = zip(
        (1, 5, 10, 20, 40, 80, 160),
        ("5.70", "31.99", "66.99", "140.00", "292.04", "608.16", "1264.49"),
        ("0.43", "2.17", "4.34", "8.69", "17.37", "34.74", "69.49"),
        strict=True,
    )
    for d, K, b in rows:
        setting = published.dp_a(LN10, 1e-5, d)
        yield _printed(f"Korolova 2009, Table 1, d={d}: K", K, setting.k)
        yield _printed(f"Korolova 2009, Table 1, d={d}: b", b, setting.b)
    setting = published.dp_a(LN10, 1e-5, 21)
    yield _printed("Korolova 2009, §7, d=21: K", "147.4", setting.k)
    yield _printed("Korolova 2009, §7, d=21: b", "9.1", setting.b)


def _korolova_figure_1() -> Iterator[Number]:
    """Practically always above 170, practically never below 110 (d = 20): the chance to be selected, with our
    integer noise.
    """
    setting = published.dp_a(LN10, 1e-5, 20)
    threshold = Threshold(setting.b, math.floor(setting.k), 20)
    for count, expected in ((171, "1.0"), (109, "0.0")):
        yield _printed(
            f"Korolova 2009, Figure 1, d=20: chance at count {count}",
            expected,
            DiscreteLaplace(threshold.scale).tail(threshold.K - count),
        )


def _feild() -> Iterator[Number]:
    people = zip(
        (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024),
        ("1730.81", "576.94", "247.26", "115.39", "55.83", "27.47", "13.63", "6.79", "3.39", "1.69"),
        strict=True,
    )
    for k, epsilon in people:
        yield _printed(
            f"Feild 2013, Table 3.3, DP_u k={k}: ε",
            epsilon,
            published.epsilon_for("DP_u", k, 100, AOL_DELTA),
            slack=2,
        )
    for k, epsilon in zip(
        (101, 128, 256, 512, 1026), ("1730.82", "61.82", "11.10", "4.21", "1.87"), strict=True
    ):
        yield _printed(
            f"Feild 2013, Table 3.3, DP_a k={k}: ε",
            epsilon,
            published.sweep_epsilon("DP_a", k, 100, AOL_DELTA),
            slack=2,
        )


def _a_click() -> Iterator[Number]:
    # The table was printed from the unit value 0.427 rounded to 0.427: its last rows repeat that rounding.
    unit = round(published.a_click_epsilon(1, 1, 10, 10, 10, 10), 3)
    epsilons = ("0.43", "0.85", "1.71", "2.56", "3.42", "4.27", "8.54", "17.08", "34.16")
    for q_f, epsilon in zip((1, 2, 4, 6, 8, 10, 20, 40, 80), epsilons, strict=True):
        yield _printed(f"Zhang 2017, Table 3.8, q_f=c_f={q_f}: ε", epsilon, q_f * unit)
    for b, K in ((6, "8.08"), (14, "28.74"), (7, "10.26"), (7.5, "11.41"), (9.75, "16.94"), (24.75, "63.76")):
        yield _printed(
            f"Zhang 2017, Table 3.10, b={b}: turning point K", K, published.a_click_turning_point(b)
        )


def _a_session() -> Iterator[Number]:
    yield _printed(
        "Zhang 2017, §4.2: subsequences of a session of 4 queries", "11", published.session_sensitivity(1, 4)
    )
    rows = [
        (1, 10, 1, 3, "8.00", "4.95e-3"),
        (1, 20, 1, 3, "8.00", "2.25e-7"),
        (1, 30, 1, 3, "8.00", "1.02e-11"),
        (3, 10, 1, 3, "2.67", "2.70e-1"),
        (3, 20, 1, 3, "2.67", "9.66e-3"),
        (3, 30, 1, 3, "2.67", "3.44e-4"),
        (1, 20, 1, 4, "22.00", "6.79e-4"),
        (2, 30, 1, 4, "11.00", "4.12e-4"),
        (1, 20, 2, 3, "16.00", "2.46e-5"),
        (2, 30, 2, 3, "8.00", "6.68e-5"),
    ]
    for b, K, l_s, l_q, epsilon, delta in rows:
        got_epsilon, got_delta = published.a_session(b, K, published.session_sensitivity(l_s, l_q))
        name = f"Zhang 2017, Table 4.4, b={b} K={K} l_s={l_s} l_q={l_q}"
        yield _printed(f"{name}: ε", epsilon, got_epsilon)
        yield _printed(f"{name}: δ", delta, got_delta, slack=2)  # some are cut off, not rounded
