"""Completion: a query that always follows the same other query gives that one away too (Feild 2013, §3.4.2.1,
example 3).
"""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Ints


def completion(view: AttackerView, truth: Impressions, _attacker: Attacker) -> AttackResult:
    """Told one query of a person, name another: how often is it right for her, how often for anybody?"""
    why = view.why_not_exact()
    queries = view.queries(truth)
    if why or queries is None:
        return nothing("completion", why)
    before = always_before(*queries, *view.pairs(truth), truth.queries)
    profile = truth.profile
    user = np.repeat(np.arange(truth.users), np.diff(profile.indptr))
    told = before[profile.indices] >= 0
    if not told.any():
        return nothing("completion", "No published query always follows the same query.")
    keys = pack(user, profile.indices)  # sorted: by user, then query
    guess = before[profile.indices[told]]
    wanted = pack(user[told], guess)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    hits = int((keys[at] == wanted).sum())
    chance = float((truth.holders[guess] / truth.users).mean())
    return result_of_trials("completion", hits, int(told.sum()), chance, queries=int((before >= 0).sum()))


def always_before(ids: Ints, counts: Ints, first: Ints, second: Ints, pairs: Ints, queries: int) -> Ints:
    """For each query the one that was asked right before each of its impressions, or −1.

    The source asks that all pairs around the query add up to its count; that leaves impressions with a next
    but no previous query. Only Count(p, q) = Count(q) proves the claim.
    """
    asked = np.full(queries, -1)
    asked[ids] = counts
    before = np.full(queries, -1)
    always = pairs == asked[second]
    before[second[always]] = first[always]
    return before
