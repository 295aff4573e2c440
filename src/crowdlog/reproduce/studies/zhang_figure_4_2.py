"""Figure 4.2: how much is left of clicks and sessions as the threshold K grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crowdlog.engine.subsequences import Naming, count_subsequences, cut_sessions
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import always_above, falls
from crowdlog.reproduce.studies.zhang_held_out import MINUTES, PAPER, parts
from crowdlog.reproduce.studies.zhang_sessions import FOLDS, L_Q, L_S, SETUP, rows
from crowdlog.reproduce.study import Claim, Panel, Result, Study

KS = (6, 8, 10, 14, 20, 30, 50, 100)  # below 6 the paper's δ is above 1
LEFT_OUT = (1, 2, 3, 4, 5)
KA, DP, SEQUENCES, EXACT = "KA, clicks", "DP_C, clicks", "DP_S, sequences", "sequences before the noise"
DRAWN = "The figure's values are only drawn in the paper. "


def run(bench: Bench) -> Result:
    counts: dict[str, dict[int, int]] = {name: {} for name in (KA, DP, SEQUENCES)}
    for k in bench.each(KS):
        counts[KA][k] = rows(bench, "KA", k)["clicks"]
        shown = rows(bench, "DP_S", k)
        counts[DP][k], counts[SEQUENCES][k] = shown["clicks"], shown["sessions"]
    counts[EXACT] = exact(bench)
    return Result([_clicks(counts), _sequences(counts)], claims(counts), SETUP)


def exact(bench: Bench) -> dict[int, int]:
    """How many sequences of the bounded sessions have a count above K, without noise: what an endless crowd's
    threshold would see.
    """
    rest = parts(bench, FOLDS, "user")[0]
    found = count_subsequences(cut_sessions(rest, MINUTES, L_S, L_Q, Naming()), rest.info.queries)
    return {k: int((found.count > k).sum()) for k in (*LEFT_OUT, *KS)}


def claims(counts: Mapping[str, Mapping[int, int]]) -> list[Claim]:
    clicks = [list(counts[name].values()) for name in (KA, DP)]
    few = counts[SEQUENCES][KS[0]]
    highest = max((k for k, number in counts[EXACT].items() if number), default=0)
    return [
        Claim(
            "Far fewer clicks are left as K grows, with KA.",
            falls(clicks[0]) and clicks[0][-1] < clicks[0][0] / 5,
            f"{clicks[0]}",
        ),
        Claim(
            "Far fewer clicks are left as K grows, with DP.",
            falls(clicks[1]) and clicks[1][-1] < clicks[1][0] / 5,
            f"{clicks[1]}",
        ),
        Claim(
            "Far fewer sessions are left as K grows.",
            counts[EXACT][KS[0]] > 0
            and falls(list(counts[SEQUENCES].values()))
            and few >= 5 * counts[SEQUENCES][KS[-1]],
            f"at K = {KS[0]} DP_S shows {few} sequences, all by their noise: no sequence of the people's "
            "first sessions has a count above "
            f"{highest + 1}. Without noise and with smaller K they become fewer: "
            f"{', '.join(f'{number:,} above {k}' for k, number in counts[EXACT].items() if number)}",
        ),
        Claim(
            "At the same K, KA keeps more clicks than DP, which bounds what one user adds.",
            always_above(*clicks),
            f"{clicks[0]} and {clicks[1]}",
        ),
    ]


def _clicks(counts: Mapping[str, Mapping[int, int]]) -> Panel:
    table: list[list[Any]] = [[k, counts[KA][k], counts[DP][k]] for k in KS]
    points = [Point(k, number, name) for name in (KA, DP) for k, number in counts[name].items()]
    chart = curves(points, x="threshold K", y="distinct (query, URL)", log_x=True, log_y=True)
    return Panel("Distinct click-through tuples", ["K", KA, DP], table, chart, DRAWN)


def _sequences(counts: Mapping[str, Mapping[int, int]]) -> Panel:
    table: list[list[Any]] = [[k, counts[SEQUENCES].get(k), number] for k, number in counts[EXACT].items()]
    points = [Point(k, number, name) for name in (SEQUENCES, EXACT) for k, number in counts[name].items()]
    chart = curves(points, x="threshold K", y="distinct sequences", log_x=True, log_y=True)
    note = (
        f"{DRAWN}Of each user the first session is kept, and of it three queries. "
        f"Below K = {KS[0]} there is no promise: the paper's δ exceeds "
        "1. What DP_S "
        "shows beyond the number before the noise has passed by its noise: many sequences with a count of "
        "one, each with a small chance."
    )
    return Panel("Distinct sequences of queries", ["K", SEQUENCES, EXACT], table, chart, note)


STUDY = Study(
    "zhang-figure-4.2",
    f"{PAPER}, Figure 4.2",
    "What is lost as the threshold grows: clicks and sessions",
    run,
)
