"""Executors that really run out of memory: one sentence, nothing of the log in it, and one charge."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from crowdlog.release.publish import open_ledger
from tests.support.crowded import crowded_rows
from tests.support.logs import make_log
from tests.support.spark_cluster import cluster

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(1500)]
KOROLOVA = "Korolova(epsilon=20, delta=1e-2, d=6)"


def crowdlog(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crowdlog.cli", *words]
    settings = {**os.environ, **environment}
    return subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=700)


def test_executors_out_of_memory(tmp_path):
    log = make_log(tmp_path, crowded_rows())
    limited = tmp_path / "conf"
    limited.mkdir()
    # Less than Python itself takes: the first larger array of a task ends its worker.
    (limited / "spark-defaults.conf").write_text("spark.executor.pyspark.memory 64m\n")
    with cluster(tmp_path / "cluster", workers=1) as running:
        engine = ("--engine", f"spark:{running.address}")
        there, out = str(tmp_path / "there"), str(tmp_path / "out")
        imported = crowdlog(
            "import", str(tmp_path / "log.tsv"), "-o", there, *engine, SPARK_CONF_DIR=str(limited)
        )
        charged = crowdlog(
            "release", str(log.path), KOROLOVA, "--i-know", "-o", out, *engine, SPARK_CONF_DIR=str(limited)
        )
    for done in (imported, charged):
        assert done.returncode == 1, done.stderr
        assert "memory ran out" in done.stderr or "ran out of memory" in done.stderr
        assert "shared" not in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "there").exists()
    assert "'crowdlog resume STORE' finishes it" in charged.stderr
    resumed = crowdlog("resume", str(log.path))
    assert resumed.returncode == 0, resumed.stderr
    with open_ledger(log) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["published"]
