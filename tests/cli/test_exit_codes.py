"""0 ok, 1 your input, 2 refused for privacy, 3 our fault; one sentence, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from crowdlog.log.store import LogStore
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("codes")
    make_log(path, crowd_rows(50, ["weather boston"]), "LOG").path.rename(path / "STORE")
    return path


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["release", "STORE", "DPu(epsilon=4, delta=1e-9, d=2)", "-o", "fine"], 0, ""),
        (["release", "NOWHERE", "DPu(epsilon=4, delta=1e-9, d=2)", "-o", "x"], 1, "NOWHERE"),
        (
            ["release", "STORE", "DPu(epsilon=-1, delta=1e-9, d=2)", "-o", "x"],
            1,
            "The 'epsilon' parameter of DPu must be a number above 0. Got -1",
        ),
        (["release", "STORE", "DPu(epsilon=4, delta=1e-9, d=2)"], 1, "Missing option"),
        (["release", "STORE", "FTu(k=2)", "-o", "x"], 2, "--i-know"),
        (
            ["release", "STORE", "DPu(epsilon=4, delta=0.1, d=2)", "-o", "x"],
            2,
            "one over the number of users",
        ),
        (["label", "STORE"], 1, "is not a release"),
        (["show", "LOG.tsv"], 1, "LOG.tsv"),
        (["budget", "STORE", "--epsilon", "1"], 1, "both --epsilon and --delta"),
        (["reproduce", "nothing of this name"], 1, "No published number"),
    ],
)
def test_exit_code_and_sentence(words, code, sentence, folder):
    done = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
    if code:
        assert done.stderr.startswith("crowdlog: ")
        assert len(done.stderr.strip().splitlines()) == 1


LONG = "x" * 300


@pytest.mark.parametrize(
    "words",
    [
        ["import", LONG, "-o", "y"],
        ["import", "LOG.tsv", "-o", LONG, "--ledger", "own"],
        ["import", "LOG.tsv", "-o", "y", "--ledger", LONG, "--new-ledger"],
        ["site", LONG, "-o", "y"],
        ["semantic", "STORE", "-o", LONG],
    ],
)
def test_a_name_that_is_too_long_is_the_owners_input(words, folder):
    done = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "File name too long" in done.stderr) == (1, True), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "done"),
    [
        (
            ["import", "LOG.tsv", "-o", "y", "--ledger", "own", "--users-are-fine"],
            lambda folder: LogStore.open(folder / "y"),
        ),
        (["budget", "STORE", "--book", "1", "1e-6"], lambda folder: booked(folder) == 1),
    ],
)
def test_what_was_done_is_not_denied_when_it_cannot_be_printed(words, done, folder):
    with Path("/dev/full").open("w", encoding="utf-8") as nowhere:
        told = subprocess.run(
            [sys.executable, "-m", "crowdlog.cli", *words],
            cwd=folder,
            stdout=nowhere,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done(folder)
    assert told.returncode == 1
    assert "what it printed did not arrive" in told.stderr
    assert "look before you run it again" in told.stderr


def booked(folder):
    with open_ledger(LogStore.open(folder / "STORE")) as ledger:
        return sum(entry.mechanism == "booked by hand" for entry in ledger.entries())
