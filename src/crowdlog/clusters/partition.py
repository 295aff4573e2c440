"""One engine for partitions: exact up to a size that is told, in blocks above it, with or without swaps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from crowdlog.clusters.blocks import bisect
from crowdlog.clusters.distances.base import Distance
from crowdlog.clusters.mdav import mdav
from crowdlog.clusters.space import MatrixSpace, Space
from crowdlog.clusters.swaps import squared_error, swap
from crowdlog.errors import InputError
from crowdlog.progress import Advance, progress_bar
from crowdlog.types import Ints

EXACT = 20_000  # users at once: their distances take 1.6 GB
# Another way to make clusters of k of a block of users, such as greedy.py; it moves the bar twice for each.
Method = Callable[[Distance, int, Advance], Ints]


@dataclass(frozen=True)
class PartitionSettings:
    """`exact`: the largest number of users that MDAV sees at once. `once`: the centroid is found once only.

    `swaps`: rounds of swaps after it. `threads` changes the time alone, never the result.
    """

    exact: int = EXACT
    once: bool = False
    swaps: int = 0
    threads: int = 2


@dataclass(frozen=True)
class Partition:
    """The cluster of each user, and how it was found."""

    cluster: Ints
    blocks: int
    error: float | None = None  # sum of squared distances to the medoids, where all distances were in memory
    how: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def sizes(self) -> Ints:
        return np.bincount(self.cluster)

    @property
    def members(self) -> list[Ints]:
        """The users of each cluster, ascending."""
        order = np.argsort(self.cluster, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])

    def __repr__(self) -> str:
        return f"Partition({len(self.cluster)} users, {len(self.sizes)} clusters, {self.blocks} blocks)"


def refuse_sizes(users: int, k: int, exact: int, *, pairs: bool = False) -> None:
    """Raise InputError for fewer than k users, for blocks in which there might be fewer, and for blocks that
    are too large where the distances of all `pairs` of their users are kept.
    """
    if users < k:
        raise InputError(
            f"The log has {users:,} users, and a cluster needs k = {k:,}. Take a smaller k, or a larger log."
        )
    if users > exact < 2 * k:
        raise InputError(f"Blocks of {exact:,} users are too small for k = {k:,}: they need 2k users.")
    if pairs and min(users, exact) > EXACT:
        raise InputError(
            f"Swaps and OdpClusters keep the distances of all pairs of a block, which is done for at most "
            f"{EXACT:,} users ({EXACT**2 * 4 / 1e9:.1f} GB). Take exact={EXACT}, or less; without swaps Mdav "
            "and SemanticMdav take any number."
        )


def partition(
    distance: Distance, k: int, settings: PartitionSettings | None = None, method: Method | None = None
) -> Partition:
    """Clusters of k … 2k − 1 users, by MDAV unless another method is given."""
    chosen = settings or PartitionSettings()
    refuse_sizes(distance.users, k, chosen.exact, pairs=method is not None or chosen.swaps > 0)
    blocks = bisect(distance, chosen.exact)
    cluster = np.empty(distance.users, np.int64)
    first, error = 0, 0.0
    steps = sum(len(users) * _steps(distance, len(users), chosen, method) for users in blocks)
    with progress_bar("Finding users alike", steps, unit="steps") as advance:
        for users in blocks:
            part = distance if len(blocks) == 1 else distance.part(users)
            found, lost = _of_block(part, k, chosen, method, advance)
            cluster[users] = found + first
            first += int(found.max(initial=-1)) + 1
            error = error + lost if lost is not None else np.nan
    return Partition(cluster, len(blocks), None if np.isnan(error) else error)


def _steps(distance: Distance, users: int, settings: PartitionSettings, method: Method | None) -> int:
    """How often the bar moves for each user of a block: once for her distances if all are needed, twice for
    her cluster, once in each round of swaps.
    """
    matrix = settings.swaps > 0 or (method is None and distance.space() is None and users <= EXACT)
    return matrix + 2 + settings.swaps


def _of_block(
    distance: Distance, k: int, settings: PartitionSettings, method: Method | None, advance: Advance
) -> tuple[Ints, float | None]:
    space: Space | None = distance.space()
    if space is None and distance.users > EXACT:  # the matrix would not fit
        space = distance.large_space()
    if not settings.swaps:
        if method is not None:
            return method(distance, k, advance), None
        if space is not None:
            return mdav(space, k, once=settings.once, advance=advance), None
    matrix = distance.matrix(settings.threads, advance)
    if method is not None:
        found = method(distance, k, advance)
    else:
        found = mdav(space or MatrixSpace(matrix), k, once=settings.once, advance=advance)
    if settings.swaps:
        found = swap(matrix, found, settings.swaps, advance=advance)
    return found, squared_error(matrix, found)
