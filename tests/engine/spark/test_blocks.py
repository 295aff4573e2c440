"""Blocks of users, as tasks read them: no Spark is needed for it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow.parquet as pq
import pytest

from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.mine import mine
from crowdlog.engine.spark.blocks import store_blocks
from crowdlog.engine.spark.deciding import artifacts_per_user, block_of, kept_counts
from crowdlog.engine.spark.in_task import EVENTS, Statement, numbers, run_sql, unbound_events
from crowdlog.privacy.keyed import KeyedRandomness


@pytest.fixture
def blocks(log, tmp_path):
    """Row groups of a few people in two files, as stores have them."""
    rows = pq.read_table(log.events())
    folder = tmp_path / "user=3" / "part[1].parquet"
    folder.mkdir(parents=True)
    users = rows["user"].to_numpy()
    cuts = np.searchsorted(users, [0, 10, 20, 40, 50, 90, 100, users.max() + 1]).tolist()
    groups = [rows.slice(low, high - low) for low, high in pairwise(cuts)]
    for name, inside in (("0", groups[:3]), ("1", groups[3:])):
        with pq.ParquetWriter(folder / f"{name}.parquet", rows.schema) as file:
            for group in inside:
                file.write_table(group, row_group_size=group.num_rows)
    found = store_blocks(folder, 60)
    assert len(found) > 3
    assert any(len(block.groups) > 1 or len(block.groups[0][1]) > 1 for block in found)
    return found


def statement(log, artifact: Artifact) -> Statement:
    events = unbound_events(log)
    return Statement.of(mine(events, artifact).select("user", "key"), events)


def test_duckdb_reads_the_rows_of_a_block_and_no_others(log, blocks):
    whole = pq.read_table(log.events())
    rows = statement(log, Artifact("query"))
    everybody = np.sort(run_sql(rows.sql, {EVENTS: whole})["user"].to_numpy())
    found = []
    for block in blocks:
        here = rows.run(block)
        there = run_sql(rows.sql, {EVENTS: block.read(rows.columns)})
        order = [("user", "ascending"), ("key", "ascending")]
        assert here.sort_by(order) == there.sort_by(order)
        users = here["user"].to_numpy()
        assert block.users[0] <= users.min()
        assert users.max() <= block.users[1]
        found.append(users)
    assert np.array_equal(np.sort(np.concatenate(found)), everybody)


@pytest.mark.parametrize("kind", ["query", "click"])
def test_kept_keys_are_counted_without_the_others(log, blocks, kind):
    artifact = Artifact(kind)
    rows = statement(log, artifact)
    events = unbound_events(log)
    sizes = [Statement.of(artifacts_per_user(mine(events, artifact)), events)]
    randomness = KeyedRandomness(bytes(32), private=False)
    keys = np.unique(np.concatenate([numbers(rows.run(block), "key")[0] for block in blocks]))
    for kept in (keys[::3], keys[:1], keys[:0], keys[-1:] + 1):
        sums = []
        for whole in (True, False):
            counted: dict[int, int] = {}
            for block in blocks:
                found = (
                    block_of(rows, sizes, artifact, None, None, block)
                    if whole
                    else block_of(rows, [], artifact, None, kept, block)
                )
                for each in found:
                    for _share, message in kept_counts(5, kept, 3, randomness, each):
                        for key, count in zip(message.key.tolist(), message.count.tolist(), strict=True):
                            counted[key] = counted.get(key, 0) + count
            sums.append(counted)
        assert sums[0] == sums[1]
        assert (sum(sums[0].values()) > 0) is bool(len(np.intersect1d(keys, kept)))
