"""What tasks do with counts and with people's rows: the decisions of one machine, some keys or users at a
time. Each key has noise of its own, whichever task draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.key_owners import numbered, owners_of
from crowdlog.engine.spark.blocks import StoreBlock, UserBlock, user_block
from crowdlog.engine.spark.exchange import Sent, by_share
from crowdlog.engine.spark.in_task import Statement, numbers
from crowdlog.plan.decide import Kept, KeyHistories, TableCounts, by_counts, by_weights
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.types import Ints

_NONE = np.zeros(0, np.int64)


def decided(
    plan: TablePlan,
    artifact: Artifact,
    shown: Ints | None,
    randomness: KeyedRandomness,
    found: TableCounts,
) -> Kept:
    """What is published of a share of the keys."""
    owned = TableCounts(found.key, found.impressions, found.users, owners_of(artifact, found.key))
    return by_counts(plan, owned if shown is None else owned.owned_by(shown), randomness)


def enough(on: Any, k: int, found: TableCounts) -> TableCounts:
    """Those of a share that at least k people, or impressions, stand behind."""
    kept = np.flatnonzero(found.of(on) >= k)
    return TableCounts(found.key[kept], found.impressions[kept], found.users[kept])


def joined_counts(found: Iterable[TableCounts]) -> TableCounts:
    """All shares, by rising keys."""
    shares = list(found)
    columns = [
        np.concatenate([_NONE, *(getattr(share, name) for share in shares)])
        for name in ("key", "impressions", "users")
    ]
    order = np.argsort(columns[0], kind="stable")
    key, impressions, users = (column[order] for column in columns)
    return TableCounts(key, impressions, users)


def joined_kept(found: Iterable[Kept]) -> Kept:
    shares = list(found)
    key = np.concatenate([_NONE, *(share.key for share in shares)])
    count = np.concatenate([_NONE, *(share.count for share in shares)])
    order = np.argsort(key, kind="stable")
    return Kept(key[order], count[order])


def artifacts_per_user(artifacts: Any) -> Any:
    """An expression of user, n."""
    return artifacts.group_by("user").agg(n=artifacts.count())


def block_of(
    rows: Statement,
    sizes: Sequence[Statement],
    artifact: Artifact,
    shown: Ints | None,
    kept: Ints | None,
    block: StoreBlock,
) -> Iterator[UserBlock]:
    """What the users of a block did, of keys whose queries are all among `shown`, and of the keys `kept`
    alone where these are known; nothing if there is none. A user's size is the largest of those that the
    statements give her.
    """
    user, key = numbers(rows.run(block), "user", "key")
    if kept is None:
        user, key = _shown(user, key, artifact, shown)
    else:  # of those that are shown, all of them
        wanted = are_among(key, kept)
        user, key = user[wanted], key[wanted]
    if not len(user):
        return
    columns = {"user": user, "key": key}
    if sizes:
        low = int(user.min())
        largest = np.zeros(int(user.max()) - low + 1, np.int64)
        for statement in sizes:
            who, n = numbers(statement.run(block), "user", "n")
            here = (who >= low) & (who < low + len(largest))
            np.maximum.at(largest, who[here] - low, n[here])
        columns["size"] = largest[user - low]
    yield user_block(pa.table(columns))


def are_among(keys: Ints, some: Ints) -> Any:
    """Which of the keys are among some others, which rise."""
    if not len(some):
        return np.zeros(len(keys), bool)
    return some[np.minimum(np.searchsorted(some, keys), len(some) - 1)] == keys


def _shown(user: Ints, key: Ints, artifact: Artifact, shown: Ints | None) -> tuple[Ints, Ints]:
    if shown is None:
        return user, key
    wanted = np.logical_and.reduce([np.isin(owner, shown) for owner in owners_of(artifact, key)])
    return user[wanted], key[wanted]


def kept_counts(
    budget: int, kept: Ints, shares: int, randomness: KeyedRandomness, block: UserBlock
) -> Iterator[Sent]:
    """The bounded counts of the kept keys, of a block of users."""
    mine = block.only(kept)
    inside = randomness.within("histories").within("counts", mine.keys, mine.users)
    count = mine.histories.counts(budget, inside)
    for share, places in by_share(mine.keys, shares):
        yield share, Kept(mine.keys[places], count[places])


def summed_counts(messages: Iterator[Sent]) -> Iterator[Kept]:
    """Of all blocks, for a share of the keys."""
    found = [message for _share, message in messages]
    key, place = np.unique(np.concatenate([_NONE, *(each.key for each in found)]), return_inverse=True)
    total = np.zeros(len(key), np.int64)
    np.add.at(total, place, np.concatenate([_NONE, *(each.count for each in found)]))
    yield Kept(key, total)


def rows_of_block(rows: Statement, block: StoreBlock) -> Sent:
    """For one task: user and key of every row."""
    user, key = numbers(rows.run(block), "user", "key")
    return 0, (user, key)


def by_weights_at_once(
    plan: TablePlan,
    artifact: Artifact,
    shown: Ints | None,
    randomness: KeyedRandomness,
    messages: list[tuple[Ints, Ints]],
) -> Kept:
    """As on one machine, with the rows of all users."""
    user, key = (np.concatenate([_NONE, *column]) for column in zip(*messages, strict=True))
    known, histories = numbered(user, key, artifact, shown)
    return by_weights(plan, KeyHistories(known, histories), randomness)
