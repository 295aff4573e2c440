"""Folders for what is not kept: gone with the work, and gone at the next if the work was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crowdlog.files.scratch import Scratch

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no lock of a folder")

KILLED = """
import sys, time
from crowdlog.files.scratch import Scratch
made = Scratch("test")
(made.path / "texts").mkdir()
(made.path / "texts" / "log.tsv").write_text("CANARY secret")
print(made.path, flush=True)
time.sleep(60)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A place for temporary files of its own, here and in processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def test_it_is_its_owners_alone_and_goes_with_the_work(place):
    with Scratch("test") as folder:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "text").write_text("CANARY")
    assert list(place.iterdir()) == []


def test_removing_it_twice_does_no_harm(place):
    made = Scratch("test")
    made.cleanup()
    made.cleanup()
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(place):
    process = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    with process, Scratch("test") as mine:
        left = place / Path(process.stdout.readline().strip()).name
        with Scratch("test"):
            assert (left / "texts" / "log.tsv").exists(), "it lives: its folder is its own"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert left.exists()
        for _ in range(100):  # the lock goes with the process, which may take the system a moment
            with Scratch("test"):
                pass
            if not left.exists():
                break
            time.sleep(0.05)
        assert list(place.iterdir()) == [mine]


@pytest.mark.parametrize("name", ["crowdlog-scratch", "crowdlog-mine", "crowdlog-scratch-My-Log", "scratch"])
def test_what_somebody_made_by_hand_is_left_alone(place, name):
    (place / name).mkdir(mode=0o700)
    with Scratch("test"):
        pass
    assert (place / name).exists()


def test_a_link_is_not_followed(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "kept").write_text("kept")
    (place / "crowdlog-scratch-test-abcdefgh").symlink_to(elsewhere)
    with Scratch("test"):
        pass
    assert (elsewhere / "kept").exists()


def test_no_other_way_of_making_one_is_used():
    """A folder of Python's own would stay, with its texts, where a process is killed."""
    import crowdlog

    source = Path(crowdlog.__file__).parent
    users = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "tempfile.TemporaryDirectory(" in path.read_text(encoding="utf-8")
    }
    # Both make theirs inside a folder of the work's own, which is swept with it.
    assert users == {"experiments/seeded_release.py", "log/sources.py"}


def test_no_database_spills_into_the_folder_one_stands_in():
    """DuckDB writes what does not fit into memory to `.tmp` there, for everybody to read, unless it is told
    another place.
    """
    import crowdlog

    for path in Path(crowdlog.__file__).parent.rglob("*.py"):
        for call in path.read_text(encoding="utf-8").split("duckdb.connect(")[1:]:
            assert "temp_directory" in call[:200], path
