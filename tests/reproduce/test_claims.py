"""Claims can fail: a wrong shape is called different, with a reason; an empty result proves nothing."""

import math

import pytest

from crowdlog.reproduce import shapes
from crowdlog.reproduce.bench import Coverage
from crowdlog.reproduce.studies import (
    feild_attacks,
    feild_figure_3_5,
    feild_figure_3_6,
    feild_figure_3_7,
    feild_spans,
    korolova_figure_2,
    korolova_figure_3,
    korolova_figure_4,
    korolova_table_2,
    korolova_table_3,
    korolova_table_5,
)
from crowdlog.reproduce.studies.korolova_release import DS, SPANS
from crowdlog.reproduce.studies.korolova_tables import DELTAS, EXPONENTIALS


def held(claims):
    for claim in claims:
        assert claim.text.endswith((".", ".)"))
        assert claim.holds or claim.why, claim.text
    return [claim.holds for claim in claims]


def covered(share, number=1):
    return Coverage(share, share, number, number)


def test_shapes():
    assert shapes.falls([3, 2, 2, 1])
    assert not shapes.falls([3, 2, 2.5, 1])
    assert not shapes.falls([0, 0])
    assert not shapes.falls([1])
    assert shapes.rises([1, 1, 2])
    assert shapes.peak({1: 2.0, 5: 3.0, 9: 3.0}) == 5
    assert shapes.peaks_inside({1: 2.0, 5: 3.0, 9: 1.0})
    assert not shapes.peaks_inside({1: 0.0, 5: 0.0})
    assert shapes.always_above([2, 2], [2, 1])
    assert not shapes.always_above([0, 0], [0, 0])


def test_figure_2():
    distinct = {d: 0.75 / d for d in DS}
    as_printed = {d: 34 - 10 * abs(math.log10(d / 20)) for d in DS}
    assert held(korolova_figure_2.claims(distinct, as_printed)) == [True] * 5
    rising = {d: 0.1 + d for d in DS}
    assert held(korolova_figure_2.claims(rising, {d: 0.01 * d for d in DS})) == [False] * 5
    nothing = dict.fromkeys(DS, 0.0)
    assert not any(held(korolova_figure_2.claims(nothing, nothing)))


def test_figures_3_and_4():
    alike = {
        name: {d: Coverage(0.01 / d, 0.3 - abs(math.log(d / best)) / 99, days, days) for d in DS}
        for (name, days), best in zip(SPANS.items(), DS, strict=False)
    }
    assert held(korolova_figure_3.claims(alike)) == [True] * 3
    assert held(korolova_figure_4.claims(alike)) == [True] * 2
    upside_down = {
        name: {d: Coverage(0.01 * d * days, 0.1, -days, -days) for d in DS} for name, days in SPANS.items()
    }
    assert held(korolova_figure_3.claims(upside_down)) == [False] * 3
    assert held(korolova_figure_4.claims(upside_down)) == [False] * 2


def test_tables_2_and_3():
    printed = {
        (e, delta): korolova_table_2.PRINTED[j][i]
        for i, e in enumerate(EXPONENTIALS)
        for j, delta in enumerate(DELTAS)
    }
    impressions = {
        (e, delta): korolova_table_3.PRINTED[j][i]
        for i, e in enumerate(EXPONENTIALS)
        for j, delta in enumerate(DELTAS)
    }
    assert held(korolova_table_2.claims(printed)) == [True] * 2
    assert held(korolova_table_3.claims(impressions, printed)) == [True] * 3
    falling = {key: 1 / value for key, value in printed.items()}
    assert held(korolova_table_2.claims(falling)) == [False] * 2
    assert held(korolova_table_3.claims(falling, dict.fromkeys(falling, 1.0))) == [False, False, True]
    assert held(korolova_table_3.claims(printed, impressions)) == [True, True, False]
    empty = dict.fromkeys(printed, 0.0)
    assert not any(held(korolova_table_3.claims(empty, empty)))


def test_table_5():
    def rows(released, original, overlap):
        return [
            {"released": r, "original": o, "both": round(overlap * r)}
            for r, o in zip(released, original, strict=True)
        ]

    names = korolova_table_5.RELEASED
    printed = {name: rows(names[name], korolova_table_5.ORIGINAL[name], 0.9) for name in names}
    assert (
        held(korolova_table_5.claims(printed, korolova_table_5.QUERIES, korolova_table_5.EDGES)) == [True] * 5
    )
    assert not any(
        held(korolova_table_5.claims({name: rows([0] * 4, [5] * 4, 0) for name in names}, 5.0, 2.0))
    )


