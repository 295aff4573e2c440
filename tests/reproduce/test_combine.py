"""Statements by their votes, numbers by their means."""

import pytest

from crowdlog.reproduce.combine import combined
from crowdlog.reproduce.plots import Point, bars, curves
from crowdlog.reproduce.study import Claim, Panel, Result


def result(value, *, holds=True, rows=1, chart=curves):
    drawing = chart([Point(1, value, "a"), Point(2, value + 1, "a")], x="x", y="y")
    panel = Panel("P", ["name", "value", "none"], [["a", value, None]] * rows, drawing)
    return Result([panel], [Claim("It is so.", holds, "" if holds else f"it is {value}")], "Set up.")


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [((True,) * 5, "holds"), ((False,) * 5, "differs"), ((True, False, True, True, True), "undecided")],
)
def test_all_seeds_must_agree(votes, verdict):
    (claim,) = combined([result(i, holds=vote) for i, vote in enumerate(votes)]).claims
    assert claim.verdict == verdict
    assert claim.votes == votes
    assert claim.holds == (verdict == "holds")
    assert claim.why == ("" if verdict == "holds" else f"it is {votes.index(False)}")


@pytest.mark.parametrize("chart", [curves, bars])
def test_numbers_are_means_in_table_and_drawing(chart):
    (panel,) = combined([result(value, chart=chart) for value in (1, 2, 6)]).panels
    assert panel.rows == [["a", 3.0, None]]
    assert '"y": 3.0' in repr(panel.chart).replace("'", '"')
    assert '"y": 4.0' in repr(panel.chart).replace("'", '"')


def test_rows_that_depend_on_the_noise_stay_as_in_the_first_run():
    (panel,) = combined([result(1.0, rows=2), result(2.0)]).panels
    assert panel.rows == [["a", 1.0, None]] * 2


def test_a_result_of_one_seed_is_itself():
    alone = result(1.5, holds=False)
    assert combined([alone]).panels == alone.panels
    assert combined([alone]).claims[0].verdict == "differs"
