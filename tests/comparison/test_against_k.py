"""Curves against k, and the k that a target exposure asks for."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from crowdlog.comparison import compare
from crowdlog.comparison.against_k import against_k, curves, numbers, suggested_k, suggestions
from crowdlog.comparison.page import report_page
from tests.comparison.test_charts import legend
from tests.support.logs import make_log


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    """Users with two private queries each, so that a record of k users exposes about 1/k of each."""
    folder = tmp_path_factory.mktemp("against")
    rows = [
        (f"u{user}", f"word{user}x{i % 8}", 1000 * user + i, None) for user in range(16) for i in range(16)
    ]
    log = make_log(folder, rows)
    paper = "distance='equality', word_users=1, names='allow'"
    mechanisms = [f"Mdav(k=[2, 4, 8], {paper})", "FTu(k=5)", "Pseudonyms()"]
    return compare(log, mechanisms, seeds=1, utility=["ilr"], attacks=["exposure", "linkage"], jobs=1)


def test_curves_are_of_methods_with_several_k(comparison):
    found = curves(comparison)
    assert {point["k"] for point in found} == {2, 4, 8}
    assert {point["method"] for point in found} == {"Mdav(word_users=1, names='allow', distance='equality')"}
    levels = {point["k"]: point["value"] for point in found if point["name"] == "exposure"}
    for k, level in levels.items():
        assert abs(level - 1 / k) < 0.05


def test_k_for_a_target(comparison):
    (method,) = suggested_k(comparison, 0.4)
    assert suggested_k(comparison, 0.6) == {method: 2}
    assert suggested_k(comparison, 0.4) == {method: 4}
    assert suggested_k(comparison, 0.01) == {method: None}
    table = suggestions(comparison)
    assert [cell.text for cell in table.rows[0][1:]] == ["k = 2", "k = 4", "k = 4", "k = 8", "no k tried"]


def test_the_page_has_the_curve_its_numbers_and_the_k(comparison):
    page = report_page(comparison)
    assert "Risk and utility against k" in page
    assert "Which k for which mean exposure" in page
    assert against_k(comparison) is not None
    assert any(row[1].text.startswith("ilr") for row in numbers(comparison).rows)


def test_a_legend_names_the_methods_whose_number_is_drawn(comparison):
    """Another method that was tried with two k, and not attacked by linkage."""
    method = curves(comparison)[0]["method"]
    others = [
        point | {"mechanism": f"FTu(k={point['k']})"}
        for point in curves(comparison)
        if point["name"] == "exposure"
    ]
    chart = against_k(SimpleNamespace(points=[*comparison.points, *others]))
    assert legend(chart, number="exposure") == {method, "FTu()"}
    assert legend(chart, number="linkage") == {method}
