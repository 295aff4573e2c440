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
    more: dict[str, Any] = {}
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
        more["information_loss_ratio"] = loss_ratio(truth.profile[owner], records.counts[chosen])
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
        "exposure",
        levels,
        chance,
        rng,
        exposed=exposed,
        highest=float(levels.max()),
        histogram=histogram,
        **more,
    )


def loss_ratio(own: Any, shown: Any) -> float:
    """ILR (Erola 2013, §5.3.2.2): the mean of |H(hers) − H(shown)|/H(hers), of people with two queries."""
    mine, theirs = entropy(own), entropy(shown)
    some = mine > 1e-12
    return float((np.abs(mine - theirs)[some] / mine[some]).mean()) if some.any() else 0.0


def entropy(counts: Any) -> Floats:
    """The bits of each row of counts."""
    rows = counts.shape[0]
    size = np.maximum(np.asarray(counts.sum(axis=1), float), 1)
    logs = counts.data * np.log2(counts.data)
    row = np.repeat(np.arange(rows), np.diff(counts.indptr))
    bits: Floats = np.log2(size) - np.bincount(row, logs, rows) / size
    return bits


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
    bits_of = entropy(own)
    p = x / size[row]
    spread = np.maximum(y - x, 0) / y  # how much of y says nothing
    here = (1 - spread) + spread * p
    bits = here * np.log2(here / p) + np.where(
        spread > 0, spread * (1 - p) * np.log2(np.where(spread > 0, spread, 1)), 0
    )
    shared = np.bincount(row, bits * y / total, people)
    return np.where(bits_of > 1e-12, shared / np.where(bits_of > 1e-12, bits_of, 1), np.nan)
