"""The charts as Vega draws them."""

import html
import re
from types import SimpleNamespace

import pytest
import vl_convert

from crowdlog.comparison.charts import against_attacks, frontier


def legend(chart, **chosen) -> set[str]:
    """The names below the drawing, with these choices made."""
    spec = chart.to_dict()
    for param in spec["params"]:
        if param["name"] in chosen:
            param["value"] = chosen[param["name"]]
    drawing = vl_convert.vegalite_to_svg(spec)
    labels = re.findall(r"role-legend-label[^>]*>(?:<text[^>]*>[^<]+</text>)+", drawing)
    return {html.unescape(name) for label in labels for name in re.findall(r">([^<]+)</text>", label)}


@pytest.mark.parametrize("make", [frontier, against_attacks])
def test_a_legend_names_the_series_that_are_drawn_and_no_others(comparison, make):
    chart = make(comparison)
    chosen = {param["name"]: param.get("value") for param in chart.to_dict()["params"]}
    known = [point for point in comparison.points if point["value"] is not None]
    attacked = {point["mechanism"] for point in known if point["name"] == chosen.get("attack")}
    points = [
        point
        for point in known
        if point["name"] == chosen["measure"] and (make is frontier or point["mechanism"] in attacked)
    ]
    every = {point["series"] for point in points}
    promised = {point["series"] for point in points if point["epsilon"] is not None}
    assert promised < every, "this comparison has both kinds"
    assert legend(chart, unpromised=True) == every
    assert legend(chart, unpromised=False) == promised


@pytest.mark.parametrize("make", [frontier, against_attacks])
def test_a_series_that_has_no_logarithm_is_not_named_on_a_logarithmic_scale(comparison, make):
    """What is 0 is drawn on the plain scale only."""
    nothing = {"value": 0.0, "low": 0.0, "high": 0.0}
    points = [
        point | (nothing if point["kind"] == "utility" and point["mechanism"] == "FTu(k=5)" else {})
        for point in comparison.points
    ]
    chart = make(SimpleNamespace(points=points))
    measure = next(each["value"] for each in chart.to_dict()["params"] if each["name"] == "measure")
    known = [point for point in points if point["name"] == measure and point["value"] is not None]
    seen = {point["series"] for point in known if point["value"] > 0}
    assert "FTu(k=5)" in legend(chart, unpromised=True, logarithmic=False) - seen
    assert legend(chart, unpromised=True, logarithmic=True) == seen
