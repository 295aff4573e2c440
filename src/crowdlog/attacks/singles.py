"""Singles: how much of what only one person typed can be read in the release.

Planted secrets are such queries.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crowdlog.artifacts.query_file import read_query_file
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_trials
from crowdlog.errors import InputError
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Bools

COLUMNS = {"user": "a user", "kind": "a kind of secret", "query": "a query"}


def singles(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """The share of queries of one person alone that are published; with a file of secrets, the share of
    those. A safe release shows none.
    """
    shown = np.zeros(truth.queries, bool)
    shown[view.query_ids(truth)] = True
    if attacker.secrets is not None:
        return _secrets(shown, truth, attacker.secrets)
    alone = truth.holders == 1
    if not alone.any():
        return nothing("singles", "No query of the log is one person's alone.")
    return result_of_trials("singles", int(shown[alone].sum()), int(alone.sum()), 0.0)


def _secrets(shown: Bools, truth: Impressions, path: Path) -> AttackResult:
    ids = truth.texts.find(read_query_file(path, "file of secrets", COLUMNS)["query"])
    if (ids < 0).all():
        raise InputError(
            f"None of the {len(ids):,} secrets in {path} is in the log {truth.store.path}: give the secrets "
            "of this log."
        )
    found = ids[ids >= 0]
    return result_of_trials("secrets", int(shown[found].sum()), len(found), 0.0)
