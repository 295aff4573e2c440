"""Count and threshold on Spark: ours beside PipelineDP, on the same data and at the same (ε, δ).

python -m benchmarks.spark_peers STORE MASTER PYTHON

MASTER: `cluster` for a master and two workers of its own, or local[2]. PYTHON: an interpreter of an
environment of its own with pipeline-dp and the same pyspark (PipelineDP is no dependency of ours). Prints CPU
seconds of all processes, the cluster's included, and how many queries each shows. The ledger of STORE is
charged: use a copy.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmarks.measure_tree import adopt_orphans, tree_cost, wait_until_idle
from crowdlog.release.folder import Release

EPSILON, DELTA, KEYS = 2.3, 1e-7, 20
# The same threshold of counts, and what we would publish instead.
OURS = (f"DPu(epsilon={EPSILON}, delta={DELTA}, d={KEYS})", f"Keys(epsilon={EPSILON}, delta={DELTA})")
# Run by the other interpreter: nothing of ours is there.
PIPELINE_DP = """
import os, sys
os.environ["PYSPARK_PYTHON"] = sys.executable
import pipeline_dp as dp
from pyspark.sql import SparkSession
store, master, epsilon, delta, keys, out = sys.argv[1:]
settings = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
session = settings.config("spark.driver.memory", "2g").getOrCreate()
events = session.read.parquet(store + "/events.parquet").where("impression")
rows = events.select("user", "query").rdd.map(lambda row: (row[0], row[1]))
accountant = dp.NaiveBudgetAccountant(total_epsilon=float(epsilon), total_delta=float(delta))
engine = dp.DPEngine(accountant, dp.SparkRDDBackend(session.sparkContext))
params = dp.AggregateParams(noise_kind=dp.NoiseKind.LAPLACE, metrics=[dp.Metrics.COUNT],
    max_partitions_contributed=int(keys), max_contributions_per_partition=1)
extract = dp.DataExtractors(privacy_id_extractor=lambda row: row[0],
    partition_extractor=lambda row: row[1], value_extractor=lambda row: 0)
result = engine.aggregate(rows, params, extract)
accountant.compute_budgets()
open(out, "w").write(str(result.count()))
session.stop()
"""


def main() -> None:
    store, master, python = sys.argv[1:4]
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="crowdlog-peers-") as name:
        running: Any = nullcontext()
        if master == "cluster":
            from tests.support.spark_cluster import cluster

            running = cluster(Path(name) / "cluster", workers=2, memory="4g")
        with running as found:
            address = master if found is None else found.address
            beside = () if found is None else tuple(process.pid for process in found.processes)
            wait_until_idle(beside)
            compare(str(Path(store).absolute()), address, python, Path(name), beside)


def compare(store: str, master: str, python: str, folder: Path, beside: tuple[int, ...]) -> None:
    """One line for each, as it is measured."""
    for number, spelling in enumerate(OURS):
        out = str(folder / f"out-{number}")
        words = ["release", store, spelling, "--budget", "1000", "0.5", "--engine", f"spark:{master}"]
        cost = tree_cost([sys.executable, "-m", "crowdlog.cli", *words, "-o", out], beside)
        shown = Release.open(out).table("queries")
        keys = 0 if shown is None else shown.num_rows
        print(f"| `{spelling}` | {cost} | {keys:,} | load {os.getloadavg()[0]:.1f} |", flush=True)
    told = folder / "keys"
    given = [store, master, str(EPSILON), str(DELTA), str(KEYS), str(told)]
    cost = tree_cost([python, "-c", PIPELINE_DP, *given], beside)
    print(f"| PipelineDP | {cost} | {int(told.read_text()):,} | load {os.getloadavg()[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
