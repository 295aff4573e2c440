"""The bar on a terminal, and silence elsewhere."""

import os
import pty
import subprocess
import sys

import pytest

from crowdlog import progress

SCRIPT = """
import sys
from crowdlog.progress import progress_bar
total = int(sys.argv[2]) or None
with progress_bar("Working", total, unit=sys.argv[1]) as advance:
    advance(3)
    advance(2)
"""


@pytest.mark.parametrize("unit", ["rows", "trials", "bytes"])
@pytest.mark.parametrize("total", ["10", "0"])
def test_a_bar_is_drawn_on_a_terminal_from_its_first_moment(unit, total):
    terminal, end = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, unit, total],
        stderr=end,
        stdout=subprocess.PIPE,
        check=False,
        timeout=120,
    )
    shown = os.read(terminal, 1 << 16).decode(errors="replace")
    os.close(end)
    os.close(terminal)
    assert (done.returncode, done.stdout) == (0, b""), shown
    assert "Working" in shown


def test_nothing_is_drawn_elsewhere():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "rows", "10"], capture_output=True, check=True, timeout=120
    )
    assert (done.stdout, done.stderr) == (b"", b"")


def test_who_asks_is_told_how_far_a_stage_is_and_not_too_often(monkeypatch):
    told = []
    monkeypatch.setattr(progress, "MOVED", lambda *figures: told.append(figures))
    clock = iter([0.0, 0.0, 0.2, 1.0, 1.9, 2.0, 2.1])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.progress_bar("Reading", 100, unit="bytes") as advance:
        for _ in range(5):
            advance(20)
    assert told == [("Reading", 40, 100), ("Reading", 80, 100)]
