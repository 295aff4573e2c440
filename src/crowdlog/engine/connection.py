"""One connection to the database that counts. It reads integers only: temporary files hold no text."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

import ibis

from crowdlog.files.patterns import for_duckdb
from crowdlog.files.scratch import Scratch
from crowdlog.log.store import LogStore

if TYPE_CHECKING:
    from crowdlog.engine.log_source import LogSource
    from crowdlog.engine.rename import Renaming
    from crowdlog.log.summary import Summary
    from crowdlog.plan.table import TablePlan


class Engine:
    """Runs Ibis expressions over one log store. DuckDB, with so many threads and bytes of memory at most,
    unless another Ibis back end is given.
    """

    def __init__(
        self, log: LogStore, *, threads: int | None = None, memory: int | None = None, backend: Any = None
    ) -> None:
        self.log = log
        reading: dict[str, Any] = {}
        events = str(log.events())
        self._spill = Scratch("spill") if backend is None else None
        if backend is None and self._spill is not None:
            options: dict[str, Any] = {"memory_limit": f"{memory} bytes"} if memory else {}
            if threads:
                options["threads"] = threads
            backend = ibis.duckdb.connect(
                temp_directory=str(self._spill.path), preserve_insertion_order=False, **options
            )
            # A path is a pattern to DuckDB, and a folder `user=5` above it a column: neither is meant here.
            events = for_duckdb(log.events())
            reading = {"hive_partitioning": False}
        self.backend = backend
        self.events = self.backend.read_parquet(events, table_name="events", **reading)

    elsewhere = False  # whether counts stay on other machines

    def check(self, plans: Sequence[TablePlan]) -> None:
        """Raise InputError when tables of these plans cannot be made by it."""
        return

    def summary(self) -> Summary:
        """The figures of the log."""
        from crowdlog.log.summary import summarise

        return summarise(self.log)

    def source(self, renaming: Renaming | None) -> LogSource:
        """The log as a source of counts, its queries renamed."""
        from crowdlog.engine.log_source import LogSource

        return LogSource(self, renaming)

    def source_in(self, representation: str) -> LogSource:
        """The log as a source of counts, its queries written in this representation."""
        from crowdlog.engine.rename import rename

        return self.source(None if representation == "original" else rename(self.log, representation))

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.backend.disconnect()
        if self._spill is not None:
            self._spill.cleanup()
