"""Every command has help with an example, and the examples run."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import COMMANDS, cli
from tests.support.logs import crowd_rows, make_log

# Their examples are run against running services: tests/cli/test_crowd_help.py, tests/web/test_in_browser.py.
NOT_RUN_HERE = {"crowd", "serve"}
STUDY = Path(__file__).parents[2] / "extension" / "src" / "studies" / "shipped" / "coverage.json"
PIPELINE = """
[import]
logs = "LOG.tsv"
store = "piped"
[release]
mechanism = "Korolova(epsilon=2.3, delta=1e-5, d=20)"
out = "pipe"
"""


def commands():
    for name, (module, _text) in COMMANDS.items():
        yield name, importlib.import_module(f"crowdlog.cli.{module}").command


def examples(command: click.Command) -> list[str]:
    """The examples in a command's help, each on one line; a long one goes on in indented lines."""
    found = re.findall(r"Example: (crowdlog .+(?:\n +(?!Example)\S.*)*)", command.help or "")
    return [" ".join(example.split()) for example in found]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example(name):
    command = dict(commands())[name]
    assert examples(command), f"crowdlog {name} --help has no example"
    assert CliRunner().invoke(cli, [name, "--help"]).exit_code == 0


@pytest.mark.slow
def test_the_examples_run_in_order(tmp_path, monkeypatch):
    """One after the other in one folder that has the files they name: LOG.tsv, STORE, STUDY.json and the
    releases OUT and KANON.
    """
    log = make_log(tmp_path, crowd_rows(300, ["weather boston", "used cars"]), "LOG", budget=None)
    log.path.rename(tmp_path / "STORE")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pipeline.toml").write_text(PIPELINE)
    (tmp_path / "STUDY.json").write_bytes(STUDY.read_bytes())
    runner = CliRunner()

    def release(out, mechanism, *options):
        made = runner.invoke(cli, ["release", "STORE", mechanism, "-o", out, *options])
        assert made.exit_code == 0, made.output

    release("OUT", "Korolova(epsilon=2.3, delta=1e-5, d=20)", "--budget", "5", "1e-4")
    # The release's example comes first and the budget's last: after KANON, which has no guarantee, nothing
    # fits any more.
    order = ("release", None, "budget")
    ordered = sorted(commands(), key=lambda pair: order.index(pair[0] if pair[0] in order else None))
    for name, command in ordered:
        if name not in order and not Path("KANON").exists():
            release("KANON", "KAnonymity(k=5)", "--i-know")
        if name in NOT_RUN_HERE:
            continue
        for example in examples(command):
            words = shlex.split(example)[1:]
            fresh = [
                word if word not in ("OUT", "STORE") or words[i - 1] != "-o" else f"{word}-{name}"
                for i, word in enumerate(words)
            ]
            if name == "import":  # STORE is of the same people
                fresh += ["--ledger", "own"]
            result = runner.invoke(cli, fresh)
            assert result.exit_code == 0, f"{example}: {result.output} {result.exception!r}"
