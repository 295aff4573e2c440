"""A cluster whose workers are killed half-way: all is finished, charged once, and as on one machine."""

from __future__ import annotations

import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from crowdlog.log.store import FILES, LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.release.publish import open_ledger
from tests.support.crowded import crowded_rows
from tests.support.logs import make_log
from tests.support.spark_cluster import cluster

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(1500)]
SPELLINGS = ["Crowd(epsilon=8, delta=1e-3)", "Korolova(epsilon=20, delta=1e-2, d=6)"]
# Stops in the middle until a worker is killed: after the first texts of the import are written, and after the
# first of the two tables of Crowd is decided.
SCRIPT = """
import sys, time
from contextlib import nullcontext
from pathlib import Path
from crowdlog.engine.spark import source
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.engine.spark.load import importer
from crowdlog.engine.spark.session import start
from crowdlog.mechanisms import parse
from crowdlog.privacy.keyed import KeyedRandomness

folder, master = Path(sys.argv[1]), sys.argv[2]

def half_way(name):
    (folder / name).touch()
    while not (folder / (name + ".killed")).exists():
        time.sleep(0.05)

def pausing(cls, method, name, left):
    original = getattr(cls, method)
    def run(self, *given, **more):
        result = original(self, *given, **more)
        left.pop() if left else None
        if len(left) == 1:
            left.clear()
            half_way(name)
        return result
    setattr(cls, method, run)

pausing(importer._Load, "_write_texts", "import", [1, 2])
context, scratch = start(master, {})
log = importer.import_there(folder / "log.tsv", folder / "there", context=context)
pausing(source.SparkSource, "_decide", "release", [1, 2])
with SparkEngine(log, master=master) as engine:
    for number, spelling in enumerate(sys.argv[3:]):
        parse(spelling).release(
            log, folder / f"out-{number}", i_know=True, budget=(1e9, 0.5),
            engine=lambda _log: nullcontext(engine),
            randomness=KeyedRandomness(bytes(range(32)), private=False),
        )
scratch.cleanup()
"""


def wait_for(path, process) -> None:
    while not path.exists():
        assert process.poll() is None, "it ended before its middle"
        time.sleep(0.05)


def test_workers_killed_half_way(tmp_path):
    here = make_log(tmp_path, crowded_rows())
    (tmp_path / "half_way.py").write_text(SCRIPT)
    with cluster(tmp_path / "cluster", workers=2) as running:
        words = [sys.executable, str(tmp_path / "half_way.py"), str(tmp_path), running.address, *SPELLINGS]
        with subprocess.Popen(words) as process:
            for number, what in enumerate(("import", "release")):
                wait_for(tmp_path / what, process)
                running.add_worker()
                running.kill_worker(number)
                (tmp_path / f"{what}.killed").touch()
            assert process.wait(1000) == 0
    there = LogStore.open(tmp_path / "there")
    for name in FILES:
        assert pq.read_table(here.path / name).to_pylist() == pq.read_table(there.path / name).to_pylist()
    for number, spelling in enumerate(SPELLINGS):
        tables = parse(spelling).protect(here, KeyedRandomness(bytes(range(32)), private=False)).tables
        for name, table in tables.items():
            assert pq.read_table(tmp_path / f"out-{number}" / f"{name}.parquet").equals(table)
    assert any(table.num_rows for table in tables.values())
    with open_ledger(there) as ledger:
        assert [entry.state for entry in ledger.entries()] == ["published", "published"]
