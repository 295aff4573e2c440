"""The bar on a terminal, and silence elsewhere."""

import os
import pty
import subprocess
import sys

import pytest

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
