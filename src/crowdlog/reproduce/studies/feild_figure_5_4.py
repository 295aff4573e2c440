"""Figures 5.4 and 5.10: how much of the labelled vectors is shared, by bins and by mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import cells, domain
from crowdlog.applications.tasks.pair_features import SEED_FEATURES
from crowdlog.applications.tasks.train import LabelledPairs
from crowdlog.mechanisms.dp_a import DPa
from crowdlog.mechanisms.dp_u import DPu
from crowdlog.mechanisms.zealous import Zealous
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import always_above, falls
from crowdlog.reproduce.studies.feild_release import PAPER
from crowdlog.reproduce.studies.feild_tasks import (
    DELTA,
    LN10,
    SETUP,
    learnt_pairs,
    released_counts,
    task_study,
    vector_store,
)
from crowdlog.reproduce.study import Claim, Panel, Result, Study
from crowdlog.types import Floats, Ints

KS = (1, 2, 5, 10, 20, 50, 100, 1_000)
DS = (1, 4, 32)
BINNED = ("not binned", "bin1", "bin2")
PRIVATE = {"DP_a": DPa, "DP_u": DPu, "ZEALOUS": Zealous}


def run(bench: Bench) -> Result:
    pairs = learnt_pairs(task_study(bench))
    shared = {name: _coverage(_artifacts(pairs, name)) for name in BINNED}
    shown = _by_mechanism(bench, pairs)
    points = [
        Point(k, 100 * y, name) for name, values in shared.items() for k, y in zip(KS, values, strict=True)
    ]
    rows = [[k, *(100 * shared[name][at] for name in BINNED)] for at, k in enumerate(KS)]
    panels = [
        Panel(
            "Impressions of vectors that occur at least k times, in % (Figure 5.4)",
            ["k", *BINNED],
            rows,
            curves(points, x="threshold k", y="% of impressions", log_x=True, log_y=True),
            "The thesis prints no values.",
        )
    ]
    for at, what in enumerate(("impressions", "distinct vectors")):
        rows = [[d, *(100 * shown[name][d][at] for name in PRIVATE)] for d in DS]
        points = [Point(d, 100 * shown[name][d][at], name) for name in PRIVATE for d in DS]
        chart = curves(points, x="d", y=f"% of {what}", log_x=True)
        panels.append(Panel(f"Coverage of {what}, bin2 (Figure 5.10)", ["d", *PRIVATE], rows, chart))
    return Result(panels, claims(shared, shown), SETUP)


def _artifacts(pairs: LabelledPairs, bins: str) -> Ints:
    """How often each different labelled vector occurs."""
    if bins == "not binned":
        labelled = np.column_stack([pairs.vectors[:, list(SEED_FEATURES)].round(3), pairs.same])
        rows: Ints = np.unique(labelled, axis=0, return_counts=True)[1]
        return rows
    place = cells(pairs.vectors, bins) + len(domain(bins)) * pairs.same.astype(np.int64)
    binned: Ints = np.unique(place, return_counts=True)[1]
    return binned


def _coverage(counts: Ints) -> list[float]:
    return [float(counts[counts >= k].sum() / counts.sum()) for k in KS]


def _by_mechanism(bench: Bench, pairs: LabelledPairs) -> dict[str, dict[int, tuple[float, float]]]:
    """Shares of impressions and of distinct vectors that are published."""
    store = vector_store(bench, pairs)
    real = _artifacts(pairs, "bin2")
    found: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in PRIVATE}
    for name, d in bench.each([(name, d) for name in PRIVATE for d in DS]):
        epsilon = LN10 if name == "ZEALOUS" else 2 * LN10
        mechanism: Any = PRIVATE[name](epsilon=epsilon, delta=DELTA, d=d)
        counts: Floats = released_counts(bench, mechanism, store)
        found[name][d] = (float(counts.sum() / real.sum()), int((counts > 0).sum()) / len(real))
    return found


def claims(shared: dict[str, list[float]], shown: dict[str, dict[int, tuple[float, float]]]) -> list[Claim]:
    distinct = {name: [of[d][1] for d in DS] for name, of in shown.items()}
    return [
        Claim(
            "Binning makes vectors shared: bin2 above bin1 above none, at every k.",
            always_above(shared["bin2"], shared["bin1"])
            and always_above(shared["bin1"], shared["not binned"]),
            f"at k = 10: {', '.join(f'{name} {values[3]:.3f}' for name, values in shared.items())}",
        ),
        Claim(
            "Without bins coverage falls steeply (below a half at k = 100).",
            shared["not binned"][KS.index(100)] < 0.5,
            f"{shared['not binned'][KS.index(100)]:.3f} at k = 100: many pairs share nothing and differ in "
            "their time alone",
        ),
        Claim(
            "Distinct coverage of DP_u and ZEALOUS falls as d increases.",
            falls(distinct["DP_u"]) and falls(distinct["ZEALOUS"]),
            str({name: [round(x, 3) for x in values] for name, values in distinct.items()}),
        ),
    ]


STUDY = Study(
    "feild-figure-5.4", f"{PAPER}, Figures 5.4 and 5.10", "How much of the task vectors can be shown", run
)
