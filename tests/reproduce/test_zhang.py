"""The studies of Zhang 2017: the printed shapes hold of the printed values, other shapes do not; releases
have the printed b and K.
"""

import pytest

from crowdlog.privacy.published import a_click_epsilon
from crowdlog.reproduce.studies import (
    zhang_effectiveness,
    zhang_figure_4_2,
    zhang_figure_4_3,
    zhang_runs,
    zhang_table_3_5,
    zhang_table_3_7,
    zhang_table_3_8,
    zhang_table_3_9,
    zhang_table_3_10,
    zhang_table_4_5,
    zhang_table_4_6,
)
from crowdlog.reproduce.studies.zhang_clicks import a_click, korolova
from crowdlog.reproduce.studies.zhang_held_out import NOTHING
from crowdlog.reproduce.studies.zhang_sessions import RUNS, dp_s


def held(claims):
    for claim in claims:
        assert claim.text.endswith(".")
        assert claim.holds or claim.why, claim.text
    return [claim.holds for claim in claims]


def score(value, number=100, **more):
    common = {"common": number, "released_on_common": value, "original_on_common": value, "p_value": 0.5}
    return {
        "value": value,
        "evaluated": number,
        "answered": number,
        "original": value,
        "original_evaluated": number,
        **common,
        **more,
    }


def test_releases_have_the_printed_noise_and_threshold(bench):
    queries, clicks = a_click(bench, 2, 14, 28.74).plan
    assert (queries.selection.K, queries.bound.d) == (28, 2)
    assert [queries.selection.scale, queries.noise.scale, clicks.noise.scale] == pytest.approx([14, 14, 14])
    promise = korolova(bench, 1, 2.5, 22).promise()
    assert promise.table("queries").selection.K == 22
    assert promise.table("queries").selection.scale == pytest.approx(2.5)
    assert promise.guarantee.delta == pytest.approx(0.5 * 2.718281828 ** (-21 / 2.5), rel=0.3)
    for k in (6, 20, 100):
        sessions, clicks = dp_s(k).plan
        assert (sessions.selection.K, clicks.selection.K, sessions.bound.d) == (k, k, 4)
        assert sessions.selection.scale == pytest.approx(1) == clicks.selection.scale


def test_tables_3_5_and_3_6():
    metrics = zhang_effectiveness.METRICS
    printed = {
        m: score(a, original=o)
        for m, a, o in zip(
            metrics, *map(zhang_table_3_5.PRINTED.get, ("Anonymized", "Original")), strict=True
        )
    }
    assert held(zhang_effectiveness.claims(printed)) == [True, True]
    worse = {metric: score(0.8, original=0.4, p_value=1e-9) for metric in metrics}
    assert held(zhang_effectiveness.claims(worse)) == [False, False]
    assert held(zhang_effectiveness.claims(dict.fromkeys(metrics, NOTHING))) == [False, False]


def test_table_3_7():
    rows = {
        b: {
            kind: {"delta": delta, "nDCG@10": ndcg, "evaluated": 9.4}
            for kind, (_e, delta, ndcg, _m) in row.items()
        }
        for b, row in zhang_table_3_7.PRINTED_ROWS.items()
    }
    assert held(zhang_table_3_7.claims(rows)) == [True] * 3
    apart = {
        b: {kind: {**cell, "nDCG@10": b / 5 + (kind == "ε-DP"), "delta": 0.1} for kind, cell in row.items()}
        for b, row in rows.items()
    }
    assert [claim.holds for claim in zhang_table_3_7.claims(apart)] == [False] * 3
    nothing = {b: {kind: {**cell, "nDCG@10": None} for kind, cell in row.items()} for b, row in rows.items()}
    assert held(zhang_table_3_7.claims(nothing)) == [False, False, True]


def test_table_3_8():
    formula = {q_f: a_click_epsilon(q_f, q_f, 10, 10, 10, 10) for q_f in zhang_table_3_8.PRINTED_EPSILON}
    assert held(zhang_table_3_8.claims(formula, formula)) == [True, True]
    assert held(zhang_table_3_8.claims({q_f: q_f**2.0 for q_f in formula}, formula)) == [False, False]


