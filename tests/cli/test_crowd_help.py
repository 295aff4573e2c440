"""Every example in the help of `crowdlog crowd` runs as it is written, one after the other in one folder,
against a running trial.

Only what cannot be known beforehand is put in: the id of the collection and the link of an invitation.
"""

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.crowd.manifest import Job
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_joining
from tests.cli.test_help import examples

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]
LOG = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n7\tweather\t2006-03-01 00:00:00\t1\thttp://w.example\n"
# In the order of a collection's life; `up` comes before, `simulate` and `attack` need no trial.
ORDER = [
    "serve",
    "collection",
    "create",
    "list",
    "invite",
    "retry",
    "repeat",
    "panel",
    "extend",
    "cancel",
    "join",
    "mine",
    "account",
    "due",
    "receipt",
    "outbox",
    "status",
    "close",
    "send",
    "publish",
    "preview",
    "release",
    "leave",
    "simulate",
    "attack",
]


def _commands() -> dict[str, click.Command]:
    crowd = cli.get_command(click.Context(cli), "crowd")
    return {**crowd.commands, **crowd.commands["collection"].commands}


def _run(example: str, known: dict[str, str]) -> None:
    words = [known.get(word, word) for word in shlex.split(example)[1:]]
    result = CliRunner().invoke(cli, words, input="y\n")
    assert result.exit_code == 0, f"{example}: {result.output} {result.exception!r}"


def test_the_examples_run_as_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CROWDLOG_HOME", str(tmp_path / "home"))
    Path("TOKEN").write_text("t" * 32)
    Path("my-searches.tsv").write_text(LOG)
    commands, known, nested, rounds = _commands(), {}, "", ""
    assert set(commands) == {"up", *ORDER}
    for example in examples(commands["up"]):
        _run(example, known)
    unlimited = {name: ["--rate", "0"] for name in ("randomness", "mix1", "mix2", "aggregation")}
    with LocalServices(Path("trial"), options=unlimited) as services, services.operator() as operator:
        for name in ORDER:
            for example in examples(commands[name]):
                # the nested collection of the second example is the one that is cancelled
                other = {"cancel": nested, "repeat": rounds}.get(name, known.get("ID", ""))
                _run(example, {**known, "ID": other})
            if name == "create":
                rounds = operator.create(Terms("Rounds", 5, job=Job(repeat_seconds=86_400)), 0)[0].id
                nested = Path("nested.txt").read_text().split("/collections/")[1].split("#")[0]
                link = Path("links.txt").read_text().split()[0]
                known = {
                    "ID": link.split("/")[-1].split("#")[0],
                    "https://study.example/collections/ID#INVITATION": link,
                }
                # nine others join too: less than k people have nothing evaluated
                others = [one.split("#")[1] for one in Path("links.txt").read_text().split()[1:10]]
                play_joining(operator.manifest(known["ID"]).to_json(), others)
            if name == "close":
                operator.wait_open(known["ID"])
    assert Path("crowdlog/label.json").exists()
    assert all(examples(command) for command in commands.values())
    assert set(examples(cli.get_command(click.Context(cli), "crowd"))) <= set(examples(commands["simulate"]))
