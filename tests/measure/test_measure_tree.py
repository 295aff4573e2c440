"""What a tree of processes used is counted once, whoever of them ends first."""

from __future__ import annotations

import subprocess
import sys

import pytest

# A parent that ignores the end of its child, which uses half a second; who ends first sleeps less.
TREE = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
child_sleeps, parent_sleeps = map(float, sys.argv[1:])
done, tell = os.pipe()
if not os.fork():
    while time.process_time() < 0.5:
        pass
    os.write(tell, b".")
    time.sleep(child_sleeps)
    os._exit(0)
os.read(done, 1)
time.sleep(parent_sleeps)
"""
MEASURE = """
import sys
from benchmarks.measure_tree import tree_cost
print(tree_cost([sys.executable, "-c", *sys.argv[1:]]).cpu)
"""


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("child_sleeps", "parent_sleeps"), [("1", "3"), ("3", "1")])
def test_a_worker_counts_once(child_sleeps, parent_sleeps):
    command = [sys.executable, "-c", MEASURE, TREE, child_sleeps, parent_sleeps]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert 0.45 < float(done.stdout) < 0.85
