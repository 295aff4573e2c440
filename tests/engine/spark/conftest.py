"""One Spark on this machine's cores for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.log.store import LogStore
from tests.support.logs import Row, make_log

SITES = ["http://one.example", "http://two.example", "http://three.example"]


def crowded_rows() -> list[Row]:
    """Ties, a user with very much, keys that everybody has, users with one row, clicks and pairs."""
    rows: list[Row] = []
    for user in range(120):
        for n in range(1 + user % 7):
            query = f"shared {n % 4}" if (user + n) % 3 else f"rare {user % 11}"
            rows.append((f"u{user}", query, 10_000 * user + 60 * n, SITES[n % 3] if n % 2 else None))
    rows += [("busy", f"busy {n % 400}", 5_000_000 + 30 * n, None) for n in range(1_200)]
    rows += [("busy", "shared 1", 6_000_000 + 30 * n, SITES[0]) for n in range(50)]
    return rows


@pytest.fixture(scope="session")
def log(tmp_path_factory) -> LogStore:
    return make_log(tmp_path_factory.mktemp("spark"), crowded_rows())


@pytest.fixture(scope="session")
def spark(log) -> Iterator[SparkEngine]:
    with SparkEngine(log, master="local[2]") as engine:
        yield engine
