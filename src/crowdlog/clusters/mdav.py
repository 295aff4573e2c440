"""MDAV: maximum distance to average vector (Domingo-Ferrer and Mateo-Sanz 2002; Erola 2013, Algorithm 1).

While at least 3k users are left: the user farthest from the centroid and her k − 1 nearest are a cluster;
then the user farthest from *her*, with her k − 1 nearest. With 2k or more left, once more; the rest, k … 2k −
1, are the last cluster. Ties go to the lowest id.
"""

from __future__ import annotations

import numpy as np

from crowdlog.clusters.space import Space
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints


def mdav(space: Space, k: int, *, once: bool = False, advance: Advance = unseen) -> Ints:
    """The number of each user's cluster. `once`: the centroid is that of all users, found once.

    `advance` is called for every user twice: for the first centroid, and when she has a cluster.
    """
    cluster = np.full(space.users, -1, np.int64)
    alive = np.arange(space.users)
    clusters = 0
    fixed = None
    if len(alive) < 2 * k:
        advance(len(alive))
    elif once:
        fixed = space.middle(alive, advance)
    else:
        space.begin(alive, advance)

    def close(user: int, alive: Ints) -> Ints:
        nonlocal clusters
        members = space.nearest(user, alive, k)
        cluster[members] = clusters
        clusters += 1
        left = alive[cluster[alive] < 0]
        if not once:
            space.forget(members, left)
        advance(k)
        return left

    while len(alive) >= 3 * k:
        first = space.farthest(fixed if once else space.centroid(alive), alive)
        alive = close(first, alive)
        alive = close(space.farthest(first, alive), alive)
    if len(alive) >= 2 * k:
        alive = close(space.farthest(fixed if once else space.centroid(alive), alive), alive)
    cluster[alive] = clusters
    advance(len(alive))
    return cluster
