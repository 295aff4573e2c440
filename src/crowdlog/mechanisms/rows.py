"""Releases of the log's own rows, once thought safe. They promise nothing and exist to be attacked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.promise import Promise, Step
from crowdlog.types import Ints

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

COLUMNS = ["user", "query", "time", "rank", "url", "gap", "impression"]


def row_promise(step: Step, *weak: str) -> Promise:
    """No table of counts, no guarantee."""
    return Promise(NO_GUARANTEE, (step,), unprotected=weak, proof="proofs/unsafe.md")


def read_rows(log: LogStore) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(log.events(), columns=COLUMNS)


def publish_rows(log: LogStore, events: Any, who: Ints, randomness: Randomness) -> pa.Table:
    """The rows under pseudonyms 1, 2, …: a random order of `who`, so that they tell neither names nor the
    order of the log.
    """
    import pyarrow as pa

    people = int(who.max(initial=-1)) + 1
    number = np.empty(people, np.int64)
    number[np.argsort(np.frombuffer(randomness.bytes(8 * people), np.uint64), kind="stable")] = 1 + np.arange(
        people
    )
    order = np.argsort(number[who], kind="stable")
    rows = events.take(pa.array(order))
    clicked = rows["url"].is_valid().to_numpy()
    place = np.cumsum(clicked) - 1
    urls = log.url_texts(rows["url"].drop_null().to_numpy())
    columns = {
        "user": number[who][order],
        "query": log.query_texts(rows["query"].to_numpy()),
        "time": rows["time"],
        "rank": rows["rank"],
        "url": urls.take(pa.array(place, pa.int64(), mask=~clicked)),
    }
    return pa.table(columns)
