"""Every --json is versioned: a program that reads one can tell whether it knows it."""

import ast
import json
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

import crowdlog.cli
from crowdlog.cli import _end, cli
from crowdlog.cli.output import JSON_VERSION, show_json


def commands(group: click.Group, above: str = "") -> dict[str, click.Command]:
    context = click.Context(group)
    found = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        path = f"{above} {name}".strip()
        found |= commands(command, path) if isinstance(command, click.Group) else {path: command}
    return found


def test_nearly_every_command_has_json():
    with_json = {
        path for path, command in commands(cli).items() if any("--json" in p.opts for p in command.params)
    }
    assert len(with_json) > 40
    assert {"import", "guide", "plan", "release", "budget", "verify", "site", "run", "compare"} <= with_json


def test_json_is_printed_by_the_one_function_that_tells_the_version(capsys):
    """`print` and `click.echo` get no text that json.dumps has just made, but for errors and log lines."""
    for path in Path(crowdlog.cli.__file__).parent.glob("*.py"):
        if path.name in ("__init__.py", "output.py"):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("click.echo", "print"):
                assert "json.dumps(" not in ast.unparse(call), path.name
    show_json([1])
    assert json.loads(capsys.readouterr().out) == {"json_version": JSON_VERSION, "items": [1]}


WITH_JSON = sorted(
    path for path, command in commands(cli).items() if any("--json" in p.opts for p in command.params)
)


@pytest.mark.parametrize("path", WITH_JSON)
def test_an_error_of_any_command_is_one_object_and_nothing_else(path, monkeypatch, capsys):
    words = [*path.split(), "--no-such-option", "--json"]
    monkeypatch.setattr(sys, "argv", ["crowdlog", *words])
    with pytest.raises(click.ClickException) as error:
        cli.main(words, standalone_mode=False)
    with pytest.raises(SystemExit):
        _end(error.value)
    told = capsys.readouterr()
    assert told.out == ""
    (line,) = told.err.splitlines()
    assert json.loads(line)["error"]["kind"] == "input"


CROWD = "Crowd(epsilon=2, delta=1e-4)"
# From a log to a site and back, each step of the guides with --json. The names of the columns have to be
# guessed, and hardly anything is to be expected of the release: both are remarked upon.
FIRST_HOUR = (
    "synth log.tsv --users 300 --seed 3",
    "import other.csv -o store --yes",
    "show store",
    "check store",
    "formats",
    "mechanisms",
    "guide store --people 300",
    f"plan store '{CROWD}'",
    "budget store --epsilon 5 --delta 1e-3",
    f"release store '{CROWD}' -o out/one",
    "release store 'FTu(k=200)' -o two --i-know",
    "resume store",
    "label out/one",
    "explain out/one",
    "export out/one --format tsv -o tables",
    "site out -o public",
    "verify out/one",
    "verify two --truth store",
    "split store -o parts",
)


@pytest.mark.slow
def test_each_step_of_the_first_hour_prints_one_object_and_remarks_are_objects_too(tmp_path):
    (tmp_path / "other.csv").write_text(
        "cookie,searched,query,time\n"
        + "".join(f"p{n % 40},x,book {n % 3},2024-03-01 10:{n % 60:02}:00\n" for n in range(400))
    )
    noted = []
    for line in FIRST_HOUR:
        words = [sys.executable, "-m", "crowdlog.cli", *shlex.split(line), "--json"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, (line, done.stderr)
        assert json.loads(done.stdout)["json_version"] == JSON_VERSION, line
        noted += [json.loads(each)["note"] for each in done.stderr.splitlines()]
    assert any("--columns" in sentence for sentence in noted)
