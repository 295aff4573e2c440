"""Trials in processes of their own: errors come back as sentences, and a killed run goes on."""

import errno
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict

import pytest

from crowdlog.comparison.grid import Grid
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.experiments import run as running
from crowdlog.experiments.seeded_release import SeededRun
from crowdlog.experiments.worker import answer
from crowdlog.experiments.workers import KILLED
from crowdlog.release.publish import open_ledger


def grid_in(folder, log, mechanisms, **others):
    return Grid(str(log.path), log.info.id, str(folder), tuple(mechanisms), 1, ("coverage",), (), **others)


def run_grid(grid, jobs):
    return running.run_experiment(grid, "crowdlog.comparison.trial", jobs)


def test_bad_input_of_a_trial_is_one_sentence(tmp_path, log):
    topics = tmp_path / "topics.tsv"
    topics.write_text("elsewhere\tnothing\n", encoding="utf-8")
    grid = grid_in(tmp_path / "cache", log, ["FTu(k=5)"], topics=str(topics))
    with pytest.raises(
        InputError, match=r"The trial of FTu\(k=5\) with seed 1 failed: No query of the log is in the topics"
    ):
        run_grid(grid, 2)


def test_an_error_of_ours_shows_its_type_only(tmp_path, log):
    with pytest.raises(CrowdlogError, match=r"error of ours \(TypeError\)\.$"):
        run_grid(grid_in(tmp_path / "cache", log, ["FTu(k=5)"], topics=5), 1)


def test_a_worker_that_dies_is_noticed(tmp_path, log, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(InputError, match="stopped from outside"):
        run_grid(grid_in(tmp_path / "cache", log, ["FTu(k=5)"]), 1)


def test_a_trial_that_fails_does_not_stop_the_others(tmp_path, log):
    """The second mechanism wants a file that is not there."""
    bad = "Korolova(epsilon=4, delta=0.001, d=2, urls='public', surfaced='none.tsv')"
    failures = run_grid(grid_in(tmp_path, log, ["FTu(k=5)", bad, "FTu(k=6)"]), 1)
    assert [(run.mechanism, run.seed) for run in failures] == [(bad, 1)]
    assert "none.tsv" in str(failures[SeededRun(bad, 1)])
    assert len(list(tmp_path.glob("*.json"))) == 4


# A worker that is killed, as for want of memory, at its first trial of this mechanism; python reads it from
# PYTHONPATH at start.
KILLER = """
import os, signal
from crowdlog.comparison import trial
def kill(log, run, folder, before=trial.seeded_release):
    if "k=6" in run.mechanism:
        os.kill(os.getpid(), signal.SIGKILL)
    return before(log, run, folder)
trial.seeded_release = kill
"""


def test_a_worker_killed_for_want_of_memory_costs_its_own_trial_only(tmp_path, log, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(KILLER, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    failures = run_grid(grid_in(tmp_path / "cache", log, ["FTu(k=5)", "FTu(k=6)", "FTu(k=7)"]), 1)
    assert [str(why) for why in failures.values()] == [f"The trial of FTu(k=6) with seed 1 {KILLED}"]
    assert len(list((tmp_path / "cache").glob("*.json"))) == 4, "a label and the coverage of the two others"


@pytest.mark.slow
@pytest.mark.parametrize("left", [b"", b'{"label": {"a"', b"[]", b"\xff\xfe"])
def test_a_result_without_its_end_is_measured_again(tmp_path, log, left):
    grid = grid_in(tmp_path, log, ["FTu(k=5)"])
    run_grid(grid, 1)
    for file in tmp_path.glob("*.json"):
        file.write_bytes(left)
    assert run_grid(grid, 1) == {}
    assert grid.missing(SeededRun("FTu(k=5)", 1)) == []


@pytest.mark.slow
def test_a_full_disk_is_one_sentence(tmp_path, log):
    """A file may not grow beyond 100 bytes: the same error as a full disk, with another number."""
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from crowdlog.cli import main
import sys
sys.argv = ["crowdlog", "compare", {str(log.path)!r}, "FTu(k=5)"]
sys.argv += ["--on", "coverage", "--with", "none", "--seeds", "1"]
sys.argv += ["-o", {str(tmp_path / "r.html")!r}]
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stdout) == (1, "")
    # the first thing written is that somebody looked at the data
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith(f"crowdlog: The ledger {log.path / 'ledger.sqlite'} cannot be used now")
    assert "room on the disk" in sentence


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (OSError(errno.ENOSPC, "", "canary"), "No space left on device. Look at the disk of"),
        (MemoryError("canary"), "not enough memory"),
    ],
)
def test_what_the_machine_lacks_is_said(tmp_path, log, monkeypatch, error, sentence):
    def fail(*_arguments):
        raise error

    monkeypatch.setattr("crowdlog.comparison.trial.run_trial", fail)
    grid = asdict(grid_in(tmp_path, log, ["FTu(k=5)"]))
    told = answer("crowdlog.comparison.trial", grid, {"mechanism": "FTu(k=5)", "seed": 1})
    assert sentence in told["error"]
    assert "canary" not in told["error"]
    assert not told["ours"]


