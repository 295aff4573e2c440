"""`crowdlog forward`: the examples run, files are written, bad input is one sentence."""

import json
import shlex

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.cli.forward import command
from crowdlog.errors import InputError
from crowdlog.forwarding.node.certificates import Authority
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


NODE = {
    "name": "anna",
    "engine": "http://127.0.0.1:9/?q={query}",
    "certificate": "anna.crt",
    "key": "anna.key",
    "authority": "authority.crt",
    "neighbours": [{"name": "bob", "host": "127.0.0.1", "port": 9}],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"port": "x"}, "'port' must be a whole number"),
        ({"port": 70_000}, "'port' must be a whole number"),
        ({"page_port": True}, "'page_port' must be"),
        ({"neighbours": [{"name": "bob", "host": "127.0.0.1", "port": "80"}]}, "neighbour's 'port'"),
        ({"neighbours": [{"name": "bob", "host": "a..b", "port": 9}]}, "neighbour's 'host'"),
        ({"neighbours": [{"name": 7, "host": "127.0.0.1", "port": 9}]}, "neighbour's 'name'"),
        ({"neighbours": []}, "at least one"),
        ({"name": "bob"}, "name of its own"),
        ({"name": "an\nna"}, "'name' must be"),
        ({"delay": float("nan")}, "'delay' must be seconds"),
        ({"cover": -1}, "'cover' must be seconds"),
        ({"answer_seconds": float("inf")}, "'answer_seconds' must be seconds, above 0"),
        ({"accept_seconds": 0}, "'accept_seconds' must be seconds, above 0"),
        ({"token": '";alert(1)//0123456789'}, "'token' must be"),
        ({"token": "short"}, "'token' must be"),
        ({"certificate": "nosuch.crt"}, "cannot be read"),
        ({"engine": "ftp://x/{query}"}, "'engine' must be"),
    ],
)
def test_each_bad_setting_is_named(tmp_path, change, said):
    Authority().issue("anna", tmp_path)
    (tmp_path / "authority.crt").write_bytes(Authority().certificate())
    path = tmp_path / "node.json"
    path.write_text(json.dumps(NODE))
    assert run("node", str(path), "--check").exit_code == 0
    path.write_text(json.dumps({**NODE, **change}))
    failed = run("node", str(path), "--check")
    assert isinstance(failed.exception, InputError)
    assert said in str(failed.exception)


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
