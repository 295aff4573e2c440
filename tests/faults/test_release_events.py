"""kill -9 at every file event of a release and of a resumption, and races: one charge, one output."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.logs import crowd_rows, make_log

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("events"), crowd_rows(20, ["weather boston"])).path


@pytest.fixture
def folder(tmp_path):
    """In memory where there is such a folder: thousands of forced writes take seconds instead of minutes."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="crowdlog-", dir=memory if memory.is_dir() else tmp_path))
    yield made
    shutil.rmtree(made)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["release", "resume", "race"])
def test_one_charge_has_one_output(mode, store, folder):
    command = [sys.executable, "-m", "tests.support.release_kills", mode, str(store), str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    assert min(json.loads(done.stdout).values()) > 0
