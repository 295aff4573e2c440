"""Published rows as one record per pseudonym, and whose record each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.measure.cluster_owners import owners_in_clusters
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.measure.ragged import counting
from crowdlog.types import Ints

MANY = 1000  # people with the same query in the same second: more tell nothing about whose row it is


@dataclass(frozen=True)
class Records:
    """A release of rows.

    `counts`: records by queries, texts the log does not have behind its own; `owner`: whose each record is,
    or −1.
    """

    counts: Any
    owner: Ints

    def __repr__(self) -> str:
        return f"Records({len(self.owner)})"


def read_records(events: Any, truth: Impressions, cluster: Ints | None = None) -> Records:
    """One record per pseudonym.

    Its owner, which only we know, is found by query and second: most of its rows are that user's. `cluster`:
    the cluster of each user, where users of a cluster have the same record.
    """
    record = events["user"].combine_chunks().dictionary_encode().indices.to_numpy().astype(np.int64)
    time, query = events["time"].cast("int64").to_numpy(), truth.texts.find(events["query"])
    unknown = query < 0
    if unknown.any():
        others = events["query"].combine_chunks().filter(unknown).dictionary_encode().indices.to_numpy()
        query[unknown] = truth.queries + others
    order = np.lexsort((query, time, record))
    rows = np.stack([record, time, query])[:, order]
    # an impression is one (user, time, query), as in the store
    new = (np.diff(rows, axis=1, prepend=-1) != 0).any(axis=0)
    record, time, query = rows[:, new]
    records, width = int(record.max(initial=-1)) + 1, max(truth.queries, int(query.max(initial=-1)) + 1)
    owner = _owners(record, time, query, records, truth)
    if cluster is not None:
        owner = owners_in_clusters(record, time, cluster, truth)
    return Records(count_matrix(record, query, (records, width)), owner)


def _owners(record: Ints, time: Ints, query: Ints, records: int, truth: Impressions) -> Ints:
    keys = pack(truth.query, truth.time)
    order = np.argsort(keys, kind="stable")
    wanted, keys = pack(query, time), keys[order]
    start, end = np.searchsorted(keys, wanted, "left"), np.searchsorted(keys, wanted, "right")
    matches = np.where(end - start <= MANY, end - start, 0)
    place = np.repeat(start, matches) + counting(matches)
    votes, number = np.unique(pack(np.repeat(record, matches), truth.user[order][place]), return_counts=True)
    owner = np.full(records, -1, np.int64)
    rising = np.argsort(number, kind="stable")
    voted, voter = unpack(votes[rising])
    owner[voted] = voter  # the last, largest vote stays
    return owner
