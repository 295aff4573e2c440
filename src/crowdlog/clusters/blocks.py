"""Blocks of similar users by bisection: two far pivots, each user to the nearer one, split at the median."""

from __future__ import annotations

import numpy as np

from crowdlog.clusters.distances.base import Distance
from crowdlog.progress import progress_bar
from crowdlog.types import Ints


def bisect(distance: Distance, most: int) -> list[Ints]:
    """Blocks of at most `most` users; halves of halves, so that none is smaller than half of `most`."""
    waiting = [np.arange(distance.users)]
    blocks = []
    levels = max(0, (max(distance.users - 1, 0) // most).bit_length())
    with progress_bar("Finding blocks of similar users", levels * distance.users, unit="steps") as advance:
        while waiting:
            users = waiting.pop()
            if len(users) <= most:
                blocks.append(users)
                continue
            waiting += reversed(_halves(distance, users))
            advance(len(users))
    return blocks


def _halves(distance: Distance, users: Ints) -> tuple[Ints, Ints]:
    """Ties, of pivots and at the median, go to the lowest id."""
    one = int(users[np.argmax(distance.row(int(users[0]), users))])
    to_one = distance.row(one, users)
    two = int(users[np.argmax(to_one)])
    order = np.argsort(to_one - distance.row(two, users), kind="stable")
    half = len(users) // 2
    return np.sort(users[order[:half]]), np.sort(users[order[half:]])
