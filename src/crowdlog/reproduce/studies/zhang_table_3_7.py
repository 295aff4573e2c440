"""Table 3.7: A_Click (ε-DP) and Korolova et al.'s release ((ε, δ)-DP) with the same noise and threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from crowdlog.mechanisms.a_click import AClick
from crowdlog.mechanisms.korolova import Korolova
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.studies.zhang_clicks import SETUP, TRAP, a_click, korolova, searched
from crowdlog.reproduce.studies.zhang_held_out import PAPER, Scores, score_of
from crowdlog.reproduce.study import Claim, Panel, Result, Study

PURE, APPROXIMATE = "ε-DP", "(ε, δ)-DP"
# neither is printed, nor is b: b = 3/ε of the (ε, δ) rows, one query per user and this K come closest to the
# printed δ
D, K = 1, 22
# b: printed ε, δ, nDCG@10, MAP of both.
PRINTED_ROWS = {
    2.5: {PURE: (1.40, 0.0, 0.5239, 0.5127), APPROXIMATE: (1.20, 0.0001, 0.5259, 0.5146)},
    3.5: {PURE: (1.00, 0.0, 0.5217, 0.5105), APPROXIMATE: (0.86, 0.0011, 0.5241, 0.5130)},
    5.0: {PURE: (0.70, 0.0, 0.5234, 0.5123), APPROXIMATE: (0.60, 0.0082, 0.5212, 0.5102)},
}
SIMILAR = 0.03  # in nDCG@10; the printed ones differ by at most .0024
MODEL = "RW"
HERE = (
    f" The paper prints neither b nor K; one query and click of each user, b = 3/ε and K = {K} give its δ "
    "but for rounding. "
    "Searched by random walk."
)
Means = Mapping[float, Mapping[str, Mapping[str, Any]]]


def run(bench: Bench) -> Result:
    ours: dict[float, dict[str, dict[str, Any]]] = {}
    for b in bench.each(PRINTED_ROWS):
        kinds: dict[str, AClick | Korolova] = {
            PURE: a_click(bench, D, b, K),
            APPROXIMATE: korolova(bench, D, b, K),
        }
        ours[b] = {}
        for kind, mechanism in kinds.items():
            promise = mechanism.promise().guarantee
            ours[b][kind] = {"epsilon": promise.epsilon, "delta": promise.delta}
            ours[b][kind] |= means([searched(bench, mechanism, (MODEL,))])
    return Result([_panel(ours)], claims(ours), SETUP + HERE)


def means(runs: Sequence[Scores]) -> dict[str, Any]:
    """The mean scores of the runs that could be scored, and how many queries they had on average."""
    ndcg, precision = (
        [score_of(found, f"adhoc:{MODEL}:{metric}") for found in runs] for metric in ("nDCG@10", "AP@100")
    )

    def mean(scores: Sequence[Mapping[str, Any]], key: str) -> float | None:
        values = [score[key] for score in scores if score[key] is not None]
        return float(np.mean(values)) if values else None

    return {
        "nDCG@10": mean(ndcg, "value"),
        "MAP": mean(precision, "value"),
        "evaluated": mean(ndcg, "evaluated"),
        "original": mean(ndcg, "original_on_common"),
    }


def claims(ours: Means) -> list[Claim]:
    values = {kind: [row[kind]["nDCG@10"] for row in ours.values()] for kind in (PURE, APPROXIMATE)}
    there = all(value is not None for row in values.values() for value in row)
    pairs = list(zip(values[PURE], values[APPROXIMATE], strict=True))
    shown = ", ".join(f"{p:.3f} and {a:.3f}" for p, a in pairs) if there else "some release answers nothing"
    evaluated = ", ".join(
        f"{row[PURE]['evaluated'] or 0:.0f} and {row[APPROXIMATE]['evaluated'] or 0:.0f}"
        for row in ours.values()
    )
    deltas = [row[APPROXIMATE]["delta"] for row in ours.values()]
    return [
        Claim(
            f"With the same b and K, {PURE} and {APPROXIMATE} have similar nDCG@10 (within {SIMILAR}).",
            there and all(abs(p - a) <= SIMILAR for p, a in pairs),
            f"{shown}. Few queries pass K = {K} in a log of this size ({evaluated} with the pool, without "
            "it), so that it counts when "
            "noise lets "
            "rare queries of the pool through, for which hardly anybody clicked",
        ),
        Claim(
            f"The utility hardly changes with ε in this range (by less than {SIMILAR}).",
            there and all(max(row) - min(row) <= SIMILAR for row in values.values()),
            f"{shown}; with one click of each user the clicks of a query are few, and noise of scale b = 5 "
            "moves them more than b = 2.5",
        ),
        Claim(
            "The pool makes δ vanish; without it δ grows as ε falls.",
            all(a < b for a, b in pairwise(deltas))
            and all(row[PURE]["delta"] < 1e-9 for row in ours.values()),
            "",
        ),
    ]


def _panel(ours: Means) -> Panel:
    rows: list[list[Any]] = []
    points = []
    for b, printed in PRINTED_ROWS.items():
        for kind, (epsilon, delta, ndcg, precision) in printed.items():
            own = ours[b][kind]
            rows.append(
                [
                    kind,
                    b,
                    epsilon,
                    own["epsilon"],
                    delta,
                    own["delta"],
                    ndcg,
                    own["nDCG@10"],
                    precision,
                    own["MAP"],
                ]
            )
            rows[-1] += [own["evaluated"], own["original"]]
            points += [Point(f"b = {b:g}", ndcg, kind, PRINTED), Point(f"b = {b:g}", own["nDCG@10"], kind)]
    columns = [
        "algorithm",
        "b",
        "ε, printed",
        "ε, ours",
        "δ, printed",
        "δ, ours",
        "nDCG@10, printed",
        "nDCG@10, ours",
    ]
    columns += ["MAP, printed", "MAP, ours", "evaluated", "original on the same"]
    return Panel(
        "The same noise and threshold, with and without a pool",
        columns,
        rows,
        bars(points, x="", y="nDCG@10"),
        TRAP,
    )


STUDY = Study(
    "zhang-table-3.7", f"{PAPER}, Table 3.7", "ε-DP by a public pool against (ε, δ)-DP without one", run
)
