"""Bounding what one user contributes. Each bound looks at that user's own artifacts only, so it is safe whatever the others did."""

from __future__ import annotations

from typing import Any

import ibis

Table = Any


def first(artifacts: Table, d: int) -> Table:
    """Each user's first d artifacts, repeats included."""
    return artifacts.filter(artifacts.nth < d)


def random(artifacts: Table, d: int, secret: str) -> Table:
    """d of each user's artifacts, repeats included, chosen by a keyed hash: the same on every engine, unpredictable without the secret."""
    order = ibis.window(group_by="user", order_by=[keyed_hash(secret, artifacts.user, artifacts.row), "row"])
    return artifacts.mutate(place=ibis.row_number().over(order)).filter(lambda t: t.place < d).drop("place")


def first_distinct(artifacts: Table, d: int) -> Table:
    """Each user's first d different artifacts, each once."""
    once = _once(artifacts)
    return once.mutate(nth=ibis.row_number().over(ibis.window(group_by="user", order_by="row"))).filter(lambda t: t.nth < d)


def random_distinct(artifacts: Table, d: int, secret: str) -> Table:
    """d different artifacts of each user, each once, chosen by a keyed hash of user and artifact."""
    once = _once(artifacts)
    order = ibis.window(group_by="user", order_by=[keyed_hash(secret, once.user, once.key), "key"])
    return once.mutate(nth=ibis.row_number().over(order)).filter(lambda t: t.nth < d)


def keyed_hash(secret: str, user: Any, item: Any) -> Any:
    """SHA-256 of secret, user and item as hexadecimal text."""
    return (ibis.literal(secret + " ") + user.cast("string") + ibis.literal(" ") + item.cast("string")).hexdigest("sha256")


def _once(artifacts: Table) -> Table:
    return artifacts.group_by(["user", "key"]).agg(row=artifacts.row.min())