def test_figure_3_5():
    ks, dp = feild_figure_3_5.KS, feild_figure_3_5.KS[2:]
    of = {
        "FT_a": {k: Coverage(0.2 / k, 0.9 - k / 1000, 9, 9) for k in ks},
        "FT_u": {k: Coverage(0.1 / k, 0.8 - k / 1000, 9, 9) for k in ks},
        "DP_a": {k: Coverage(0.02 / k, 0.1 + k / 10_000, 9, 9) for k in dp},
        "DP_u": {k: Coverage(0.01 / k, 0.1 + k / 10_000, 9, 9) for k in dp},
        "ZEALOUS": {k: Coverage(0.005 / k, 0.01, 1, 1) for k in dp[2:]},
    }
    as_printed = dict.fromkeys(feild_figure_3_5.ARTIFACTS, of)
    assert held(feild_figure_3_5.claims(as_printed)) == [True] * 9
    swapped = {
        "FT_a": {k: of["DP_u"].get(k, covered(0.5)) for k in ks},
        "FT_u": {k: covered(0.2 + k / 1000) for k in ks},
    }
    swapped |= {
        "DP_a": {k: covered(0.8 - k / 1000) for k in dp},
        "DP_u": {k: covered(k / 1000) for k in dp},
        "ZEALOUS": {k: covered(0.9) for k in dp},
    }
    assert held(feild_figure_3_5.claims(dict.fromkeys(feild_figure_3_5.ARTIFACTS, swapped))) == [False] * 9
    nothing = {name: {k: Coverage(0, 0, 0, 0) for k in ks} for name in of}
    assert (
        held(feild_figure_3_5.claims(dict.fromkeys(feild_figure_3_5.ARTIFACTS, nothing)))[1:] == [False] * 8
    )


def test_figure_3_6():
    flat = {name: dict.fromkeys((2, 32, *feild_figure_3_6.KS), 1.0) for name in ("DP_a", "DP_u", "ZEALOUS")}
    assert held(feild_figure_3_6.claims(flat, [["DP_u", 128, 13.63, 13.63, 99]])) == [False] * 4


@pytest.mark.parametrize(("noisy", "expected"), [(0.9, True), (0.5, False), (0.0, False)])
def test_figure_3_7(noisy, expected):
    ours = {"FT_a": {128: 1.0}, "FT_u": {128: 1.0}, "DP_a": {128: noisy}, "DP_u": {128: noisy}}
    assert held(feild_figure_3_7.claims(ours, (0.9, 0.7))) == [expected]


def test_figures_3_8_and_3_9():
    keys = [(a, m, s) for a in feild_spans.ARTIFACTS for m in feild_spans.PRIVATE for s in feild_spans.SPANS]
    height = {"Days": 1.0, "Half-month": 2.0, "Month": 3.0}
    as_printed = {(a, m, s): {d: height[s] * d for d in feild_spans.DS} for a, m, s in keys}
    as_printed |= {("query", m, "Days"): {1: 4.0, 10: 1.0, 100: 1.0} for m in feild_spans.PRIVATE}
    as_printed |= {
        ("pair", m, s): {d: float(s == "Month") for d in feild_spans.DS}
        for m in feild_spans.PRIVATE
        for s in height
    }
    assert held(feild_spans.claims(as_printed)) == [True] * 4
    upside_down = {
        (a, m, s): {d: 4 - height[s] if d > 1 else height[s] for d in feild_spans.DS} for a, m, s in keys
    }
    assert held(feild_spans.claims(upside_down)) == [False] * 4
    assert not any(held(feild_spans.claims({key: dict.fromkeys(feild_spans.DS, 0.0) for key in keys})))


def test_attacks():
    def result(success, note="nothing", **details):
        return {"success": success, "chance": 0.0, "details": details, "note": note}

    broken = result(1.0, trials=40, breaches=7, in_the_log=40)
    names = ["FT_u", "FT_a", *(f"{which}, k = {k}" for which in ("triples", "completion") for k in (5, 2))]
    as_printed = dict.fromkeys(names, broken) | {"DP_u": result(None), "with noise": result(None)}
    assert held(feild_attacks.claims(as_printed, 19_402_216)) == [True] * 9
    other = dict.fromkeys(names, result(None)) | {"DP_u": broken, "with noise": broken}
    assert held(feild_attacks.claims(other, 19_402_216)) == [
        False,
        False,
        False,
        True,
        False,
        False,
        False,
        False,
        False,
    ]
