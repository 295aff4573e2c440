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
from crowdlog.log.store import LogStore
from crowdlog.release.publish import open_ledger
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
    assert {"Hops of a query", "Load: queries submitted by a user"} <= {t["title"] for t in results["tables"]}
    assert "Hops of a query" in page
    again = run("simulate", "--users", "200", "--queries", "5", "--threads", "2", "--json")
    assert json.loads(again.output) == results
    taken = run("simulate", "--users", "200", "-o", str(out))
    assert isinstance(taken.exception, Exception)
    assert "exists already" in str(taken.exception)


def test_the_command_on_the_page_gives_the_same_results(tmp_path):
    """All options stand in it, so that the page can be made again."""
    (tmp_path / "edges.txt").write_text("\n".join(f"{i} {(i * 7 + 1) % 40}" for i in range(40)))
    asked = [
        "simulate", "--queries", "6", "--repeated", "--selfish", "0.2", "--offline", "0.1", "--returns",
        "never twice", "--theta", "0.5", "0.7", "--seed", "8", "--graph", str(tmp_path / "edges.txt"),
    ]  # fmt: skip
    first = json.loads(run(*asked, "--json", "--threads", "2").output)
    words = shlex.split(first["command"])
    assert words[:2] == ["crowdlog", "forward"]
    assert "edges.txt" in words  # not where it lies
    words[words.index("edges.txt")] = str(tmp_path / "edges.txt")
    again = json.loads(run(*words[2:], "--json").output)
    assert again == first
    assert first["rules"]["selfish"] == 0.2


def test_what_selfishness_costs_stands_in_the_figures():
    told = json.loads(
        run("simulate", "--users", "300", "--queries", "60", "--selfish", "0.1", "--json").output
    )["figures"]
    assert told["selfish users"] == 30
    assert (
        told["selfish: share with PEL of 60 % or more"] > 2 * told["honest: share with PEL of 60 % or more"]
    )


def test_the_users_of_a_log_search(tmp_path):
    source = tmp_path / "log.tsv"
    assert CliRunner().invoke(cli, ["synth", str(source), "--users", "60", "--seed", "3"]).exit_code == 0
    store = tmp_path / "store"
    assert CliRunner().invoke(cli, ["import", str(source), "-o", str(store)]).exit_code == 0
    out = tmp_path / "TRAVEL"
    done = run("simulate", "--log", str(store), "--queries", "30", "-o", str(out), "--json")
    assert done.exit_code == 0, done.output
    figures = json.loads(done.output)["figures"]
    with open_ledger(LogStore.open(store)) as ledger:
        assert [look.how for look in ledger.looks()] == ["forward"]
    assert figures["users"] <= 60
    assert figures["queries"] <= 30 * figures["users"]
    assert figures["answered"] == figures["queries"]
    page = (out / "page.html").read_text()
    assert "Its users are those of a log" in page
    assert "made up" not in page


def test_a_seed_beyond_what_json_holds_is_refused():
    assert run("simulate", "--users", "20", "--seed", str(2**70)).exit_code != 0


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
