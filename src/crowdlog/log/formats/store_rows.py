"""The rows of a store as an import reads them: for a store that goes on where another one ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from crowdlog.files.patterns import for_duckdb
from crowdlog.log.columns import ROLES, Batch, Texts
from crowdlog.log.formats.arrow_text import from_arrow
from crowdlog.log.formats.records import connection
from crowdlog.log.parts import part_files
from crowdlog.log.store import LogStore
from crowdlog.progress import Advance

_STATEMENT = """SELECT u.text AS "user", q.text AS query, printf('%09d', e.time) AS time,
    e.rank::VARCHAR AS rank, l.text AS url
    FROM events e JOIN users u ON u.id = e."user" JOIN queries q ON q.id = e.query
    LEFT JOIN urls l ON l.id = e.url ORDER BY e.row"""


def rows_of(store: LogStore) -> Callable[[Advance], Iterator[Batch]]:
    """All rows, in the order of the store. Every byte was checked before."""
    return partial(_read, store)


def _read(store: LogStore, _advance: Advance) -> Iterator[Batch]:
    first = 1
    places = {
        "events": store.events(),
        "users": store.users(),
        "queries": store.queries(),
        "urls": store.urls(),
    }
    with connection() as db:
        for name, path in places.items():
            files = [for_duckdb(part) for part in part_files(path)]
            db.read_parquet(files, hive_partitioning=False).create_view(name)
        for table in db.sql(_STATEMENT).to_arrow_reader(1 << 16):
            columns = tuple(from_arrow(table.column(role)) for role in ROLES)
            lines = np.arange(first, first + table.num_rows)
            yield Batch(columns, lines, np.zeros(table.num_rows, np.uint8), partial(_raw, columns))
            first += table.num_rows


def _raw(columns: tuple[Texts, ...], i: int) -> bytes:
    return b"\t".join(column[i] for column in columns)
