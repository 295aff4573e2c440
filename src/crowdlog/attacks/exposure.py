"""Profile exposure level: what share of a person's profile, in bits, is exposed (Erola 2013, §4.5): I(X;Y) /
H(X).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_mean
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Floats, Ints

BINS = 20  # of the histogram of levels from 0 to 1
SAMPLE = 20_000  # records: more would not narrow the interval visibly


def exposure(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """Mean exposure of a person by her record, beside that of a person by somebody else's record."""
    rng = attacker.rng()
    records, published = view.records(truth), view.queries(truth)
    if records is not None:
        known = np.flatnonzero(records.owner >= 0)
        if not len(known):
            return nothing(
                "exposure",
                "No published row is a row of the log, so nobody's profile is compared with her record.",
            )
        chosen = np.sort(rng.choice(known, min(SAMPLE, len(known)), replace=False))
        owner, shown = records.owner[chosen], records.counts[chosen][:, : truth.queries]
        total = records.counts[chosen].sum(axis=1)
        levels = exposure_of_records(truth.profile[owner], shown, total)
        chance = _mean(exposure_of_records(truth.profile[rng.permutation(owner)], shown, total))
    elif published is not None:
        counts = np.zeros(truth.queries)
        counts[published[0]] = np.maximum(published[1], 0)
        levels = exposure_by_crowd(
            truth.profile, counts, float(np.maximum(view.tables["queries"]["count"].to_numpy(), 0).sum())
        )
        chance = _mean(levels)  # the same record stands for everybody: hers says as much as anybody's
    else:
        return nothing("exposure", "Needs a table of queries or of rows.")
    levels = levels[~np.isnan(levels)]
    if not len(levels):
        return nothing("exposure", "Nobody asked two different queries: there is no profile to expose.")
    histogram = np.histogram(np.clip(levels, 0, 1), BINS, (0, 1))[0].tolist()
    exposed = float((levels > 0.4).mean())  # 40 %: §4.7.2
    return result_of_mean(
        "exposure", levels, chance, rng, exposed=exposed, highest=float(levels.max()), histogram=histogram
    )


def _mean(levels: Floats) -> float:
    return float(np.nanmean(levels)) if not np.isnan(levels).all() else 0.0


def exposure_of_records(own: Any, shown: Any, total: Ints) -> Floats:
    """Row by row: a person's own counts against the counts of the record shown for her.

    `total` counts all of the record, known queries or not.
    """
    both = own.multiply(shown).tocsr()  # nonzero where she and the record have the query
    mine = own.multiply(shown > 0).tocsr()
    both.sort_indices()
    mine.sort_indices()
    row = np.repeat(np.arange(both.shape[0]), np.diff(both.indptr))
    return _levels(own, row, mine.data.astype(float), both.data / mine.data, np.asarray(total, float)[row])


def exposure_by_crowd(own: Any, counts: Floats, total: float) -> Floats:
    """Everybody against one table of counts."""
    row, shown = np.repeat(np.arange(own.shape[0]), np.diff(own.indptr)), counts[own.indices]
    kept = shown > 0
    return _levels(own, row[kept], own.data[kept].astype(float), shown[kept], np.full(int(kept.sum()), total))


def _levels(own: Any, row: Ints, x: Floats, y: Floats, total: Floats) -> Floats:
    """I(X;Y)/H(X) per row of `own`, from the queries that both have: x times hers, y times shown.

    NaN for who has no two different queries.
    """
    people = own.shape[0]
    size = np.asarray(own.sum(axis=1), float)
    logs = own.data * np.log2(own.data)
    entropy = np.log2(np.maximum(size, 1)) - np.bincount(
        np.repeat(np.arange(people), np.diff(own.indptr)), logs, people
    ) / np.maximum(size, 1)
    p = x / size[row]
    spread = np.maximum(y - x, 0) / y  # how much of y says nothing
    here = (1 - spread) + spread * p
    bits = here * np.log2(here / p) + np.where(
        spread > 0, spread * (1 - p) * np.log2(np.where(spread > 0, spread, 1)), 0
    )
    shared = np.bincount(row, bits * y / total, people)
    return np.where(entropy > 1e-12, shared / np.where(entropy > 1e-12, entropy, 1), np.nan)
