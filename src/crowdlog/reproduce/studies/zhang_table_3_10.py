"""Table 3.10: for a fixed ε, which combination of parameters retrieves best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from crowdlog.privacy.published import a_click_epsilon, a_click_turning_point
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.shapes import peak, rises
from crowdlog.reproduce.studies.zhang_clicks import SETUP, TRAP, a_click, searched
from crowdlog.reproduce.studies.zhang_held_out import PAPER, known, score_of
from crowdlog.reproduce.study import Claim, Panel, Result, Study

# ε: q_f = c_f: b, K, utility (nDCG@10 of RW-2), as printed.
PRINTED_ROWS: dict[float, dict[int, tuple[float, float, float]]] = {
    0.5: {
        1: (6, 8.08, 0.6114),
        2: (14, 28.74, 0.5757),
        3: (22, 54.25, 0.5475),
        4: (30, 82.74, 0.5253),
        5: (38, 113.39, 0.5090),
    },
    1.0: {
        1: (3, 2.70, 0.6359),
        2: (7, 10.26, 0.6391),
        3: (11, 20.25, 0.6335),
        4: (15, 31.72, 0.6245),
        5: (19, 44.27, 0.6131),
        6: (23, 57.67, 0.6051),
        7: (27, 71.77, 0.5949),
        8: (31, 86.46, 0.5863),
        9: (35, 101.68, 0.5766),
        20: (75, 273.33, 0.5260),
    },
    2.0: {
        2: (3.5, 3.45, 0.6534),
        4: (7.5, 11.41, 0.6575),
        6: (11.5, 21.61, 0.6555),
        8: (15.5, 33.24, 0.6541),
        10: (19.5, 45.90, 0.6500),
        12: (23.5, 59.40, 0.6446),
        14: (27.5, 73.58, 0.6400),
        16: (31.5, 88.34, 0.6345),
        18: (35.5, 103.61, 0.6281),
        20: (39.5, 119.33, 0.6213),
    },
    4.0: {
        5: (4.75, 5.60, 0.6651),
        10: (9.75, 16.94, 0.6660),
        15: (14.75, 30.97, 0.6651),
        20: (19.75, 46.73, 0.6635),
        25: (24.75, 63.76, 0.6612),
    },
}
MODEL = "RW-2"
ROUNDING = 0.0051  # two printed digits
OWN = f"adhoc:{MODEL}:nDCG@10"
Ours = Mapping[float, Mapping[int, Mapping[str, Any]]]


def run(bench: Bench) -> Result:
    cells = [(epsilon, q_f) for epsilon, row in PRINTED_ROWS.items() for q_f in row]
    ours: dict[float, dict[int, dict[str, Any]]] = {epsilon: {} for epsilon in PRINTED_ROWS}
    for epsilon, q_f in bench.each(cells):
        b, K, _utility = PRINTED_ROWS[epsilon][q_f]
        ours[epsilon][q_f] = score_of(searched(bench, a_click(bench, q_f, b, K), (MODEL,)), OWN)
    return Result([_panel(ours)], claims(ours), SETUP)


def claims(ours: Ours) -> list[Claim]:
    values = {
        epsilon: {q_f: score["value"] or 0.0 for q_f, score in row.items()} for epsilon, row in ours.items()
    }
    best = {epsilon: peak(row) for epsilon, row in values.items()}
    highest = [values[epsilon][q_f] for epsilon, q_f in best.items()]
    best_text = ", ".join(f"{q_f} at ε = {epsilon:g}" for epsilon, q_f in best.items())
    shrinking = "; ".join(
        f"ε = {e:g}: {next(iter(row.values()))['evaluated']} to {list(row.values())[-1]['evaluated']}"
        for e, row in ours.items()
    )
    over_all = {
        epsilon: peak({q_f: score.get("unanswered_as_zero") or 0.0 for q_f, score in row.items()})
        for epsilon, row in ours.items()
    }
    trap = (
        f"the best q_f are {best_text}; larger K leaves fewer and easier queries to evaluate ({shrinking}). "
        "Over all test queries, with 0 where there is no answer, the best are "
        f"{', '.join(map(str, over_all.values()))}"
    )
    by_theorem = {
        (e, q_f): a_click_epsilon(q_f, q_f, b, K, b, b)
        for e, row in PRINTED_ROWS.items()
        for q_f, (b, K, _u) in row.items()
    }
    over = [(e, q_f, value) for (e, q_f), value in by_theorem.items() if abs(value - e) > ROUNDING]
    turning = [
        abs(a_click_turning_point(b) - K) <= ROUNDING
        for row in PRINTED_ROWS.values()
        for b, K, _u in row.values()
    ]
    return [
        Claim(
            "K is the turning point of b in every row.",
            all(turning),
            f"{turning.count(False)} of {len(turning)} are not",
        ),
        Claim("b follows from ε by Theorem 1.", not over, _overstated(over)),
        Claim(
            "For a fixed ε the best utility is at a small q_f, not at the largest.",
            all(_small(row) for row in values.values()),
            trap,
        ),
        Claim(
            "Beyond the best q_f the utility falls.",
            all(_falls_after_peak(row) for row in values.values()),
            trap,
        ),
        Claim(
            "The larger ε, the higher the best utility.",
            rises(highest),
            f"best {', '.join(f'{value:.3f}' for value in highest)}; {trap}",
        ),
    ]


def _overstated(rows: Sequence[tuple[float, int, float]]) -> str:
    if not rows:
        return ""
    epsilon, q_f, value = rows[-1]
    return (
        f"Theorem 1 gives {value:.2f} for the row ε = {epsilon:g}, q_f = {q_f}: the printed b are (4q_f − "
        "1)/ε, not 3q_f/ε, so that ε is "
        "over-stated but for q_f = 1"
    )


def _small(row: Mapping[int, float]) -> bool:
    """The peak lies in the first half of the values tried."""
    values = known(row)
    return max(values) > 0 and values.index(max(values)) < len(values) / 2


def _falls_after_peak(row: Mapping[int, float]) -> bool:
    values = known(row)
    after = values[values.index(max(values)) :]
    return len(after) > 1 and all(a > b for a, b in pairwise(after))


def _panel(ours: Ours) -> Panel:
    rows: list[list[Any]] = []
    points = []
    for epsilon, row in PRINTED_ROWS.items():
        for q_f, (b, K, utility) in row.items():
            score = ours[epsilon][q_f]
            rows.append(
                [
                    epsilon,
                    3 * q_f / b,
                    q_f,
                    b,
                    K,
                    utility,
                    score["value"],
                    score["evaluated"],
                    score["original_on_common"],
                ]
            )
            rows[-1].append(score.get("unanswered_as_zero"))
            points += [
                Point(q_f, utility, f"ε = {epsilon:g}", PRINTED),
                Point(q_f, score["value"], f"ε = {epsilon:g}"),
            ]
    columns = [
        "ε, printed",
        "ε, ours: 3q_f/b",
        "q_f = c_f",
        "b",
        "K",
        "nDCG@10, printed",
        "nDCG@10, ours",
        "evaluated",
        "original on the same",
    ]
    chart = curves(points, x="queries and clicks kept of each user, q_f = c_f", y="nDCG@10", log_x=True)
    return Panel(
        "nDCG@10 by RW-2 at the turning points", [*columns, "ours over all test queries"], rows, chart, TRAP
    )


STUDY = Study("zhang-table-3.10", f"{PAPER}, Table 3.10", "Which parameters retrieve best for a fixed ε", run)
