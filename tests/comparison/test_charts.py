"""The charts as Vega draws them."""

import re

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
    return set(re.findall(r"role-legend-label [^>]*><text[^>]*>([^<]+)</text>", drawing))


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
