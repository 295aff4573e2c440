"""Trials in processes of their own: errors come back as sentences, and a killed run goes on."""

import subprocess
import sys
import time

import pytest

from crowdlog.comparison import run as running
from crowdlog.comparison.grid import Grid
from crowdlog.errors import InputError


def grid_in(folder, log, mechanisms, **others):
    return Grid(str(log.path), log.info.id, str(folder), tuple(mechanisms), 1, ("coverage",), (), **others)


def test_bad_input_of_a_trial_is_one_sentence(tmp_path, log):
    topics = tmp_path / "topics.tsv"
    topics.write_text("elsewhere\tnothing\n", encoding="utf-8")
    grid = grid_in(tmp_path / "cache", log, ["FTu(k=5)"], topics=str(topics))
    with pytest.raises(InputError, match=r"The trial of FTu\(k=5\) with seed 1 failed: No query of the log is in the topics"):
        running.run(grid, 2)


def test_an_error_of_ours_shows_its_type_only(tmp_path, log):
    with pytest.raises(RuntimeError, match=r"error of ours \(TypeError\)\.$"):
        running.run(grid_in(tmp_path / "cache", log, ["FTu(k=5)"], topics=5), 1)


def test_a_worker_that_dies_is_noticed(tmp_path, log, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="stopped from outside"):
        running.run(grid_in(tmp_path / "cache", log, ["FTu(k=5)"]), 1)


def test_two_runs_do_not_share_a_folder(tmp_path, log, monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0)
    grid = grid_in(tmp_path, log, ["FTu(k=5)"])
    with running._alone(tmp_path), pytest.raises(InputError, match="Another comparison is working"):
        running.run(grid, 1)


def test_what_a_killed_run_left_is_destroyed(tmp_path, log):
    (tmp_path / "trial-1.partial").mkdir()
    (tmp_path / "trial-1.partial" / "queries.parquet").touch()
    (tmp_path / "x.json.1.partial").touch()
    running.run(grid_in(tmp_path, log, []), 1)
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_a_place_that_cannot_be_made(tmp_path, log):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        running.run(grid_in(tmp_path / "file" / "cache", log, ["FTu(k=5)"]), 1)


@pytest.mark.slow
def test_killed_half_way_and_run_again_it_goes_on(tmp_path, log):
    report, cache = tmp_path / "report.html", tmp_path / "report.cache"
    mechanisms = [f"FTu(k={k})" for k in range(2, 14)]
    command = [sys.executable, "-m", "crowdlog.cli", "compare", str(log.path), *mechanisms, "-o", str(report)]
    command += ["--on", "coverage", "--with", "none", "--seeds", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 300
    while len(list(cache.glob("*.json"))) < 4 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    process.wait()
    before = {file.name: file.stat().st_mtime_ns for file in cache.glob("*.json")}
    assert len(before) >= 4
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    after = {file.name: file.stat().st_mtime_ns for file in cache.glob("*.json")}
    assert len(after) == 2 * len(mechanisms), "a label and the coverage of each"
    assert before.items() <= after.items(), "what was done is not done again"
    assert report.exists()
    assert list(cache.glob("*partial*")) == []
    assert not log.ledger().exists()
