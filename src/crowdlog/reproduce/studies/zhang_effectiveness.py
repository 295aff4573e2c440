"""What Tables 3.5 and 3.6 have in common: one release, and the original log, searched with one algorithm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.studies.zhang_clicks import SETUP, TRAP, a_click, searched
from crowdlog.reproduce.studies.zhang_held_out import score_of
from crowdlog.reproduce.study import Claim, Panel, Result

# The paper: K = 500, b = 10 and ε = 29.99, so q_f = 100. All a tenth here, because the log is smaller; so ε
# and b/K are the paper's.
Q_F, B, K = 10, 1, 50
METRICS = {"nDCG@10": "nDCG@10", "P@5": "P@5", "P@10": "P@10", "AP@100": "MAP"}  # ours: the paper's name
SIGNIFICANT = 0.01  # p, as in the paper
ALIKE = 0.01  # the printed scores differ by at most .003; our bar is rounder
SCALED = (
    " K = 500 and b = 10, as in the paper (ε = 29.99), would leave a dozen queries: "
    f"here K = {K}, b = {B}, q_f = {Q_F}, with the same ε and b/K."
)
Printed = Mapping[str, Sequence[float]]


def run(bench: Bench, model: str, printed: Printed) -> Result:
    found = searched(bench, a_click(bench, Q_F, B, K))
    ours = {metric: score_of(found, f"adhoc:{model}:{metric}") for metric in METRICS}
    return Result([_panel(ours, printed)], claims(ours), SETUP + SCALED)


def claims(ours: Mapping[str, Mapping[str, Any]]) -> list[Claim]:
    first = ours["nDCG@10"]
    common, value, original = first["common"], first["value"], first.get("original")
    p = [score["p_value"] for score in ours.values()]
    worse = "the release answers nothing" if not common else _why_worse(ours)
    easy = "the release answers nothing"
    if value is not None and original is not None:
        easy = (
            f"each log scored on what it answers, the release has {value:.3f} on {first['evaluated']} "
            f"queries and the original {original:.3f} on "
            f"{first['original_evaluated']}: most queries are rare and hard, and only the original has them"
        )
    return [
        Claim(
            "On the queries that both answer no score differs significantly (two-tailed t-test, p < "
            f"{SIGNIFICANT}).",
            all(one is not None and one >= SIGNIFICANT for one in p),
            worse,
        ),
        Claim(
            f"Each scored on what it answers, both logs retrieve equally well (nDCG@10 within {ALIKE}).",
            value is not None and original is not None and abs(value - original) <= ALIKE,
            easy,
        ),
    ]


def _why_worse(ours: Mapping[str, Mapping[str, Any]]) -> str:
    ndcg, right = ours["nDCG@10"], 5 * ours["P@5"]["original_on_common"]
    return (
        f"nDCG@10 is {ndcg['released_on_common']:.3f} against {ndcg['original_on_common']:.3f}. "
        f"The queries evaluated here have {right:.1f} "
        "right answers among the "
        "original's first five (the paper's 0.7), the rarer of which the noise and the bound on clicks put "
        "into another order"
    )


def _panel(ours: Mapping[str, Mapping[str, Any]], printed: Printed) -> Panel:
    ndcg = ours["nDCG@10"]
    keys = {"Original": "original", "Anonymized": "value"}
    numbers = {"Original": ndcg.get("original_evaluated", 0), "Anonymized": ndcg["evaluated"]}
    on_common = {"Original": "original_on_common", "Anonymized": "released_on_common"}
    rows: list[list[Any]] = []
    for log, key in keys.items():
        own = [score.get(key) for score in ours.values()]
        rows.append(
            [
                log,
                "what it answers",
                numbers[log],
                *(cell for pair in zip(printed[log], own, strict=True) for cell in pair),
            ]
        )
    for log, key in on_common.items():
        rows.append(
            [
                log,
                "what both answer",
                ndcg["common"],
                *(cell for score in ours.values() for cell in (None, score[key])),
            ]
        )
    points = [
        Point(name, value, log, PRINTED)
        for log in keys
        for name, value in zip(METRICS.values(), printed[log], strict=True)
    ]
    points += [
        Point(name, ours[metric].get(key), log)
        for log, key in keys.items()
        for metric, name in METRICS.items()
    ]
    columns = [
        "query log",
        "evaluated on",
        "queries",
        *(f"{name}, {who}" for name in METRICS.values() for who in ("printed", "ours")),
    ]
    return Panel(
        "Retrieval with the original and with the released log",
        columns,
        rows,
        bars(points, x="", y="score"),
        TRAP,
    )
