"""Another log on the session of all tests."""

from __future__ import annotations

from crowdlog.engine.spark.connection import SparkEngine
from crowdlog.log.store import LogStore


class Borrowed(SparkEngine):
    """Another log on the session of all tests, which nobody closes."""

    def __init__(self, spark: SparkEngine, log: LogStore) -> None:
        self.context, self.parts, self.log = spark.context, 3, log

    def __exit__(self, *_error: object) -> None:
        return None
