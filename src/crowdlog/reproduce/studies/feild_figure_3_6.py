"""Figure 3.6 and Table 3.3: the ε that a threshold k needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crowdlog.privacy.published import epsilon_for, zealous_probabilistic
from crowdlog.privacy.thresholds import smallest_threshold
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.shapes import falls
from crowdlog.reproduce.studies.feild_release import DELTA, PAPER, U
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

D = 100
KS = (102, 110, 128, 160, 200, 256, 360, 512, 720, 1024)
SMALL_KS = (2, 4, 8, 16, 32, 64)  # DP_a has no ε for a k of at most d
# Table 3.3.
TABLE = {
    "DP_u": {
        2: 1730.81,
        4: 576.94,
        8: 247.26,
        16: 115.39,
        32: 55.83,
        64: 27.47,
        128: 13.63,
        256: 6.79,
        512: 3.39,
        1024: 1.69,
    },
    "DP_a": {101: 1730.82, 128: 61.82, 256: 11.10, 512: 4.21, 1026: 1.87},
}
PRECISE = 80  # ε up to which our noise is precise enough for a promise (KNOWN_LIMITS.md)
LOWER = (
    "our threshold is lower, since our δ is exact: the formula sums over d queries of d impressions each, "
    "and one person has d impressions in all"
)
Curve = Mapping[int, float]


def run(bench: Bench) -> Result:
    ours: dict[str, dict[int, float]] = {
        "DP_a": {k: epsilon_for("DP_a", k, D, DELTA) for k in KS},
        "DP_u": {k: epsilon_for("DP_u", k, D, DELTA) for k in (*SMALL_KS, *KS)},
        "ZEALOUS": {k: zealous_epsilon(k) for k in bench.each((*SMALL_KS[1:], *KS))},
    }
    points = [Point(k, y, name) for name, of in ours.items() for k, y in of.items()]
    points += [Point(k, y, name, PRINTED) for name, of in TABLE.items() for k, y in of.items()]
    ks = sorted({k for of in ours.values() for k in of})
    rows = [[k, *(of.get(k) for of in ours.values())] for k in ks]
    chart = curves(points, x="threshold k", y="ε needed", log_x=True, log_y=True)
    checked = [
        [name, k, epsilon, _needed(name, k), _own_threshold(name, epsilon)]
        for name, of in TABLE.items()
        for k, epsilon in of.items()
    ]
    columns = [
        "mechanism",
        "k, printed",
        "ε, printed",
        "ε by the formula, ours",
        "k of our mechanism for the printed ε",
    ]
    setup = (
        f"d = {D}, δ = 1/{U:,}. No log is needed: these are formulas (appendix B of the thesis). "
        "Ours has integer noise and an exact δ."
    )
    note = (
        f"Printed values are of DP_a and DP_u. Above ε = {PRECISE} our mechanisms refuse: no noise is "
        "precise enough for a promise there."
    )
    panels = [
        Panel("ε for a threshold k", ["k", *ours], rows, chart),
        Panel("Table 3.3", columns, checked, None, note),
    ]
    return Result(panels, claims(ours, checked), setup)


def claims(ours: Mapping[str, Curve], checked: Sequence[Sequence[Cell]]) -> list[Claim]:
    off = [
        f"{name} at k = {k}"
        for name, k, _epsilon, _formula, own in checked
        if isinstance(own, int) and isinstance(k, int) and abs(own - k) > 0.02 * k + 1
    ]
    quick = all(falls(list(of.values())) and of[1024] < of[128] / 4 for of in ours.values())
    return [
        Claim(
            "For lower values of k, ε is high enough to be practically meaningless (above 50 at k ≤ 32).",
            all(ours["DP_u"][k] > 50 for k in (2, 32)),
            "it is not",
        ),
        Claim(
            "As k increases, ε decreases quickly.",
            quick,
            "ε at k = 1024 is not below a quarter of that at k = 128",
        ),
        Claim(
            "DP_a needs a larger ε than DP_u for the same k.",
            all(ours["DP_a"][k] > ours["DP_u"][k] for k in KS),
            "it does not",
        ),
        Claim(
            "Our mechanisms, given the printed ε, have the printed threshold (within 1 and 2 %).",
            not off,
            f"{', '.join(off)}: {LOWER}",
        ),
    ]


def zealous_epsilon(k: int) -> float:
    """The ε at which the published threshold comes down to k, by halving: it falls as ε grows."""
    low, high = 1e-3, 1e6
    while high / low > 1 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if zealous_probabilistic(middle, DELTA, D, U).k <= k else (middle, high)
    return high


def _needed(name: str, k: int) -> float:
    return epsilon_for("DP_a" if name == "DP_a" else "DP_u", k, D, DELTA)


def _own_threshold(name: str, epsilon: float) -> int | None:
    return smallest_threshold(epsilon, DELTA, D, distinct=name == "DP_u").K if epsilon <= PRECISE else None


STUDY = Study("feild-figure-3.6", f"{PAPER}, Figure 3.6 and Table 3.3", "The ε that a threshold k needs", run)
