"""One connection to the database that counts. It reads integers only: spilled temporary files hold no text."""

from __future__ import annotations

import tempfile
from types import TracebackType
from typing import TYPE_CHECKING, Any

import ibis

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore


class Engine:
    """Runs Ibis expressions over one log store. DuckDB unless another Ibis back end is given."""

    def __init__(self, log: LogStore, *, memory: str | None = None, backend: Any = None) -> None:
        self.log = log
        self._spill = tempfile.TemporaryDirectory(prefix="crowdlog-spill-") if backend is None else None
        if backend is None and self._spill is not None:
            options = {"memory_limit": memory} if memory else {}
            backend = ibis.duckdb.connect(temp_directory=self._spill.name, preserve_insertion_order=False, **options)
        self.backend = backend
        self.events = self.backend.read_parquet(str(log.events()), table_name="events")

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.backend.disconnect()
        if self._spill is not None:
            self._spill.cleanup()
