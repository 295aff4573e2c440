"""Figure 3.7: with the ε of Table 3.3, do the mechanisms with noise cover as much as frequency thresholds
with the same k?
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from crowdlog.mechanisms.dp_a import DPa
from crowdlog.mechanisms.dp_u import DPu
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.feild_figure_3_6 import PRECISE, TABLE, D
from crowdlog.reproduce.studies.feild_release import DELTA, PAPER, without_noise
from crowdlog.reproduce.study import Claim, Panel, Result, Study

DRAWS = 2  # "averaged over ten samples with noise added": two for each of five votes
SHARE = 0.99  # of ε for the selection, which alone decides what is covered
CLOSE = 1.5  # our reading of "close": neither is more than half as large again
PAIRS = {"DP_a": "FT_a", "DP_u": "FT_u"}
Curves = Mapping[str, Mapping[int, float]]


def run(bench: Bench) -> Result:
    ours: dict[str, dict[int, float]] = {name: {} for pair in PAIRS.items() for name in pair}
    for name, k, epsilon in bench.each([(name, k, e) for name, of in TABLE.items() for k, e in of.items()]):
        ours[PAIRS[name]][k] = (
            100 * bench.coverage(without_noise(PAIRS[name], k, "query"), bench.log).distinct
        )
        if epsilon <= PRECISE:
            mechanism = {"DP_a": DPa, "DP_u": DPu}[name](
                epsilon=epsilon / SHARE, delta=DELTA, d=D, select_share=SHARE
            )
            ours[name][k] = (
                sum(100 * bench.coverage(mechanism, bench.log, draw).distinct for draw in range(DRAWS))
                / DRAWS
            )
    points = [Point(k, y, name) for name, of in ours.items() for k, y in of.items()]
    rows = [
        [k, TABLE[dp].get(k), ft_k, ours[dp].get(k), dp]
        for dp, ft in PAIRS.items()
        for k, ft_k in ours[ft].items()
    ]
    chart = curves(points, x="threshold k", y="% of distinct queries", log_x=True, log_y=True)
    columns = [
        "k",
        "ε (Table 3.3)",
        "frequency threshold, % of distinct queries",
        "with noise, % of distinct queries",
        "mechanism with noise",
    ]
    note = (
        "Ours only: the thesis prints no value of this figure. "
        f"Above ε = {PRECISE} our mechanisms refuse, so small k have no value with noise."
    )
    setup = f"d = {D}, δ = 1/657,427; the three months of the log. With noise: the mean of ten releases."
    return Result(
        [Panel("Distinct queries covered", columns, rows, chart, note)],
        claims(ours, kept_impressions(bench)),
        setup,
    )


def kept_impressions(bench: Bench) -> tuple[float, float]:
    """The share of users who have at most d impressions, and the share of all impressions that are among the
    first d of their user.
    """
    per_user = np.bincount(bench.truth(bench.log).events.user[bench.truth(bench.log).events.impression])
    return float((per_user <= D).mean()), float(np.minimum(per_user, D).sum() / per_user.sum())


def claims(ours: Curves, within: tuple[float, float]) -> list[Claim]:
    kept = (
        f"d = {D} keeps everything of {within[0]:.0%} of our users (AOL: 92 %), but of all impressions only "
        f"{within[1]:.0%}"
    )
    compared = {(dp, k): (y, ours[ft][k]) for dp, ft in PAIRS.items() for k, y in ours[dp].items()}
    apart = {
        key: max(pair) / min(pair) if min(pair) else math.inf
        for key, pair in compared.items()
        if max(pair) > 0
    }
    text = (
        "Coverage with noise is close to that of the frequency threshold (neither more than half as large "
        "again)."
    )
    if not apart:
        return [Claim(text, False, "nothing is released")]
    (dp, k), most = max(apart.items(), key=lambda item: item[1])
    y, other = compared[dp, k]
    return [
        Claim(
            text,
            most <= CLOSE,
            f"they are furthest apart with {dp} at k = {k}: {y:.2g} % against {other:.2g} %; {kept}",
        )
    ]


STUDY = Study(
    "feild-figure-3.7", f"{PAPER}, Figure 3.7", "Frequency thresholds and noise with the same k", run
)
