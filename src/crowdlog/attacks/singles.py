"""Singles: how much of what only one person typed can be read in the release. Planted secrets are such queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.result import AttackResult, counted, nothing
from crowdlog.errors import InputError
from crowdlog.measure.impressions import Impressions

if TYPE_CHECKING:
    from crowdlog.attacks.seen import Seen

COLUMNS = {"user": "a user", "kind": "a kind of secret", "query": "a query"}


def singles(seen: Seen, truth: Impressions, attacker: Attacker) -> AttackResult:
    """The share of queries of one person alone that are published; with a file of secrets, the share of those. A safe release shows none."""
    shown = np.zeros(truth.queries, bool)
    shown[seen.query_ids(truth)] = True
    if attacker.secrets is not None:
        return _secrets(shown, truth, attacker)
    alone = truth.holders == 1
    if not alone.any():
        return nothing("singles", "No query of the log is one person's alone.")
    return counted("singles", int(shown[alone].sum()), int(alone.sum()), 0.0)


def _secrets(shown: np.typing.NDArray[np.bool_], truth: Impressions, attacker: Attacker) -> AttackResult:
    if attacker.secrets is None:
        raise ValueError("no secrets")
    ids = truth.ids(read_query_file(attacker.secrets, "file of secrets", COLUMNS)["query"])
    if (ids < 0).all():
        raise InputError(f"None of the {len(ids):,} secrets in {attacker.secrets} is in the log {truth.store.path}: give the secrets of this log.")
    found = ids[ids >= 0]
    return counted("secrets", int(shown[found].sum()), len(found), 0.0)
