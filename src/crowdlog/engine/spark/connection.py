"""One session that counts a log store on Spark."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import ibis

from crowdlog.engine.connection import Engine
from crowdlog.engine.spark.session import start
from crowdlog.log.store import LogStore

if TYPE_CHECKING:
    from crowdlog.engine.rename import Renaming
    from crowdlog.engine.spark.source import SparkSource
    from crowdlog.plan.table import TablePlan

ROWS_PER_PART = 4_000_000  # of one task: 100 MB as numbers


class SparkEngine(Engine):
    """Runs the same expressions on Spark. Its counts stay there."""

    def __init__(self, log: LogStore, *, master: str, options: dict[str, str] | None = None) -> None:
        self.session, self._scratch = start(master, options or {})
        self.parts = max(2, -(-log.info.rows // ROWS_PER_PART))
        self.session.conf.set("spark.sql.shuffle.partitions", str(self.parts))
        super().__init__(log, backend=ibis.pyspark.connect(self.session))

    elsewhere = True

    def check(self, plans: Sequence[TablePlan]) -> None:
        from crowdlog.engine.spark.source import check_plan

        for plan in plans:
            check_plan(plan)

    def source(self, renaming: Renaming | None) -> SparkSource:
        from crowdlog.engine.spark.source import SparkSource

        return SparkSource(self, renaming)

    def frame(self, expression: Any) -> Any:
        """An Ibis table as a Spark data frame: nothing runs yet."""
        return self.session.sql(str(ibis.to_sql(expression, dialect="pyspark")))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.stop()
        self._scratch.cleanup()
