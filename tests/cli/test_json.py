"""Every --json is versioned: a program that reads one can tell whether it knows it."""

import ast
import json
from pathlib import Path

import click

import crowdlog.cli
from crowdlog.cli import cli
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
