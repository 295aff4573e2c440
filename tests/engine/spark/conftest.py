"""One Spark on this machine's cores for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crowdlog.engine.spark import source
from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.engine.spark.load import importer
from crowdlog.log.store import LogStore
from tests.support.crowded import crowded_rows
from tests.support.logs import make_log


@pytest.fixture(scope="session", autouse=True)
def short_lived_java() -> Iterator[None]:
    """Tests are over before Java's second compiler pays: without it they take half the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        yield


@pytest.fixture(scope="session")
def log(tmp_path_factory) -> LogStore:
    return make_log(tmp_path_factory.mktemp("spark"), crowded_rows())


class RunningSpark:
    """One engine for many tests, started anew where another test ended it: a process has one Spark only."""

    def __init__(self, log: LogStore) -> None:
        self._log = log
        self._engines: list[SparkEngine] = []

    def engine(self) -> SparkEngine:
        if not self._engines or self._engines[-1].context._jsc is None:
            self._engines.append(SparkEngine(self._log, master="local[2]"))
        return self._engines[-1]

    def close(self) -> None:
        for engine in self._engines:
            engine.__exit__(None, None, None)


@pytest.fixture(scope="session")
def running(log) -> Iterator[RunningSpark]:
    kept = RunningSpark(log)
    yield kept
    kept.close()


@pytest.fixture
def spark(running) -> SparkEngine:
    return running.engine()


@pytest.fixture(scope="session")
def parted(log, running, tmp_path_factory) -> LogStore:
    """The same log in many files, of a few people each."""
    spark = running.engine()
    folder = tmp_path_factory.mktemp("parted")
    rows = (log.path.parent / "log.tsv").read_bytes()
    (folder / "log.tsv").write_bytes(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(importer, "ROWS_PER_RANGE", 80)
        patch.setattr(importer, "BYTES_PER_SHARE", 20_000)
        there = importer.import_there(folder / "log.tsv", folder / "store", context=spark.context)
    assert len(list(there.events().iterdir())) > 3
    return there


@pytest.fixture
def small_blocks(monkeypatch) -> None:
    """Every file of a store is a task's."""
    monkeypatch.setattr(source, "ROWS_PER_BLOCK", 1)
