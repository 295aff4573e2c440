"""Planted texts must never come out of a message, a progress bar, a repr or a left-over file."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.publish import publish
from tests.support.logs import crowd_rows, make_log

CANARY = "canary4111111111111111"


@pytest.fixture
def world(tmp_path):
    rows = [
        *crowd_rows(40, ["weather boston"]),
        ("u3", f"{CANARY} visa", 9000, f"http://{CANARY}.example"),
        (f"{CANARY}user", "weather boston", 9, None),
    ]
    return make_log(tmp_path, rows), tmp_path


def everything_said(*words: str, folder: Path) -> str:
    """All output of a command on a terminal, where progress bars show."""
    main, other = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "crowdlog.cli", *words],
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=other,
        cwd=folder,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(other)
    said = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:  # the other end is closed: the program has ended
            break
        if not piece:
            break
        said += piece
    process.wait()
    os.close(main)
    return said.decode(errors="replace")


@pytest.mark.slow
def test_commands_never_say_what_a_person_searched(world):
    log, folder = world
    store = str(log.path)
    commands = [
        ["import", "log.tsv", "-o", "again"],
        ["import", "log.tsv", "-o", "again"],  # exists already: an error
        ["import", "log.tsv", "--format", "excite", "-o", "wrong"],  # every row is bad
        ["import", "log.tsv", "--format", "excite", "--strict", "-o", "wrong"],
        ["show", store],
        ["show", store, "--json"],
        ["plan", store, "DPu(epsilon=4, delta=1e-9, d=2)"],
        ["release", store, "DPu(epsilon=4, delta=1e-9, d=2)", "-o", "out"],
        ["release", store, "FTu(k=2)", "-o", "refused"],
        ["release", store, "FTu(k=2)", "-o", "out2", "--i-know"],
        ["label", "out"],
        ["explain", "out2"],
        ["export", "out2", "--format", "graphml", "-o", "graph"],  # no graph: an error
        ["budget", store],
        ["resume", store],
    ]
    for words in commands:
        assert CANARY not in everything_said(*words, folder=folder), words


def test_no_released_file_and_no_left_over_holds_it(world):
    log, folder = world
    publish(
        parse("Korolova(epsilon=4, delta=1e-9, d=2)"),
        log,
        folder / "out",
        i_know=True,
        randomness=SeededRandomness(1),
    )
    for path in (folder / "out").rglob("*"):
        assert CANARY.encode() not in path.read_bytes(), path.name
    assert [path.name for path in folder.iterdir() if "partial" in path.name] == []


def test_reprs_hold_no_text(world):
    log, folder = world
    mechanism = parse("FTu(k=1)")
    shown = [
        repr(log),
        repr(mechanism),
        repr(mechanism.protect(log, SeededRandomness(1))),
        repr(publish(mechanism, log, folder / "out", i_know=True)),
    ]
    assert all(CANARY not in text for text in shown)
    assert all("weather" not in text for text in shown)


def test_an_unknown_error_of_ours_shows_its_type_only(world, monkeypatch, capsys):
    import crowdlog.cli

    def broken(*_args: object, **_options: object) -> None:
        raise RuntimeError(f"could not handle {CANARY}")

    monkeypatch.setattr(crowdlog.cli, "cli", broken)
    with pytest.raises(SystemExit) as stopped:
        crowdlog.cli.main()
    said = capsys.readouterr()
    assert stopped.value.code == 3
    assert "RuntimeError" in said.err
    assert CANARY not in said.err + said.out
