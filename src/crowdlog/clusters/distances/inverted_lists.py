"""The arithmetic of `semantic_space.py`: inverted lists of users by node, and sums over all users at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from crowdlog.clusters.distances.semantic_kernels import NONE, mark, values_to
from crowdlog.clusters.profiles import Profiles
from crowdlog.progress import Advance, unseen
from crowdlog.types import Floats

_AT_ONCE = 1 << 12  # users of one total weight, between two moves of the bar


@njit(cache=True, nogil=True)
def list_users(start: Any, item: Any, parent: Any, depth: Any) -> tuple[Any, Any, Any]:
    """For each node the users with a category below it, ascending, and the least depth of theirs."""
    nodes = len(parent)
    least = np.full(nodes, NONE, np.int8)
    touched = np.empty(nodes, np.int32)
    first = np.zeros(nodes + 1, np.int64)
    for user in range(len(start) - 1):
        n = mark(start[user], start[user + 1], item, parent, depth, least, touched)
        for i in range(n):
            first[touched[i] + 1] += 1
            least[touched[i]] = NONE
    for node in range(nodes):
        first[node + 1] += first[node]
    place = first[:-1].copy()
    users = np.empty(first[nodes], np.int32)
    depths = np.empty(first[nodes], np.int8)
    for user in range(len(start) - 1):
        n = mark(start[user], start[user + 1], item, parent, depth, least, touched)
        for i in range(n):
            node = touched[i]
            users[place[node]] = user
            depths[place[node]] = least[node]
            place[node] += 1
            least[node] = NONE
    return first, users, depths


@njit(cache=True, nogil=True)
def sums_forward(start: Any, item: Any, weight: Any, value: Any) -> Any:
    """Σ w·value of the categories of every user."""
    found = np.empty(len(start) - 1, np.int32)
    for user in range(len(found)):
        total = 0
        for i in range(start[user], start[user + 1]):
            total += weight[i] * value[item[i]]
        found[user] = total
    return found


@njit(cache=True, nogil=True)
def add_category(
    both: Any,
    prefix: Any,
    now: Any,
    weight: int,
    node: int,
    last: int,
    parent: Any,
    depth: Any,
    delta: Any,
    start: Any,
    users: Any,
    least: Any,
) -> None:
    """Add weight·(the least δ from a category to every user): `prefix` by its ancestors from `last` up, then
    those below `last` down to the category itself, whose users are few. `now` is a place to work in.
    """
    times = np.int32(weight)
    for user in range(len(both)):
        both[user] += times * prefix[user]
    deep = depth[node]
    path = np.empty(deep, np.int32)
    n = 0
    while node != last:
        path[n] = node
        n += 1
        node = parent[node]
    for step in range(n - 1, -1, -1):
        node = path[step]
        for i in range(start[node], start[node + 1]):
            user = users[i]
            if step == n - 1:  # the users of all further nodes are among these
                now[user] = prefix[user]
            value = delta[depth[node], deep, least[i]]
            if value < now[user]:
                both[user] -= times * (now[user] - value)
                now[user] = value


@njit(cache=True, nogil=True)
def lower(prefix: Any, users: Any, least: Any, delta: Any) -> None:
    """The minimum of a prefix and of what one more ancestor gives."""
    for i in range(len(users)):
        user = users[i]
        prefix[user] = min(prefix[user], delta[least[i]])


@njit(cache=True, nogil=True)
def shared_ancestors(parent: Any, many: Any) -> Any:
    """The lowest ancestor of each node, itself included, that many users have; −1 if there is none.

    Nodes are numbered from the roots down, and a parent has at least as many users as a child.
    """
    found = np.empty(len(parent), np.int32)
    for node in range(len(parent)):
        above = found[parent[node]] if parent[node] >= 0 else -1
        found[node] = node if many[node] else above
    return found


@njit(cache=True, nogil=True)
def combined(both: Any, total: Any, own: int, scale: int) -> Any:
    """Sums of both directions as distances."""
    found = np.zeros(len(both), np.int64)
    for user in range(len(both)):
        weights = own + total[user]
        if weights > 0:
            found[user] = np.int64(both[user]) * scale // weights
    return found


def approximate_sums(
    profiles: Profiles,
    item: Any,
    parent: Any,
    depth: Any,
    delta: Any,
    scale: int,
    advance: Advance = unseen,
) -> Floats:
    """For each user the sum of her distances to all, each not rounded down: it costs no comparison of pairs.

    D(u, v) has the denominator W_u + W_v, so users are taken together by their total weight.
    """
    total = profiles.total
    found = np.zeros(len(profiles))
    for weight in np.unique(total):
        same = np.flatnonzero(total == weight)
        arrays = (profiles.start, item, profiles.weight, total)
        for group in np.split(same, range(_AT_ONCE, len(same), _AT_ONCE)):
            _add_group(int(weight), group, *arrays, parent, depth, delta, found)
            advance(len(group))
    return found * scale


@njit(cache=True, nogil=True)
def _add_group(
    weight: int,
    group: Any,
    start: Any,
    item: Any,
    times: Any,
    total: Any,
    parent: Any,
    depth: Any,
    delta: Any,
    found: Any,
) -> None:
    """What users of one total weight have to everybody, and everybody to them."""
    nodes = len(parent)
    wanted = np.zeros(nodes)  # Σ over all users of w(c)/(both totals)
    for user in range(len(start) - 1):
        both = max(weight + total[user], 1)
        for i in range(start[user], start[user + 1]):
            wanted[item[i]] += times[i] / both
    least = np.full(nodes, NONE, np.int8)
    touched = np.empty(nodes, np.int32)
    slot = np.full(nodes, -1, np.int32)
    best = np.empty((nodes, delta.shape[0]), np.int32)
    value = np.empty(nodes, np.int32)
    values = np.zeros(nodes)
    for user in group:
        values_to(start[user], start[user + 1], item, parent, depth, delta, least, touched, slot, best, value)
        for node in range(nodes):
            values[node] += value[node]
            found[user] += value[node] * wanted[node]
    for user in range(len(start) - 1):
        both = max(weight + total[user], 1)
        whole = 0.0
        for i in range(start[user], start[user + 1]):
            whole += times[i] * values[item[i]]
        found[user] += whole / both
