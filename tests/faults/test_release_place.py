"""Places that cannot be written, and words that must be true when printing fails."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.release.place import find_place, reserve
from crowdlog.release.publish import open_ledger, publish
from tests.support.logs import crowd_rows, make_log

SPELLING = "DPu(epsilon=4, delta=1e-9, d=2)"
LONGEST = 255  # bytes of a name, on all usual file systems


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_log(tmp_path_factory.mktemp("log"), crowd_rows(400, ["weather boston"])).path


@pytest.fixture
def log(made, tmp_path):
    shutil.copytree(made, tmp_path / "store")
    return LogStore.open(tmp_path / "store")


def charges(log):
    with open_ledger(log) as ledger:
        return [entry.state for entry in ledger.entries()]


def forbidden(folder: Path):
    """A folder that even root cannot write to, where the system has such a thing."""
    folder.mkdir()
    if os.geteuid() != 0:
        folder.chmod(0o500)
        return lambda: folder.chmod(0o700)
    if subprocess.run(["chattr", "+i", str(folder)], check=False, capture_output=True).returncode == 0:
        return lambda: subprocess.run(["chattr", "-i", str(folder)], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", str(folder)], check=True)
    return lambda: subprocess.run(["umount", str(folder)], check=True)


def file_in_the_way(folder: Path):
    folder.write_text("a file where a folder should be")
    return lambda: folder.unlink()


def dangling(folder: Path):
    folder.mkdir()
    (folder / "out").symlink_to(folder / "nowhere")
    return lambda: shutil.rmtree(folder)


def nothing(_folder: Path):
    return lambda: None


BAD = {
    "no permission": (forbidden, "out"),
    "no permission, two folders below": (forbidden, "new/newer/out"),
    "parent is a file": (file_in_the_way, "out"),
    "/proc": (nothing, "/proc/out"),
    "below /proc": (nothing, "/proc/new/out"),
    "dangling symlink": (dangling, "out"),
    "name too long": (nothing, "n" * (LONGEST + 1)),
    "name too long, not ASCII": (nothing, "ü" * 128),
    "path too long": (nothing, "/".join(["p" * 200] * 25)),
    "not UTF-8": (nothing, os.fsdecode(b"out\xff")),
}


@pytest.mark.parametrize("way", BAD)
def test_a_place_that_cannot_be_written_is_found_before_the_charge(log, tmp_path, way):
    spoil, name = BAD[way]
    repair = spoil(tmp_path / "place")
    before = sorted(tmp_path.rglob("*"))
    try:
        with pytest.raises(InputError, match=r"cannot be written|leads nowhere|not valid UTF-8"):
            publish(parse(SPELLING), log, tmp_path / "place" / name)
    finally:
        after = sorted(tmp_path.rglob("*"))
        repair()
    assert charges(log) == []
    assert [path for path in after if path not in before] == [log.path / "releases.lock"] or after == before


@pytest.mark.parametrize("length", [1, 200, 245, 246, 250, 255])
def test_every_name_that_the_disk_allows_can_be_a_release(log, tmp_path, length):
    release = publish(parse(SPELLING), log, tmp_path / ("n" * length))
    assert release.path.exists()
    assert charges(log) == ["published"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["n" * length, "store"])


@pytest.mark.parametrize("name", ["ü" * 127, "lock", "trial", ".hidden", "x.partial-0123456789abcdef"])
def test_odd_names_can_be_releases(log, tmp_path, name):
    assert publish(parse(SPELLING), log, tmp_path / name).path == tmp_path / name
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "store"])


def test_a_refused_charge_leaves_no_trace_of_the_trial(log, tmp_path):
    with open_ledger(log) as ledger:
        ledger.set_budget(1, 1e-9)
    with pytest.raises(Exception, match="of the budget of"):
        publish(parse(SPELLING), log, tmp_path / "new" / "newer" / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store"]


def test_a_place_that_another_release_holds_is_refused_and_not_charged(made, log, tmp_path):
    """Also by another store, and under another spelling of the same folder."""
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    shutil.copytree(made, tmp_path / "second")
    second = LogStore.open(tmp_path / "second")
    with reserve(tmp_path / "out", advice=""):
        for store, out in ((log, "out"), (second, "out"), (second, "link/out"), (second, "store/../out")):
            with pytest.raises(InputError, match="Another release is being written to"):
                publish(parse(SPELLING), store, tmp_path / out)
    assert charges(log) == charges(second) == []
    publish(parse(SPELLING), second, tmp_path / "out")
    with pytest.raises(InputError, match="exists already"):
        publish(parse(SPELLING), log, tmp_path / "link" / "out")
    assert charges(log) == []


def test_what_killed_runs_reserved_is_swept_and_what_they_made_is_kept(log, tmp_path):
    left = find_place(tmp_path / "killed before its charge").partial
    waiting = find_place(tmp_path / "killed later").staged("a" * 32, 1)
    for folder in (left / "trial", waiting):
        folder.parent.mkdir(mode=0o700)
        folder.mkdir()
    (left / "lock").touch()
    publish(parse(SPELLING), log, tmp_path / "out")
    assert not left.exists()
    assert waiting.exists()


@pytest.mark.slow
@pytest.mark.parametrize("words", [["release", SPELLING, "-o"], ["release", SPELLING, "--json", "-o"]])
def test_when_the_report_cannot_be_printed_it_is_said_that_the_release_is_published(log, tmp_path, words):
    command = [
        sys.executable,
        "-m",
        "crowdlog.cli",
        words[0],
        str(log.path),
        *words[1:],
        str(tmp_path / "out"),
    ]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True)
    assert charges(log) == ["published"]
    assert (tmp_path / "out" / "label.json").exists()
    assert "nothing was published" not in done.stderr
    assert f"{tmp_path / 'out'} is published and charged" in done.stderr
    assert done.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error_of_a_release_that_is_published(log, tmp_path, closed):
    command = shlex.join([sys.executable, "-m", "crowdlog.cli", "release", str(log.path), SPELLING, "-o"])
    place = shlex.quote(str(tmp_path / "out"))
    done = subprocess.run(
        ["/bin/sh", "-c", f"{command} {place} {closed}"], check=False, stderr=subprocess.PIPE, text=True
    )
    assert charges(log) == ["published"]
    assert (tmp_path / "out" / "label.json").exists()
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr


def crowdlog(*words, stdout):
    command = [sys.executable, "-m", "crowdlog.cli", *map(str, words)]
    return subprocess.run(command, check=False, stdout=stdout, stderr=subprocess.PIPE, text=True)


def charge(log, out):
    """A release that was killed after its charge."""
    promise = parse(SPELLING).promise()
    with open_ledger(log) as ledger:
        ledger.charge(promise.guarantee, SPELLING, str(out), steps=promise.accounting)


@pytest.mark.slow
def test_when_resume_cannot_print_it_says_how_the_charges_stand(log, tmp_path):
    (tmp_path / "file").write_text("a file where a folder should be")
    charge(log, tmp_path / "file" / "out")
    charge(log, tmp_path / "good")
    with Path("/dev/full").open("w") as full:
        stuck = crowdlog("resume", log.path, stdout=full)
        closed = crowdlog("resume", log.path, "--charge", 1, "--give-up", stdout=full)
        nothing = crowdlog("resume", log.path, stdout=full)
    assert charges(log) == ["lost", "published"]
    assert [done.returncode for done in (stuck, closed, nothing)] == [1, 1, 1]
    assert "Charge 1: " in stuck.stderr
    assert "charge 1 is closed and stays spent; only the report could not be printed" in closed.stderr
    assert "there was nothing to finish; only the report could not be printed" in nothing.stderr


@pytest.mark.slow
def test_a_reader_who_has_gone_is_no_failure(log, tmp_path):
    """`crowdlog release … | true`: it is published, and nobody wanted to read that."""
    reading, writing = os.pipe()
    os.close(reading)
    done = crowdlog("release", log.path, SPELLING, "-o", tmp_path / "out", stdout=writing)
    os.close(writing)
    assert done.returncode == 0
    assert all(line.startswith("With about 400 people") for line in done.stderr.splitlines())
    assert charges(log) == ["published"]
