"""Table 3.8: ε against the queries and clicks kept of each user."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.privacy.published import a_click_epsilon, a_click_turning_point
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.studies.zhang_clicks import a_click
from crowdlog.reproduce.studies.zhang_held_out import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

K = B = 10
PRINTED_EPSILON = {1: 0.43, 2: 0.85, 4: 1.71, 6: 2.56, 8: 3.42, 10: 4.27, 20: 8.54, 40: 17.08, 80: 34.16}
# two printed digits; the rows are multiples of 0.427, the first value with three digits
ROUNDING, UNIT_ROUNDING = 0.0051, 0.0005
SETUP = (
    "Nothing is measured here: ε follows from the parameters. "
    "The paper's formula is computed again, and beside it stands what our A_Click "
    "promises for the same b and K: "
    f"3·q_f/b. The formula has more because K = {K} lies below the turning point, where its second case "
    "governs."
)


def run(bench: Bench) -> Result:
    formula = {q_f: a_click_epsilon(q_f, q_f, B, K, B, B) for q_f in PRINTED_EPSILON}
    promised = {
        q_f: a_click(bench, q_f, B, K).promise().guarantee.epsilon for q_f in bench.each(PRINTED_EPSILON)
    }
    named = {"the paper's formula": formula, "promised by AClick": promised}
    points = [Point(q_f, value, name) for name, curve in named.items() for q_f, value in curve.items()]
    points += [Point(q_f, value, "the paper's formula", PRINTED) for q_f, value in PRINTED_EPSILON.items()]
    rows = [[q_f, value, formula[q_f], promised[q_f]] for q_f, value in PRINTED_EPSILON.items()]
    columns = ["q_f = c_f", "ε, printed", "ε, the paper's formula", "ε, promised by AClick"]
    chart = curves(points, x="queries and clicks kept of each user, q_f = c_f", y="ε", log_x=True, log_y=True)
    note = f"The turning point for b = {B} is K = {a_click_turning_point(B):.2f}."
    return Result([Panel(f"ε for K = b = {B}", columns, rows, chart, note)], claims(formula, promised), SETUP)


def claims(formula: Mapping[int, float], promised: Mapping[int, float]) -> list[Claim]:
    off = [
        q_f
        for q_f, value in PRINTED_EPSILON.items()
        if abs(formula[q_f] - value) > ROUNDING + q_f * UNIT_ROUNDING
    ]
    return [
        Claim(
            "The paper's Theorem 1 gives the printed ε.",
            not off,
            f"other values for q_f = {', '.join(map(str, off))}",
        ),
        Claim(
            "ε is linear in the number of queries and clicks kept.",
            all(_linear(curve) for curve in (formula, promised)),
            "not linear",
        ),
    ]


def _linear(curve: Mapping[int, float]) -> bool:
    return all(abs(value / q_f - curve[1]) <= 1e-6 * curve[1] for q_f, value in curve.items())


STUDY = Study("zhang-table-3.8", f"{PAPER}, Table 3.8", "ε against what is kept of each user", run)
