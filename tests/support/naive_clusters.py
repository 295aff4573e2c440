"""Distances and MDAV as the papers print them, in plain Python: slow,
and nothing of the fast code is used.
"""

from __future__ import annotations

from fractions import Fraction


def delta(tree, one, other):
    """Eq. 5.10 on sets of ancestors."""

    def ancestors(node):
        found = {node}
        while tree.parent[node] >= 0:
            node = int(tree.parent[node])
            found.add(node)
        return found

    first, second = ancestors(one), ancestors(other)
    return Fraction(len(first | second) - len(first & second), len(first | second))


def semantic(tree, one, other):
    """Eq. 5.13; `one` and `other`: category → repetitions."""
    if not one and not other:
        return Fraction(0)
    if not one or not other:
        return Fraction(1)
    there = sum(w * min(delta(tree, c, d) for d in other) for c, w in one.items())
    back = sum(w * min(delta(tree, c, d) for d in one) for c, w in other.items())
    return Fraction(there + back) / (sum(one.values()) + sum(other.values()))


def mdav(matrix, k):
    """Algorithm 1 with the medoid as centroid; ties to the lowest id. Returns a set of clusters."""
    left, clusters = list(range(len(matrix))), []

    def close(user):
        others = sorted((v for v in left if v != user), key=lambda v: (matrix[user][v], v))
        cluster = [user, *others[: k - 1]]
        for member in cluster:
            left.remove(member)
        clusters.append(frozenset(cluster))

    def farthest(user):
        return max(left, key=lambda v: (matrix[user][v], -v))

    def centroid():
        return min(left, key=lambda u: (sum(matrix[u][v] for v in left), u))

    while len(left) >= 3 * k:
        first = farthest(centroid())
        close(first)
        close(farthest(first))
    if len(left) >= 2 * k:
        close(farthest(centroid()))
    clusters.append(frozenset(left))
    return set(clusters)


def as_sets(cluster):
    found = {}
    for user, number in enumerate(cluster):
        found.setdefault(int(number), set()).add(user)
    return {frozenset(users) for users in found.values()}


def greedy(similarity, k):
    """Algorithms 4 and 5 with the decisions of greedy.py, by whole matrices."""
    n = len(similarity)
    left, clusters = set(range(n)), []
    while len(left) >= k:
        pairs = [(-similarity[u][v], u, v) for u in left for v in left if u < v]
        _value, one, two = min(pairs)
        cluster = [one, two]
        left -= set(cluster)
        while len(cluster) < k:
            more = min(left, key=lambda v: (-sum(similarity[c][v] for c in cluster), v))
            cluster.append(more)
            left.remove(more)
        clusters.append(set(cluster))
    clusters[-1] |= left
    return {frozenset(cluster) for cluster in clusters}


def swaps(matrix, cluster, rounds, neighbours):
    """Rounds of swaps.py by whole costs: each user takes the place of the best partner in the clusters of her
    nearest users, of several the first.
    """
    everybody = range(len(cluster))
    places = [[user for user in everybody if cluster[user] == c] for c in range(max(cluster) + 1)]

    def cost(users):
        return min(sum(matrix[m][x] ** 2 for x in users) for m in users)

    def swapped(users, out, into):
        return [into if user == out else user for user in users]

    for _round in range(rounds):
        for u in everybody:
            near = sorted((v for v in everybody if v != u), key=lambda v: (matrix[u][v], v))[:neighbours]
            own = next(users for users in places if u in users)
            others = [next(users for users in places if v in users) for v in near]
            best, pair = 0, None
            for other in others:
                for v in other if other is not own else []:
                    after = cost(swapped(own, u, v)) + cost(swapped(other, v, u))
                    if cost(own) + cost(other) - after > best:
                        best, pair = cost(own) + cost(other) - after, (other, v)
            if pair:
                other, v = pair
                own[:], other[:] = swapped(own, u, v), swapped(other, v, u)
    return {frozenset(users) for users in places}