def test_table_3_9():
    rows = zhang_table_3_9.PRINTED_ROWS
    printed = {
        model: {q_f: score(row[i]) for q_f, row in rows.items()}
        for i, model in enumerate(("IF", "RW", "RW-2"), 1)
    }
    assert held(zhang_table_3_9.claims(printed)) == [True] * 3
    falling = {
        model: {q_f: score(1 / q_f + i) for q_f in rows} for i, model in enumerate(("IF", "RW-2", "RW"))
    }
    assert held(zhang_table_3_9.claims(falling)) == [False] * 3
    reason = zhang_table_3_9.claims(falling)[1].why
    assert "RW has 3.000, 2.250, 2.100" in reason, "it is told by numbers, whatever the size of the log"
    assert (
        held(zhang_table_3_9.claims({model: dict.fromkeys(rows, NOTHING) for model in printed}))
        == [False] * 3
    )


def test_table_3_10():
    printed = {
        e: {q_f: score(utility) for q_f, (_b, _K, utility) in row.items()}
        for e, row in zhang_table_3_10.PRINTED_ROWS.items()
    }
    # b is not Theorem 1's: an erratum of the paper
    assert held(zhang_table_3_10.claims(printed)) == [True, False, True, True, True]
    rising = {e: {q_f: score(q_f / 99 - e / 9) for q_f in row} for e, row in printed.items()}
    assert held(zhang_table_3_10.claims(rising)) == [True, False, False, False, False]
    nothing = {e: dict.fromkeys(row, NOTHING) for e, row in printed.items()}
    assert held(zhang_table_3_10.claims(nothing)) == [True, False, False, False, False]


CLICKS = {"KA": 700, "DP_C": 40}


@pytest.mark.parametrize(
    ("study", "number", "more"),
    [(zhang_table_4_5, 3, ()), (zhang_table_4_6, 4, (CLICKS,))],
    ids=["4.5", "4.6"],
)
def test_tables_4_5_and_4_6(study, number, more):
    printed = {run: [score(first, n), score(second, n)] for run, (first, second, n) in study.PRINTED.items()}
    assert held(study.claims(printed, 9, *more)) == [True] * number
    alike = {run: [score(0.5), score(0.5)] for run in RUNS}
    assert held(study.claims(alike, 0, *more)) == [False] * number
    assert not any("few people" in claim.why for claim in study.claims(alike, 0, *more))
    assert held(study.claims({run: [NOTHING, NOTHING] for run in RUNS}, 0, *more)) == [False] * number


def test_the_trap_is_named():
    worse = score(0.5, original_on_common=0.6)
    assert (
        zhang_runs.comparison_sentence({"Original": [score(0.4)], "KA": [worse], "DP_S": [score(0.7)]})
        == "There KA did worse than the original."
    )
    assert "no anonymised log did worse" in zhang_runs.comparison_sentence({"KA": [score(0.5)]})
    assert zhang_runs.comparison_sentence({"KA": [NOTHING]}) == "No anonymised log answers any session."


def test_figure_4_2():
    falling = {k: 10_000 // k for k in zhang_figure_4_2.KS}
    names = (zhang_figure_4_2.KA, zhang_figure_4_2.DP, zhang_figure_4_2.SEQUENCES, zhang_figure_4_2.EXACT)
    printed = {name: {k: n // (1 + i) for k, n in falling.items()} for i, name in enumerate(names)}
    assert held(zhang_figure_4_2.claims(printed)) == [True] * 4
    flat = {name: dict.fromkeys(falling, 0) for name in names}
    assert held(zhang_figure_4_2.claims(flat)) == [False] * 4


def test_figure_4_3():
    def run(sessions, precision, recall):
        return {"sessions": sessions, "P@5": score(precision, interval=(0.1, 0.2)), "R@5": score(recall)}

    def curve(ks, sessions, slope):
        return {k: run(round(sessions / k), 0.2 - slope / k, 0.4 - slope / k) for k in ks}

    ks = zhang_figure_4_3.KS
    crossing = {"KA": curve(ks["KA"], 2000, 0.1), "DP_S": curve(ks["DP_S"], 1000, 0.5)}
    crossing["DP_S"][50] = run(21, 0.3, 0.5)
    assert held(zhang_figure_4_3.claims(crossing)) == [True] * 3
    other = {"KA": curve(ks["KA"], 1000, 0.1), "DP_S": curve(ks["DP_S"], 2000, 0.01)}
    other["DP_S"][50] = run(30, 0.1, 0.1)
    assert held(zhang_figure_4_3.claims(other)) == [False] * 3
    nothing = {name: {k: {"sessions": 0, "P@5": NOTHING, "R@5": NOTHING} for k in ks[name]} for name in ks}
    assert held(zhang_figure_4_3.claims(nothing)) == [False] * 3
