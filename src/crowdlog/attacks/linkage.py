"""Record linkage: whose record is this?

The attacker knows everybody's queries and picks who has most in common (Erola 2013, §5.5.2.1).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.artifacts.packed_keys import pack
from crowdlog.artifacts.query_file import read_query_file
from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_mean
from crowdlog.errors import InputError
from crowdlog.measure.log_arrays import Impressions, count_matrix
from crowdlog.measure.ragged import counting
from crowdlog.types import Floats, Ints

SAMPLE = 1000  # records compared with everybody: the interval is then at most 3 points each way
CELLS = 1 << 24  # of the largest table of matches held at once


def linkage(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """How likely a published record is linked to its owner by its queries; with a mapping, by their
    categories.
    """
    if attacker.mapping is None:
        return link("linkage", view, truth, attacker)
    return link("linkage of categories", view, truth, attacker, read_mapping(attacker.mapping, truth))


def link(
    name: str, view: AttackerView, truth: Impressions, attacker: Attacker, categories: Any = None
) -> AttackResult:
    """By queries, or by `categories`, a matrix of queries by categories."""
    chance = 1 / max(truth.users, 1)
    records = view.records(truth)
    if records is None:
        # One record stands for all users: exactly one of them, or a tie, is picked for each, so 1 in n is
        # right.
        note = "All people share one record."
        return AttackResult(name, chance, chance, (chance, chance), details={"records": 1}, note=note)
    details: dict[str, Any] = {"records": len(records.owner)}
    known = np.flatnonzero(records.owner >= 0)
    if _hidden(records, truth):  # everybody matches equally badly
        note = "No query can be read."
        return AttackResult(name, chance, chance, (chance, chance), details=details, note=note)
    if not len(known):
        return nothing(name, "No published row is a row of the log, so nobody can say whose record is whose.")
    rng = attacker.rng()
    chosen = np.sort(rng.choice(known, min(SAMPLE, len(known)), replace=False))
    own, shown = truth.profile, records.counts[chosen]
    if categories is not None:
        own, shown = own @ categories, shown[:, : truth.queries] @ categories
        details["categories"] = categories.shape[1]
    return result_of_mean(name, link_chances(own, shown, records.owner[chosen]), chance, rng, **details)


def _hidden(records: Any, truth: Impressions) -> bool:
    """No published text is a query of the log."""
    return not len(records.counts.indices) or int(records.counts.indices.min()) >= truth.queries


def link_chances(own: Any, shown: Any, owner: Ints) -> Floats:
    """For each record: 1 over the number of best matches if its owner is one of them, else 0.

    A match counts queries in common, with repetition.
    """
    mine, theirs = _levels(own, shown)
    across = mine.T.tocsr()
    chances, step = np.zeros(len(owner)), max(1, CELLS // max(own.shape[0], 1))
    for start in range(0, len(owner), step):
        part = slice(start, start + step)
        common = (theirs[part] @ across).toarray()
        best = common == common.max(axis=1, keepdims=True)
        right = best[np.arange(len(best)), owner[part]]
        chances[part] = right / best.sum(axis=1)
    return chances


def _levels(*counts: Any) -> list[Any]:
    """Counts as 0/1 matrices with a column per (query, nth time): products of such rows add up the smaller of
    two counts.
    """
    keys = []
    for matrix in counts:
        times = matrix.data.astype(np.int64)
        keys.append(pack(np.repeat(matrix.indices, times), counting(times)))
    columns, place = np.unique(np.concatenate(keys), return_inverse=True)
    places = np.split(place, np.cumsum([len(key) for key in keys])[:-1])
    rows = [
        np.repeat(np.arange(m.shape[0]), np.diff(m.indptr)).repeat(m.data.astype(np.int64)) for m in counts
    ]
    return [
        count_matrix(row, place, (m.shape[0], len(columns)))
        for m, row, place in zip(counts, rows, places, strict=True)
    ]


def read_mapping(path: Path, truth: Impressions) -> Any:
    """The mapping as a 0/1 matrix: queries by categories.

    Queries of the log that it does not name have no category.
    """
    lines = read_query_file(path, "mapping", {"query": "a query", "category": "a category"})
    query = truth.texts.find(lines["query"])
    unknown = int((query < 0).sum())
    if unknown:
        raise InputError(
            f"{unknown:,} of the {len(query):,} queries in the mapping {path} are not in the log "
            f"{truth.store.path}: make it for this log."
        )
    names, category = np.unique(lines["category"].to_pylist(), return_inverse=True)
    matrix = count_matrix(query, category, (truth.queries, len(names)))
    matrix.data[:] = 1
    return matrix
