"""Bounding what one user contributes. Proof: proofs/bounds.md.

Every bound orders a user's artifacts by `nth`, her own numbering of them: unique within her and a function of
her rows alone. Nothing else may order them. `row` is shared by several pairs, so the engine would choose
among them; the numbers of keys follow the order in which the whole log was read, so another user could turn
them round.
"""

from __future__ import annotations

from typing import Any

import ibis

Table = Any


def first(artifacts: Table, d: int) -> Table:
    """Each user's first d artifacts, repeats included."""
    return artifacts.filter(artifacts.nth < d)


def random(artifacts: Table, d: int, secret: str) -> Table:
    """d of each user's artifacts, repeats included, chosen by a keyed hash: equal on every engine, secret
    without the key.
    """
    return _least(artifacts, [_keyed_hash(secret, artifacts), "nth"], d)


def first_distinct(artifacts: Table, d: int) -> Table:
    """Each user's first d different artifacts, each once."""
    return _least(_once(artifacts), ["nth"], d)


def random_distinct(artifacts: Table, d: int, secret: str) -> Table:
    """d different artifacts of each user, each once, chosen by a keyed hash of user and first occurrence."""
    once = _once(artifacts)
    return _least(once, [_keyed_hash(secret, once), "nth"], d)


def _least(artifacts: Table, order: list[Any], d: int) -> Table:
    """Of each user the d artifacts that come first in this order."""
    window = ibis.window(group_by="user", order_by=order)
    placed = artifacts.mutate(place=ibis.row_number().over(window))
    return placed.filter(placed.place < d).drop("place")


def _once(artifacts: Table) -> Table:
    """Each artifact of a user once, numbered by its first occurrence: different keys have different first
    occurrences.
    """
    return artifacts.group_by(["user", "key"]).agg(nth=artifacts.nth.min())


def _keyed_hash(secret: str, artifacts: Table) -> Any:
    """SHA-256 of secret, user and her number of the artifact, as hexadecimal text."""
    parts = (ibis.literal(secret), artifacts.user.cast("string"), artifacts.nth.cast("string"))
    return ibis.literal(" ").join(parts).hexdigest("sha256")
