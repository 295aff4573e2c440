"""Keys as numbers and the queries that they are about, without the engine that counted them: tasks on other
machines load this, and not the engine.
"""

from __future__ import annotations

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.packed_keys import distinct_keys, unpack
from crowdlog.privacy.histories import Histories
from crowdlog.types import Ints


def numbered(users: Ints, keys: Ints, artifact: Artifact, shown: Ints | None) -> tuple[Ints, Histories]:
    """Artifacts as small numbers, and the key of each number.

    `shown`: only clicks of these queries, pairs of two of them.
    """
    if len(artifact.columns) == 1:
        known = np.arange(keys.max(initial=-1) + 1)  # ids are small numbers already
        return known, Histories.from_rows(users, keys, len(known))
    if shown is not None:
        wanted = np.logical_and.reduce([np.isin(owner, shown) for owner in owners_of(artifact, keys)])
        users, keys = users[wanted], keys[wanted]
    known, numbers = distinct_keys(keys)
    return known, Histories.from_rows(users, numbers, len(known))


def owners_of(artifact: Artifact, keys: Ints) -> tuple[Ints, ...]:
    """The queries that a key is about: none for a query or its words, one for a click, two for a pair."""
    queries = [name for name in artifact.columns if name in ("query", "next_query")]
    return unpack(keys)[: len(queries)] if len(artifact.columns) == 2 else ()
