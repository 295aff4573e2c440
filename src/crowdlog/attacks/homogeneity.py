"""Homogeneity: k users behind one record may share a sensitive topic; then k hides nobody (no l-diversity).

The attacker sees a sensitive topic in a record and says of everybody behind it that she searched for it.
Beside the success: l, how many different sensitive topics (or none) are the main ones of the users of a
cluster, and t, how far a cluster's sensitive topics are from the log's (Machanavajjhala et al. 2006; Li et
al. 2007; equal distance between topics, so t is the total variation), both of the worst cluster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_mean
from crowdlog.attacks.sensitive_topics import sensitive_topics
from crowdlog.errors import InputError
from crowdlog.measure.cluster_owners import clusters_of
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.types import Floats, Ints


def homogeneity(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """How often a person behind a record with a sensitive topic searched for that topic."""
    name = "homogeneity"
    records = view.records(truth)
    if records is None:
        return nothing(name, "Needs rows: a table of counts has no records.")
    try:
        topics = sensitive_topics(truth, attacker)
    except InputError as why:
        return nothing(name, str(why))
    own = (truth.profile @ topics).toarray()
    cluster = clusters_of(view.mechanisms, truth)
    if cluster is None:  # every record is one person's
        cluster = np.arange(truth.users)
    worst = _worst_clusters(own, truth, cluster)
    known = np.flatnonzero(records.owner >= 0)
    shown = (records.counts[known][:, : truth.queries] @ topics).toarray() > 0
    of_cluster = cluster[records.owner[known]]
    # the records of a cluster are the same: one speaks for all
    _clusters, first = np.unique(of_cluster, return_index=True)
    row, topic = np.nonzero(shown[first])
    if not len(row):
        return nothing(name, "No record shows a sensitive topic.", **worst)
    share = _shares(own > 0, cluster)
    right = share[of_cluster[first[row]], topic]
    chance = float((own > 0).mean(axis=0)[topic].mean())
    return result_of_mean(name, right, chance, attacker.rng(), certain=float((right == 1).mean()), **worst)


def _shares(has: Any, cluster: Ints) -> Floats:
    """For each cluster and topic the share of its users who searched for it."""
    members = count_matrix(cluster, np.arange(len(cluster)), (int(cluster.max(initial=0)) + 1, len(cluster)))
    found: Floats = (members @ has.astype(np.float64)) / np.bincount(cluster)[:, None]
    return found


def _worst_clusters(own: Any, truth: Impressions, cluster: Ints) -> dict[str, Any]:
    """l and t of the worst cluster, and the share of users in clusters of l = 1 with a sensitive topic."""
    size = np.bincount(cluster)
    main = np.where(own.sum(axis=1) > 0, own.argmax(axis=1), -1)
    different = np.unique(np.stack([cluster, main]), axis=1)
    diversity = np.bincount(different[0], minlength=len(size))
    alike = np.zeros(len(size), bool)
    one = diversity[different[0]] == 1
    alike[different[0][one]] = different[1][one] >= 0
    searched = np.bincount(truth.user, minlength=truth.users)
    split = np.column_stack([own, np.maximum(searched - own.sum(axis=1), 0)]).astype(np.float64)
    members = count_matrix(cluster, np.arange(len(cluster)), (len(size), len(cluster)))
    by_cluster = members @ split
    by_cluster /= np.maximum(by_cluster.sum(axis=1, keepdims=True), 1)
    whole = split.sum(axis=0) / max(split.sum(), 1)
    closeness = np.abs(by_cluster - whole).sum(axis=1) / 2
    return {
        "l_diversity": int(diversity.min()),
        "t_closeness": float(closeness.max()),
        "mean_t_closeness": float((closeness * size).sum() / size.sum()),
        "users_in_clusters_of_one_sensitive_topic": float(size[alike].sum() / size.sum()),
    }
