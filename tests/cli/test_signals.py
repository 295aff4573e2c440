"""The right words and the right exit code when a command is ended from outside."""

import os
import resource
import signal
import subprocess
import sys

import pytest

from crowdlog.errors import noted
from crowdlog.mechanisms import parse
from crowdlog.privacy.ledger import Ledger
from crowdlog.release.publish import open_ledger, publish
from tests.support.logs import crowd_rows, make_log

SPELLING = "DPu(epsilon=1, delta=1e-4, d=2)"
STOP = """
import os, signal, sys
import {module} as place

signal.signal({number}, signal.SIG_DFL if {number} != signal.SIGINT else signal.default_int_handler)  # nohup

def stop(*_words, **_options):
    os.kill(os.getpid(), {number})
    raise AssertionError("the signal did not stop it")

place.{name} = stop
from crowdlog.cli import main
sys.argv = ["crowdlog", *{words}]
main()
"""


def stopped(module, name, number, words, **options):
    """Run a command whose function of this name sends the signal to its own process."""
    program = STOP.format(module=module, name=name, number=int(number), words=[*map(str, words)])
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(60, ["weather"]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_import_that_is_ended_leaves_nothing(log, tmp_path, number):
    before = {path.name for path in tmp_path.iterdir()}
    words = ["import", tmp_path / "log.tsv", "-o", tmp_path / "new", "--ledger", "own"]
    done = stopped("crowdlog.log.pass2_write", "sort_events", number, words)
    assert done.returncode == 128 + number, done.stderr
    assert done.stderr.strip() == "crowdlog: stopped."
    assert {path.name for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_release_that_is_ended_says_what_is_charged(log, tmp_path, number):
    words = ["release", log.path, SPELLING, "-o", tmp_path / "out"]
    done = stopped("crowdlog.release.publish", "Drawing.draw", number, words)
    assert done.returncode == 128 + number, done.stderr
    assert f"nothing was published, and charge 1 is made: run 'crowdlog resume {log.path}'." in done.stderr
    assert not list(tmp_path.glob("*partial*"))
    with open_ledger(log) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["charged"]
    early = stopped("crowdlog.release.publish", "reserve", number, words)
    # nothing was charged: nothing to tell but what is told before a charge
    assert early.stderr.strip().splitlines()[-1] == "crowdlog: stopped."
    assert "charge" not in early.stderr


def test_a_release_that_is_ended_just_after_its_line_is_written_says_what_is_charged(
    log, tmp_path, monkeypatch
):
    """Before its number is known to anybody: the ledger is asked."""
    charge = Ledger.charge

    def ended(*words, **options):
        charge(*words, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "charge", ended)
    with pytest.raises(KeyboardInterrupt) as caught:
        publish(parse(SPELLING), log, tmp_path / "out")
    told = f"nothing was published, and charge 1 is made: run 'crowdlog resume {log.path}'."
    assert noted(caught.value) == told
    assert not list(tmp_path.glob("*partial*"))


def test_debugging_keeps_the_exit_codes(log, tmp_path):
    command = [sys.executable, "-m", "crowdlog.cli"]
    for words, code in (
        (["release", log.path, "FTu(k=2)", "-o", tmp_path / "x"], 2),
        (["release", tmp_path / "nowhere", SPELLING, "-o", tmp_path / "x"], 1),
    ):
        done = subprocess.run(
            [*command, *map(str, words)],
            env={**os.environ, "CROWDLOG_DEBUG": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert "Traceback" in done.stderr
        assert done.stderr.splitlines()[-1].startswith("crowdlog: ")


@pytest.mark.skipif(sys.platform != "linux", reason="cores and prctl are Linux's")
def test_no_core_is_written_while_a_log_is_open(log, tmp_path):
    """Where cores are allowed: the same program dumps one before it opens the store, and none after."""
    dies = "import os, sys; {first}; os.abort()"
    opened = f"from crowdlog.log.store import LogStore; LogStore.open({str(log.path)!r})"

    def unlimited():
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))

    dumped = {}
    for name, first in (("before", "pass"), ("after", opened)):
        child = subprocess.Popen(
            [sys.executable, "-c", dies.format(first=first)],
            cwd=tmp_path,
            preexec_fn=unlimited,
            stderr=subprocess.DEVNULL,
        )
        _pid, status = os.waitpid(child.pid, 0)
        child.returncode = status
        assert os.WIFSIGNALED(status)
        dumped[name] = os.WCOREDUMP(status)
    assert not dumped["after"]
    if not dumped["before"]:
        pytest.skip("this system writes no cores at all")
