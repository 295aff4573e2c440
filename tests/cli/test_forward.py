"""`crowdlog forward`: the examples run, files are written, bad input is one sentence."""

import json
import shlex

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.cli.forward import command
from tests.cli.test_help import examples


@pytest.mark.parametrize("name", sorted(command.commands))
def test_every_part_has_an_example(name):
    assert examples(command.commands[name])


def run(*words):
    return CliRunner().invoke(cli, ["forward", *words])


def test_a_simulation_writes_results_and_a_page(tmp_path):
    out = tmp_path / "TRAVEL"
    first = run("simulate", "--users", "200", "--queries", "5", "-o", str(out), "--json")
    assert first.exit_code == 0, first.output
    results = json.loads((out / "results.json").read_text())
    assert results == json.loads(first.output)
    assert results["figures"]["users"] == 200
    page = (out / "page.html").read_text()
    assert "<title>Queries that travel</title>" in page
    again = run("simulate", "--users", "200", "--queries", "5", "--threads", "2", "--json")
    assert json.loads(again.output) == results
    taken = run("simulate", "--users", "200", "-o", str(out))
    assert isinstance(taken.exception, Exception)
    assert "exists already" in str(taken.exception)


def test_attacks_are_listed_against_chance():
    done = run("attack", "--users", "60", "--queries", "10", "--json")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output)["rows"]
    assert {row["attack"] for row in rows} >= {"engine", "neighbour", "colluding neighbours", "owned nodes"}
    assert all(0 <= row["success"] <= 1 and 0 <= row["chance"] <= 1 for row in rows)


def test_the_engine_checks_itself():
    assert run(*shlex.split("engine --check")).output == "50,000 titles.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a file of a node's settings"),
        ('{"name": "a"}', "not a file"),
        ('{"colour": 1}', "unknown settings"),
    ],
)
def test_bad_settings_of_a_node_are_one_sentence(tmp_path, text, said):
    path = tmp_path / "node.json"
    path.write_text(text)
    failed = run("node", str(path), "--check")
    assert failed.exit_code != 0
    assert said in str(failed.exception)
    assert not isinstance(failed.exception, click.Abort)
