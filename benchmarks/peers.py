"""The same count-and-threshold in OpenDP and PipelineDP.

Run by benchmarks/foundation.py in their own environment: peers.py NAME TABLE
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import print_inner_cost

EPSILON, DELTA, D = 2.3, 1e-5, 20


def opendp(table: str) -> None:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    context = dp.Context.compositor(
        data=pl.scan_parquet(table),
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col("user")),
        privacy_loss=dp.loss_of(epsilon=EPSILON, delta=DELTA),
        split_evenly_over=1,
    )
    released = context.query().truncate_per_group(D).group_by("query").agg(dp.len()).release().collect()
    if released.height == 0:
        raise SystemExit("OpenDP released nothing")


def pipelinedp(table: str) -> None:
    import pipeline_dp
    import pyarrow.parquet as pq

    columns = pq.read_table(table).to_pydict()
    rows = list(zip(columns["user"], columns["query"], strict=True))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    parameters = pipeline_dp.AggregateParams(
        metrics=[pipeline_dp.Metrics.COUNT],
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        max_partitions_contributed=D,
        max_contributions_per_partition=1,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda _row: 0,
    )
    result = engine.aggregate(rows, parameters, extractors)
    accountant.compute_budgets()
    if not list(result):
        raise SystemExit("PipelineDP released nothing")


if __name__ == "__main__":
    work = {"opendp": opendp, "pipelinedp": pipelinedp}[sys.argv[1]]
    print_inner_cost(lambda: work(sys.argv[2]))
