"""The semantic distance for more users than a matrix can hold: one user against all others at a time.

For every node of the tree there is a list of the users who have a category below it, with the least depth of
theirs (an inverted list). The least δ from a category c to every user is then a minimum over the ancestors of
c. Those that many users have are shared by many categories: their minimum, a prefix, is kept for the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crowdlog.clusters.distances.inverted_lists import (
    add_category,
    approximate_sums,
    combined,
    list_users,
    lower,
    shared_ancestors,
    sums_forward,
)
from crowdlog.clusters.space import DistanceSpace, Point
from crowdlog.progress import Advance, unseen
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.clusters.distances.semantic import SemanticDistance

_SHRUNK = 0.9  # lists are made again when so many of their users are left
_MANY = 1 / 8  # of the users: a node that so many have something below is worth a prefix
_KEPT_BYTES = 384 << 20  # of prefixes
_CANDIDATES = 1000  # for the medoid; more only where so many users are the same


class SemanticSpace(DistanceSpace):
    """Rows are exactly those of `SemanticDistance.row`, a hundred times as fast."""

    def __init__(self, distance: SemanticDistance) -> None:
        super().__init__(distance.users)
        self._distance = distance
        self._rows: dict[int, Any] = {}
        self._pinned: tuple[int, Any] | None = None  # the row of the medoid that was found once
        self._list(np.arange(distance.users))

    def _list(self, alive: Ints) -> None:
        """Make the lists of these users."""
        d = self._distance
        profiles = d.profiles.part(alive)
        item = d.items_of(alive)
        self._ids = alive
        self._profiles = (profiles.start, item, profiles.weight)
        self._total = profiles.total
        self._inverted = list_users(profiles.start, item, *d.tree[:2])
        self._shared = shared_ancestors(d.tree[0], np.diff(self._inverted[0]) >= _MANY * len(alive))
        self._now = np.empty(len(alive), np.int32)
        self._prefixes: dict[tuple[int, int], NDArray[np.int32]] = {}
        self._most = max(16, _KEPT_BYTES // (4 * max(len(alive), 1)))

    def row(self, user: int, alive: Ints) -> Any:
        if self._pinned is not None and self._pinned[0] == user:
            return self._pinned[1][alive]
        if user not in self._rows:
            if len(alive) < _SHRUNK * len(self._ids):
                self._list(alive)
            while len(self._rows) > 1:
                del self._rows[next(iter(self._rows))]
            whole = np.zeros(self.users, np.int32)
            whole[self._ids] = self._row(user)
            self._rows[user] = whole
        return self._rows[user][alive]

    def _row(self, user: int) -> NDArray[np.int64]:
        d = self._distance
        depth = d.tree[1]
        both = sums_forward(*self._profiles, d.values(user))
        begin, end = d.profiles.start[user : user + 2]
        for place in range(begin, end):
            node = int(d.items[place])
            shared = int(self._shared[node])
            prefix = self._prefix(shared, int(depth[node]))
            weight = int(d.profiles.weight[place])
            add_category(both, prefix, self._now, weight, node, shared, *d.tree, *self._inverted)
        own = int(d.total[user])
        found: NDArray[np.int64] = combined(both, self._total, own, d.scale)
        found[self._ids == user] = 0
        return found

    def _prefix(self, node: int, deep: int) -> NDArray[np.int32]:
        """The least δ from a category of depth `deep` below a node to every user, by its ancestors up from
        the node.
        """
        if (node, deep) in self._prefixes:
            found = self._prefixes.pop((node, deep))
        else:
            parent, depth, delta = self._distance.tree
            if node < 0:
                found = np.full(len(self._ids), delta[0, 1, 1], np.int32)
            else:
                found = self._prefix(int(parent[node]), deep).copy()
                lower(found, *self._users_of(node), delta[int(depth[node]), deep])
            if len(self._prefixes) >= self._most:
                del self._prefixes[next(iter(self._prefixes))]  # the one not used for the longest time
        self._prefixes[node, deep] = found
        return found

    def _users_of(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        start, users, least = self._inverted
        return users[start[node] : start[node + 1]], least[start[node] : start[node + 1]]

    def middle(self, alive: Ints, advance: Advance = unseen) -> Point:
        """The exact medoid: sums of distances without their rounding tell who can be it, then rows decide."""
        d = self._distance
        about = approximate_sums(d.profiles.part(alive), d.items_of(alive), *d.tree, d.scale, advance)
        bar = float(about.min()) * (1 + 1e-9) + len(alive)  # each distance is rounded down by less than 1
        possible = alive[np.flatnonzero(about <= bar)[:_CANDIDATES]]
        exact = [int(self.row(int(user), alive).sum(dtype=np.int64)) for user in possible]
        found = int(possible[int(np.argmin(exact))])
        self.row(found, alive)
        self._pinned = found, self._rows[found]
        return found

    def sums(self, alive: Ints, advance: Advance) -> Any:
        total = np.zeros(self.users, np.int64)
        for user in alive:
            total[user] = self.row(int(user), alive).sum(dtype=np.int64)
            advance(1)
        return total

    def sum_to(self, users: Ints, alive: Ints) -> Any:
        return sum(self.row(int(user), alive).astype(np.int64) for user in users)
