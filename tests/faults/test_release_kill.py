"""kill -9 at random moments of a release, then resume: nothing charged twice, no charge lost, no release
without a charge.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time

import pytest

from crowdlog.mechanisms import parse
from crowdlog.release.folder import Release
from crowdlog.release.publish import open_ledger
from crowdlog.release.resume import resume
from tests.support.logs import crowd_rows, make_log

MECHANISM = "DPu(epsilon=4, delta=1e-9, d=2)"
COMMAND = [sys.executable, "-m", "crowdlog.cli", "release"]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("kill"), crowd_rows(400, ["weather boston", "used cars"]))


def how_long_a_release_takes(log, out):
    started = time.monotonic()
    subprocess.run([*COMMAND, str(log.path), MECHANISM, "-o", str(out)], check=True, capture_output=True)
    return time.monotonic() - started


@pytest.mark.slow
def test_killed_at_ten_moments_and_resumed(log, tmp_path):
    moments = random.Random(11)
    whole = how_long_a_release_takes(log, tmp_path / "first")
    for number in range(10):
        out = tmp_path / f"out{number}"
        process = subprocess.Popen(
            [*COMMAND, str(log.path), MECHANISM, "-o", str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(whole * moments.uniform(0.2, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        with open_ledger(log) as ledger:
            charged = [entry for entry in ledger.entries() if entry.out == str(out)]
        assert len(charged) <= 1
        assert charged or not out.exists(), "a release without a charge"
        resume(log, parse)
        with open_ledger(log) as ledger:
            after = [entry for entry in ledger.entries() if entry.out == str(out)]
            assert ledger.unpublished() == []
        assert [entry.id for entry in after] == [entry.id for entry in charged], (
            "resuming charges nothing and loses nothing"
        )
        assert out.exists() == bool(charged)
        if charged:
            assert Release.open(out).label.charge == charged[0].id
    assert list(tmp_path.glob("*.partial*")) == []


@pytest.mark.slow
def test_two_processes_race_for_the_last_of_the_budget(tmp_path):
    log = make_log(tmp_path, crowd_rows(50, ["weather boston"]))
    cost = parse(MECHANISM).promise().guarantee
    with open_ledger(log) as ledger:
        ledger.set_budget(cost.epsilon * 1.5, 1e-6)
    racers = [
        subprocess.Popen(
            [*COMMAND, str(log.path), MECHANISM, "-o", str(tmp_path / f"racer{i}")],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for i in range(2)
    ]
    errors = [racer.communicate(timeout=300)[1].decode() for racer in racers]
    codes = sorted(racer.returncode for racer in racers)
    assert codes == [0, 2], errors
    assert sum((tmp_path / f"racer{i}").exists() for i in range(2)) == 1
    assert any("of the budget of" in error for error in errors)
