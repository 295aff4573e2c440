"""Whose record is whose where users of a cluster have the same: the partition can be made again.

A partition is a function of the log and the mechanism. Which published record is of which cluster is found by
times: those of a record are times of users of its cluster (or means of them), so most votes are right. The
equal records of a cluster go to its users in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.log.store import LogStore
from crowdlog.measure.log_arrays import Impressions
from crowdlog.measure.ragged import counting
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.microaggregation import Microaggregation
from crowdlog.types import Ints

MANY = 1000  # users of one second: more tell nothing


def clusters_of(spellings: Iterable[str], truth: Impressions) -> Ints | None:
    """The cluster of each user of the log, made again; None when no mechanism makes clusters."""
    for spelling in spellings:
        if isinstance(parse(spelling), Microaggregation):
            return _made_again(spelling, truth.store.path, truth.store.info.id)
    return None


@lru_cache(maxsize=2)
def _made_again(spelling: str, path: Path, _source: str) -> Ints:
    """Kept, because each attack and each measure asks for it."""
    mechanism = parse(spelling)
    if not isinstance(mechanism, Microaggregation):
        raise TypeError(f"{spelling} makes no clusters")
    return mechanism.clusters(LogStore.open(path)).partition.cluster


def owners_in_clusters(record: Ints, time: Ints, cluster: Ints, truth: Impressions) -> Ints:
    """The user of each record; −1 where none is left of its cluster, or no time tells it."""
    voter, user = _users_at(time, truth, record)
    found = _vote(int(record.max(initial=-1)) + 1, voter, cluster[user])
    owner = np.full(len(found), -1, np.int64)
    members = np.split(np.argsort(cluster, kind="stable"), np.cumsum(np.bincount(cluster))[:-1])
    taken = np.zeros(len(members), np.int64)
    for each in np.flatnonzero(found >= 0):
        users = members[found[each]]
        if taken[found[each]] < len(users):
            owner[each] = users[taken[found[each]]]
            taken[found[each]] += 1
    return owner


def _users_at(time: Ints, truth: Impressions, record: Ints) -> tuple[Ints, Ints]:
    """For every row, who searched in its second: record and user of each."""
    order = np.argsort(truth.time, kind="stable")
    known = truth.time[order]
    start, end = np.searchsorted(known, time, "left"), np.searchsorted(known, time, "right")
    matches = np.where(end - start <= MANY, end - start, 0)
    place = np.repeat(start, matches) + counting(matches)
    return np.repeat(record, matches), truth.user[order][place]


def _vote(records: int, voter: Ints, cluster: Ints) -> Ints:
    """The cluster that most rows of each record speak for; −1 where none does."""
    votes, number = np.unique(pack(voter, cluster), return_counts=True)
    rising = np.argsort(number, kind="stable")
    voted, chosen = unpack(votes[rising])
    found = np.full(records, -1, np.int64)
    found[voted] = chosen  # the last, largest vote stays
    return found
