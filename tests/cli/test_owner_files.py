"""What a command writes for the owner of a log alone is closed to others, however open the umask is."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from tests.support.logs import crowd_rows, make_log

COVERAGE = ["--on", "coverage", "--with", "singles"]
# Commands that write texts, ids or exact figures of a log: how each is run on a small one.
OWNERS = {
    "import": ["log.tsv", "-o", "new", "--ledger", "own"],
    "split": ["log-store", "-o", "new", "--folds", "2"],
    "compare": ["log-store", "FTu(k=2)", "--seeds", "1", "--jobs", "1", *COVERAGE, "-o", "new.html"],
    "semantic": ["log-store", "--theta", "1", "-o", "new"],
    "tasks train": ["log.tsv", "--labels", "tasks.tsv", "-o", "new.json"],
    "tasks vectors": ["log.tsv", "--labels", "tasks.tsv", "-o", "new"],
    "tasks find": ["log-store", "--baseline", "time-gap", "-o", "new.tsv"],
    "recommend build": ["log-store", "-o", "new.npz"],
    "recommend run": ["graph.npz", "contexts.jsonl", "--model", "decay", "-o", "new.jsonl"],
    "recommend mix": ["contexts.jsonl", "--off", "1", "--draws", "1", "-o", "new.jsonl"],
    "frustration train": ["study.tsv", "-o", "new.json"],
    "frustration vectors": ["study.tsv", "-o", "new"],
    "frustration pseudo": ["study.tsv", "--users", "20", "-o", "new"],
    "frustration find": ["study.tsv", "--model", "model.json", "-o", "new.tsv"],
    "forward simulate": ["--log", "log-store", "--users", "30", "--queries", "30", "-o", "new"],
}
# What they write is meant for everybody: releases and what is made of them, made-up logs, studies.
PUBLIC = {
    *("release", "resume", "page", "export", "site", "synthesize", "demo", "synth", "frustration synth"),
    *("applications cost", "reproduce", "study sign", "study catalogue"),
}
# With tests of their own: tests/forwarding/test_node_circle.py, tests/cli/test_crowd.py.
ELSEWHERE = {
    "forward circle",
    *(f"crowd collection {name}" for name in ("create", "repeat", "preview", "publish", "retry")),
}


def leaves(command: click.Command, way: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            each = command.get_command(click.Context(command), name)
            assert each is not None
            yield from leaves(each, (*way, name))
    else:
        yield " ".join(way), command


def test_every_command_that_writes_a_file_is_known_here():
    writing = {
        name
        for name, command in leaves(cli)
        for option in command.params
        if {"-o", "--out", "--to", "--links"} & set(option.opts)
    }
    assert writing - OWNERS.keys() - PUBLIC - ELSEWHERE == set()
    assert OWNERS.keys() <= writing


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """A log with its store, a graph, contexts, true tasks, a study and a model of it."""
    folder = tmp_path_factory.mktemp("owners")
    make_log(folder, crowd_rows(40, ["cheap flights", "cheap hotels rome", "rome museum"]))
    lines = (folder / "log.tsv").read_text().splitlines()[1:]
    rows = [line.split("\t")[:3] for line in lines]
    tasks = [f"{user}\t{time}\t{query}\t{number % 2}" for number, (user, query, time) in enumerate(rows)]
    (folder / "tasks.tsv").write_text("AnonID\tQueryTime\tQuery\tTask\n" + "\n".join(tasks) + "\n")
    contexts = [{"id": "1", "context": ["cheap flights"]}, {"id": "2", "context": ["rome museum"]}]
    (folder / "contexts.jsonl").write_text("".join(json.dumps(each) + "\n" for each in contexts))
    run(folder, "recommend", "build", "log-store", "-o", "graph.npz")
    run(folder, "frustration", "synth", "study.tsv", "--people", "6")
    run(folder, "frustration", "train", "study.tsv", "-o", "model.json")
    return folder


def run(folder, *words):
    here = Path.cwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(cli, [*words])
    finally:
        os.chdir(here)
    assert done.exit_code == 0, (words, done.output, done.exception)


@pytest.mark.parametrize("name", OWNERS)
def test_what_is_for_the_owner_is_closed_to_others(given, name):
    before = set(given.rglob("*"))
    mask = os.umask(0)
    try:
        run(given, *name.split(), *OWNERS[name])
    finally:
        os.umask(mask)
    new = set(given.rglob("*")) - before
    files = [path for path in new if path.is_file()]
    assert files
    for path in files:
        around = [path, *(each for each in path.parents if each in new)]
        assert any(not each.stat().st_mode & 0o077 for each in around), (path.name, oct(path.stat().st_mode))
    for path in sorted(new, reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