def test_two_runs_do_not_share_a_folder(tmp_path, log, monkeypatch):
    monkeypatch.setattr(running, "PATIENCE", 0)
    grid = grid_in(tmp_path, log, ["FTu(k=5)"])
    with running.alone(tmp_path), pytest.raises(InputError, match="Another run is working"):
        run_grid(grid, 1)


def test_what_a_killed_run_left_is_destroyed(tmp_path, log):
    (tmp_path / "trial-1.partial").mkdir()
    (tmp_path / "trial-1.partial" / "queries.parquet").touch()
    (tmp_path / "x.json.1.partial").touch()
    run_grid(grid_in(tmp_path, log, []), 1)
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_a_place_that_cannot_be_made(tmp_path, log):
    (tmp_path / "file").touch()
    (tmp_path / "full" / "lock").mkdir(parents=True)
    for place in (tmp_path / "file" / "cache", tmp_path / "full"):
        with pytest.raises(InputError, match="cannot be made"):
            run_grid(grid_in(place, log, ["FTu(k=5)"]), 1)


@pytest.mark.slow
def test_ctrl_c_leaves_one_line_and_the_next_run_goes_on(tmp_path, log):
    report, cache = tmp_path / "r.html", tmp_path / "r.cache"
    mechanisms = [f"FTu(k={k})" for k in range(2, 30)]
    command = [
        sys.executable,
        "-m",
        "crowdlog.cli",
        "compare",
        str(log.path),
        *mechanisms,
        "--on",
        "coverage",
        "--with",
        "none",
        "--seeds",
        "1",
    ]
    command += ["-o", str(report)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_results(process, cache)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert errors == "crowdlog: stopped. What is done is kept: run the same command again to go on.\n"
    assert list(cache.glob("*partial*")) == []
    before = len(list(cache.glob("*.json")))
    assert 4 <= before < 2 * len(mechanisms)
    subprocess.run(command, check=True, timeout=300, capture_output=True)
    assert report.exists()


def wait_for_results(process, cache):
    """Until four results are kept, or the process has ended."""
    deadline = time.monotonic() + 300
    while len(list(cache.glob("*.json"))) < 4 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)


@pytest.mark.slow
def test_killed_half_way_and_run_again_it_goes_on(tmp_path, log):
    report, cache = tmp_path / "report.html", tmp_path / "report.cache"
    mechanisms = [f"FTu(k={k})" for k in range(2, 14)]
    command = [sys.executable, "-m", "crowdlog.cli", "compare", str(log.path), *mechanisms, "-o", str(report)]
    command += ["--on", "coverage", "--with", "none", "--seeds", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for_results(process, cache)
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
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
