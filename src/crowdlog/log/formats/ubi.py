"""User Behavior Insights of OpenSearch, Elasticsearch and Solr: the index of queries (`query_id`,
`client_id`, `user_query`, `timestamp`) and the one of events (`action_name`, `query_id`,
`event_attributes`), joined; give both files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch
from crowdlog.log.formats.arrow_text import from_arrow
from crowdlog.log.formats.field_names import look
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.records import connection, records, text_of, twice
from crowdlog.log.formats.times import translated
from crowdlog.log.rejects import GOOD, TWICE
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

QUERIES = frozenset({"query_id", "user_query", "timestamp"})
EVENTS = frozenset({"action_name", "query_id"})
_QUERY_COLUMNS = {"id": "query_id", "user": "client_id", "query": "user_query", "time": "timestamp"}
_EVENT_COLUMNS = {
    "id": "query_id",
    "client": "client_id",
    "action": "action_name",
    "url": "event_attributes.object.object_id",
    "rank": "event_attributes.position.ordinal",
}
_CLICKS = ("click", "item_click", "result_click", "click_through", "item_hover_click", "product_click")
_QUOTED_CLICKS = ", ".join(f"'{name}'" for name in _CLICKS)


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    return read_together([source], options)


def read_together(
    sources: Sequence[SourceFile], options: ReadOptions
) -> Callable[[Advance], Iterator[Batch]]:
    """One reader for all files of the export; which is which is told by their fields."""
    kinds = [_is_queries(source) for source in sources]
    queries = [source for source, is_queries in zip(sources, kinds, strict=True) if is_queries]
    events = [source for source, is_queries in zip(sources, kinds, strict=True) if not is_queries]
    if not queries:
        raise InputError(
            f"{sources[0].name} holds UBI events, which name queries by id only. Export the index "
            "ubi_queries as well and import both files together."
        )
    options.tell("The users are clients (client_id): a person with two browsers counts as two.")
    if not events:
        options.tell("Only UBI queries were given: without the index ubi_events there are no clicks.")
    return partial(_read, queries, events, options)


def _is_queries(source: SourceFile) -> bool:
    names = set(look(source).names)
    if names >= QUERIES and "action_name" not in names:  # events may repeat the words
        if "client_id" not in names:
            raise InputError(
                f"{source.name} holds UBI queries without client_id: nobody is in it, so no promise to a "
                "person is possible. Let the search page send a client_id with each query."
            )
        return True
    if names >= EVENTS:
        return False
    raise InputError(f"{source.name} has neither the fields of UBI queries nor those of UBI events.")


def _read(
    queries: Sequence[SourceFile], events: Sequence[SourceFile], options: ReadOptions, advance: Advance
) -> Iterator[Batch]:
    with connection() as db:
        _load(db, "queries", queries, _QUERY_COLUMNS, advance)
        _load(db, "events", events, _EVENT_COLUMNS, advance)
        yield from translated(_joined(db), options.time_format, queries[0].name)
        _tell_lost(db, options)


def _load(
    db: Any, table: str, sources: Sequence[SourceFile], columns: dict[str, str], advance: Advance
) -> None:
    import pyarrow as pa

    names = ", ".join(f"{name} VARCHAR" for name in columns)
    db.execute(f"CREATE TABLE {table} (n BIGINT, twice BOOLEAN, broken BOOLEAN, {names})")
    taken = ", ".join(text_of(path) for path in columns.values())
    said_twice = twice(columns.values())
    for source in sources:
        for part in records(source, advance):
            texts = pa.table({"n": part.line, "raw": [raw.decode("utf-8", "replace") for raw in part.raw]})
            db.register("part", texts)
            db.execute(
                f"INSERT INTO {table} SELECT n, {said_twice}, json IS NULL, {taken} FROM (SELECT n, "
                "CASE WHEN json_valid(raw) THEN raw::JSON END AS json FROM part)"
            )


def _joined(db: Any) -> Iterator[Batch]:
    """A row for each query without a click, and one for each click, at the time of its query.

    A click is its own client's: several may have one id, for a page that was kept for all of them, and
    whoever makes up another's id must not have the other's clicks. Where an event does not say its client
    it is that of the query, if only one has this id.
    """
    db.execute(
        """CREATE VIEW owners AS SELECT id, min("user") AS owner FROM queries GROUP BY id
        HAVING count(DISTINCT "user") = 1"""
    )
    db.execute(
        f"""CREATE VIEW clicks AS SELECT e.*, coalesce(nullif(e.client, ''), o.owner) AS owner
        FROM events e LEFT JOIN owners o ON e.id = o.id
        WHERE e.action IN ({_QUOTED_CLICKS}) AND NOT e.twice"""
    )
    answer = db.sql(
        """SELECT q."user", q.query, q.time, c.rank, c.url, q.n, q.twice
        FROM queries q LEFT JOIN (SELECT * FROM clicks WHERE url IS NOT NULL) c
        ON q.id = c.id AND q."user" = c.owner ORDER BY q.n, c.n"""
    )
    for table in answer.to_arrow_reader(1 << 16):
        columns = tuple(from_arrow(table.column(role)) for role in ROLES)

        def raw(i: int, columns: tuple[Any, ...] = columns) -> bytes:
            return b"\t".join(column[i] for column in columns)

        said_twice = table.column("twice").to_numpy(zero_copy_only=False)
        reason = np.where(said_twice, TWICE, GOOD).astype(np.uint8)
        yield Batch(columns, table.column("n").to_numpy(), reason, raw)


def _tell_lost(db: Any, options: ReadOptions) -> None:
    total, nowhere, empty, foreign = db.execute(
        """SELECT count(*), count(*) FILTER (NOT coalesce(id IN (SELECT id FROM queries), false)),
        count(*) FILTER (url IS NULL),
        count(*) FILTER (id IN (SELECT id FROM queries WHERE "user" IS NOT NULL)
        AND NOT coalesce((id, owner) IN (SELECT (id, "user") FROM queries WHERE "user" IS NOT NULL), false))
        FROM clicks"""
    ).fetchone()
    other, damaged = db.execute(
        f"""SELECT count(*) FILTER ((action IS NULL OR action NOT IN ({_QUOTED_CLICKS}))
        AND NOT twice AND NOT broken), count(*) FILTER (twice OR broken) FROM events"""
    ).fetchone()
    if damaged:
        options.tell(
            f"{damaged:,} events cannot be read or say a field twice, and were left out: clicks may be "
            "missing."
        )
    if nowhere:
        options.tell(f"{nowhere:,} of {total:,} clicks belong to no query of the export and were left out.")
    if foreign:
        options.tell(
            f"{foreign:,} of {total:,} clicks are of another client than the query they name, or of one that "
            "several clients have, and were left out."
        )
    if empty:
        options.tell(f"{empty:,} of {total:,} clicks name no object (event_attributes.object.object_id).")
    if other:
        options.tell(f"{other:,} events are no clicks (views, scrolls, purchases) and were passed over.")
