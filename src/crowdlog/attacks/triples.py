"""Triple inference: exact counts of queries and pairs prove that somebody asked a, b, c in a row (Feild 2013,
§3.4.2.1, example 2).
"""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Ints


def triples(view: AttackerView, truth: Impressions, _attacker: Attacker) -> AttackResult:
    """Of the triples that follow: how many have fewer than k users.

    A release that keeps its own bar lets none follow, so chance is 0.
    """
    why = view.why_not_exact()
    queries = view.queries(truth)
    if why or queries is None:
        return nothing("triples", why)
    before, after = inferred(*queries, *view.pairs(truth), truth.queries)
    found = np.flatnonzero((before >= 0) & (after >= 0))
    if not len(found):
        return nothing("triples", "No triple follows from the published counts.")
    users = users_of_triples(before, after, truth)[found]
    k = view.least_people
    weak = (users >= 1) & (users < k)
    return result_of_trials(
        "triples",
        int(weak.sum()),
        len(found),
        0.0,
        k=k,
        breaches=int(weak.sum()),
        in_the_log=int((users >= 1).sum()),
    )


def inferred(
    ids: Ints, counts: Ints, first: Ints, second: Ints, pairs: Ints, queries: int
) -> tuple[Ints, Ints]:
    """For each query b: the a before and the c after most of its impressions, or −1.

    With both, (a, b, c) was asked: two majorities meet.
    """
    asked = np.full(queries, np.iinfo(np.int64).max // 2)
    asked[ids] = counts
    before, after = np.full(queries, -1), np.full(queries, -1)
    often = 2 * pairs > asked[second]
    before[second[often]] = first[often]  # at most one query can hold a majority
    often = 2 * pairs > asked[first]
    after[first[often]] = second[often]
    return before, after


def users_of_triples(before: Ints, after: Ints, truth: Impressions) -> Ints:
    """How many users asked (before[b], b, after[b]) in a row, for each b."""
    user, query = truth.user, truth.query
    row = 1 + np.flatnonzero(truth.follows[1:-1] & truth.follows[2:])
    b = query[row]
    there = row[(before[b] == query[row - 1]) & (after[b] == query[row + 1])]
    holders, _users = unpack(np.unique(pack(query[there], user[there])))
    return np.bincount(holders, minlength=truth.queries)
