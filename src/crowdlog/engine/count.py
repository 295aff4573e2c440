"""Histograms: for each key how many impressions and how many different users.

What the trusted core gets to see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.types import Ints

Table = Any


@dataclass(frozen=True)
class Histogram:
    """Parallel arrays. Keys are numbers, never text."""

    key: Ints
    impressions: Ints
    users: Ints

    def __len__(self) -> int:
        return len(self.key)

    def __repr__(self) -> str:
        return f"Histogram({len(self)} keys)"


def impressions_per_key(artifacts: Table) -> Table:
    """key, impressions."""
    return artifacts.group_by("key").agg(impressions=artifacts.count())


def counts_per_key(artifacts: Table) -> Table:
    """key, impressions, users. Two plain groupings: a distinct count would keep a set per key."""
    per_user = artifacts.group_by(["key", "user"]).agg(n=artifacts.count())
    return per_user.group_by("key").agg(impressions=per_user.n.sum(), users=per_user.count())


def histogram(artifacts: Table, *, users: bool) -> Histogram:
    """Run the count. Without `users` the column of users is empty and a third of the time is saved."""
    table = (counts_per_key if users else impressions_per_key)(artifacts).to_pyarrow()
    columns = {
        name: table.column(name).to_numpy().astype(np.int64, copy=False) for name in table.column_names
    }
    # groups come in any order: fix it, so that equal logs give equal histograms
    order = np.argsort(columns["key"], kind="stable")
    return Histogram(
        *(
            columns.get(name, np.zeros(0, np.int64))[order if name in columns else slice(0)]
            for name in ("key", "impressions", "users")
        )
    )
