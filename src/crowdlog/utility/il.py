"""IL: how differently users group by meaning, in the log and in the release (Erola 2013, eq. 5.17 and 5.18).

Users are clustered hierarchically by semantic distance, once with their own histories and once with their
records. The number of clusters is that of the highest Calinski–Harabasz index in the log, and the same for
both, as in the paper. Open there: the linkage. Ours is the average: with it the index has a highest value at
tens of clusters, as the paper's 80 of 1,000 users, while Ward's and complete linkage choose 2 or 3. Sums of
squares are those of the distances, Σ d²/(2n) of all pairs. Users of whom the tree knows nothing are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.artifacts.knowledge.tree import Tree
from crowdlog.clusters.distances.base import UNIT
from crowdlog.clusters.distances.semantic import semantic
from crowdlog.clusters.profiles import Profiles
from crowdlog.measure.categories import query_categories
from crowdlog.measure.tables import Tables
from crowdlog.types import Floats, Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score

USERS = 1000  # as many as the paper's
FEWEST = 2  # clusters


def measure(released: Tables, _truth: Truth, settings: MeasureSettings) -> list[Score]:
    """0: users group as before; 1: as if by lot."""
    histories = released.histories
    tree, matrix = query_categories(histories.log.store, settings.tree)
    users = histories.users(USERS, settings.seed)
    users = users[(histories.own[users] @ matrix).sum(axis=1) > 0]
    if len(users) < 4 * FEWEST:
        return [Score("il:information_loss", None, len(users))]
    value, clusters = information_loss(histories.own[users] @ matrix, histories.known[users] @ matrix, tree)
    return [Score("il:information_loss", value, len(users), details={"clusters": clusters})]


def information_loss(own: Any, shown: Any, tree: Tree) -> tuple[float, int]:
    """IL of users by categories, and the number of clusters."""
    before = _distances(own, tree)
    after = _distances(shown, tree)
    clusters = best_number(before)
    return partition_distance(_clusters(before, clusters), _clusters(after, clusters)), clusters


def _distances(counts: Any, tree: Tree) -> Floats:
    counts = counts.tocsr()
    counts.sort_indices()
    profiles = Profiles(
        counts.indptr.astype(np.int64), counts.indices.astype(np.int32), counts.data.astype(np.int32)
    )
    found: Floats = semantic(profiles, tree).matrix(2) / UNIT
    return found


def _merges(distances: Floats) -> Any:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return linkage(squareform(distances, checks=False), "average")


def _clusters(distances: Floats, number: int) -> Ints:
    from scipy.cluster.hierarchy import cut_tree

    return np.asarray(cut_tree(_merges(distances), n_clusters=[number])[:, 0], np.int64)


def best_number(distances: Floats) -> int:
    """The number of clusters with the highest index of Calinski and Harabasz, up to a quarter of the users.

    A cluster's squares are those between all its pairs over its size, so two clusters that merge add the
    squares between them: all numbers cost one pass over the merges.
    """
    squares = distances**2
    n = len(squares)
    members = {i: np.array([i]) for i in range(n)}
    inside = dict.fromkeys(range(n), 0.0)  # Σ d² of the pairs of each cluster
    within = 0.0
    total = float(squares.sum()) / (2 * n)
    best, highest = FEWEST, -1.0
    for step, (one, other) in enumerate(_merges(distances)[:, :2].astype(int)):
        first, second = members.pop(one), members.pop(other)
        within -= inside[one] / len(first) + inside[other] / len(second)
        merged = np.concatenate([first, second])
        pairs = inside.pop(one) + inside.pop(other) + float(squares[np.ix_(first, second)].sum())
        members[n + step], inside[n + step] = merged, pairs
        within += pairs / len(merged)
        clusters = n - 1 - step
        if not FEWEST <= clusters <= n // 4:
            continue
        index = (total - within) / (clusters - 1) / max(within / (n - clusters), 1e-12)
        if index >= highest:
            best, highest = clusters, index
    return best


def partition_distance(one: Ints, other: Ints) -> float:
    """The distance of López de Mántaras: (2·I(A∩B) − I(A) − I(B))/I(A∩B), 0 for the same partition."""
    both = _bits(np.unique(np.stack([one, other]), axis=1, return_counts=True)[1])
    alone = _bits(np.unique(one, return_counts=True)[1]) + _bits(np.unique(other, return_counts=True)[1])
    return max(0.0, (2 * both - alone) / both) if both > 0 else 0.0


def _bits(sizes: Any) -> float:
    share = sizes / sizes.sum()
    return float(-(share * np.log2(share)).sum())
