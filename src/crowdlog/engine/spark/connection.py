"""One session that counts a log store on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

import ibis

from crowdlog.engine.connection import Engine
from crowdlog.engine.spark.session import start
from crowdlog.log.store import LogStore

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.engine.rename import Renaming
    from crowdlog.engine.spark.source import SparkSource
    from crowdlog.log.summary import Summary
    from crowdlog.plan.table import TablePlan

ROWS_PER_PART = 4_000_000  # of one task: 100 MB as numbers
ROWS_PER_BLOCK = 1 << 21  # of users whose rows one task takes


class SparkEngine(Engine):
    """Runs the same expressions on Spark. Its counts stay there."""

    def __init__(self, log: LogStore, *, master: str, options: dict[str, str] | None = None) -> None:
        tasks = -(-log.info.rows // ROWS_PER_BLOCK)
        self.context, self._scratch = start(master, options or {}, max(1, tasks))
        self.parts = max(2, -(-log.info.rows // ROWS_PER_PART))
        self.log = log

    elsewhere = True

    @cached_property
    def session(self) -> Any:
        """Spark's SQL, which releases without texts do not need: it takes seconds to wake."""
        from pyspark.sql import SparkSession

        return SparkSession(self.context)

    @cached_property
    def backend(self) -> Any:
        self.session.conf.set("spark.sql.shuffle.partitions", str(self.parts))
        return ibis.pyspark.connect(self.session)

    @cached_property
    def events(self) -> Any:
        frame = self._table_there("events.parquet")
        if frame is None:
            return self.backend.read_parquet(str(self.log.events()), table_name="events")
        frame.createOrReplaceTempView("events")
        return self.backend.table("events")

    def check(self, plans: Sequence[TablePlan]) -> None:
        from crowdlog.engine.spark.source import check_plan

        for plan in plans:
            check_plan(plan)

    def summary(self) -> Summary:
        from crowdlog.engine.spark.summary import summarise_there

        return summarise_there(self)

    def source(self, renaming: Renaming | None) -> SparkSource:
        if renaming is not None:
            raise TypeError("queries are renamed on Spark itself: source_in")
        return self.source_in("original")

    def source_in(self, representation: str) -> SparkSource:
        from crowdlog.engine.spark.source import SparkSource

        return SparkSource(self, written=representation)

    def texts_there(self, table: str) -> Any:
        """id, text of one of the store's tables of texts."""
        frame = self._table_there(table)
        if frame is None:
            frame = self.session.read.parquet(str(self.log.there(table)))
        return frame.selectExpr("cast(id as long) as id", "text")

    def _table_there(self, table: str) -> Any:
        """A table at an address as a data frame: read by tasks as everything else is, so that Spark itself
        needs no connector. None if it lies in the store.
        """
        from crowdlog.engine.spark.tables import frame_of_parts

        if self.log.info.tables is None:
            return None
        return frame_of_parts(self.session, self.log.there(table))

    def rows_there(self, table: pa.Table) -> Any:
        """A table from the driver: public lists and numbers of kept keys, nothing else."""
        return self.session.createDataFrame(table)

    def frame(self, expression: Any) -> Any:
        """An Ibis table as a Spark data frame: nothing runs yet."""
        return self.session.sql(str(ibis.to_sql(expression, dialect="pyspark")))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running = self.__dict__.get("session", self.context)  # a session ends its context, and forgets itself
        running.stop()
        self._scratch.cleanup()
