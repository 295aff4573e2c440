"""What privacy costs, from scores made up by hand, and one small grid from beginning to end."""

import json

from click.testing import CliRunner

from crowdlog.applications.cost.answer import costs, people_needed
from crowdlog.applications.cost.grid import NOBODY, NONE, CostGrid, CostTrial
from crowdlog.applications.cost.page import cost_page
from crowdlog.cli import cli
from crowdlog.errors import InputError


def results():
    made = {(NONE, 0.0): (0.5, 0.8), ("A(epsilon=1)", 1.0): (0.1, 0.76), ("B(epsilon=1)", 1.0): (0.0, 0.4)}
    return [
        (CostTrial("tasks", mechanism, epsilon, people, seed), scores[at] + (0.02 if seed else -0.02))
        for at, people in enumerate((100, 1_000))
        for (mechanism, epsilon), scores in made.items()
        for seed in range(2)
    ]


def test_shares_are_of_the_unsanitised_score_of_most_people():
    found = {(one.mechanism, one.people): one for one in costs(results())}
    assert round(found["A(epsilon=1)", 1_000].share, 9) == 0.95
    assert round(found[NONE, 100].share, 9) == 0.625


def test_people_needed_is_the_fewest_from_which_on_enough_is_kept():
    needed = {row["mechanism"]: row["people"] for row in people_needed(costs(results()))}
    assert needed == {NONE: 1_000, "A(epsilon=1)": 1_000, "B(epsilon=1)": None}


def test_the_page_has_both_answers():
    text = cost_page(costs(results()), "crowdlog applications cost -o COST")
    assert "1,000 or fewer" in text
    assert "more than 1,000" in text
    assert "Applications and classes of artifacts" in text


def test_a_mechanism_without_epsilon_is_tried_once():
    grid = CostGrid("x", ("tasks",), (100,), (1.0, 2.0), 1)
    spellings = [run.mechanism for run in grid.runs()]
    assert spellings.count("FTu(k=20)") == 1
    assert sum(spelling.startswith("Closed") for spelling in spellings) == 2


def test_what_can_be_had_without_a_crowd_is_told_and_needs_nobody():
    grid = CostGrid("x", ("tasks", "recommendation"), (100,), (1.0,), 3)
    assert [run.application for run in grid.runs() if run.mechanism == NOBODY] == ["tasks"]
    made = [*results(), (CostTrial("tasks", NOBODY, 0.0, 1_000, 0), 0.79)]
    text = cost_page(costs(made), "crowdlog applications cost -o COST")
    needed, _mark, rest = text.partition("How many people do I need?")[2].partition("</table>")
    assert "nobody" not in needed
    assert "nobody" in rest


def test_a_small_grid_by_the_command(tmp_path):
    options = ["--only", "frustration", "--people", "60", "--epsilon", "1", "--seeds", "1", "--jobs", "1"]
    answer = CliRunner().invoke(
        cli,
        ["applications", "cost", *options, "-o", str(tmp_path / "cost"), "--json"],
        catch_exceptions=False,
    )
    assert answer.exit_code == 0
    report = json.loads(answer.stdout)
    scores = {one["mechanism"].split("(")[0]: one["score"] for one in report["costs"]}
    assert scores[""] > 0.5
    assert scores["ClosedDomain"] > 0.5
    assert "What privacy costs" in (tmp_path / "cost" / "index.html").read_text()


def test_trials_that_fail_are_listed_and_told_by_the_exit_code(tmp_path):
    options = ["--only", "frustration", "--people", "60", "--epsilon", "1e-12", "--seeds", "1", "--jobs", "1"]
    answer = CliRunner().invoke(
        cli, ["applications", "cost", *options, "-o", str(tmp_path / "cost"), "--json"]
    )
    assert isinstance(answer.exception, InputError)
    assert "of 5 trials failed" in str(answer.exception)
    report, page = json.loads(answer.stdout), (tmp_path / "cost" / "index.html").read_text()
    assert {one["mechanism"] for one in report["costs"]} >= {"", "FTu(k=20)"}  # the others are kept
    assert len(report["failed"]) == 3
    assert "scale of discrete noise" in report["failed"][0]
    assert page.count("scale of discrete noise") == 3


def test_the_sheet_of_an_application():
    answer = CliRunner().invoke(cli, ["applications", "sheet", "tasks"])
    assert "nothing: the model is downloaded whole" in answer.output
    answer = CliRunner().invoke(cli, ["applications", "cost", "--people", "3", "-o", "x"])
    assert "at least 20 people" in str(answer.exception)
