"""Profile exposure level: what share of a person's profile, in bits, is exposed (Erola 2013, §4.5): I(X;Y) /
H(X).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.attacks.attacker import Attacker
from crowdlog.attacks.attacker_view import AttackerView
from crowdlog.attacks.result import AttackResult, nothing, result_of_mean
from crowdlog.measure.entropy import entropy, loss_ratio
from crowdlog.measure.log_arrays import Impressions
from crowdlog.types import Floats, Ints

BINS = 20  # of the histogram of levels from 0 to 1
SAMPLE = 20_000  # records: more would not narrow the interval visibly


def exposure(view: AttackerView, truth: Impressions, attacker: Attacker) -> AttackResult:
    """Mean exposure of a person by her record, beside that of a person by somebody else's record."""
    return expose("exposure", view, truth, attacker)


def expose(
    name: str, view: AttackerView, truth: Impressions, attacker: Attacker, categories: Any = None
) -> AttackResult:
    """By queries, or by `categories`, a matrix of queries by categories."""
    rng = attacker.rng()
    more: dict[str, Any] = {}
    records, published = view.records(truth), view.queries(truth)
    own = truth.profile if categories is None else (truth.profile @ categories).tocsr()
    if records is not None:
        known = np.flatnonzero(records.owner >= 0)
        if not len(known):
            return nothing(
                name,
                "No published row is a row of the log, so nobody's profile is compared with her record.",
            )
        chosen = np.sort(rng.choice(known, min(SAMPLE, len(known)), replace=False))
        owner, counts = records.owner[chosen], records.counts[chosen]
        if categories is not None:
            counts = (counts[:, : truth.queries] @ categories).tocsr()
        shown, total = counts[:, : own.shape[1]], counts.sum(axis=1)
        levels = exposure_of_records(own[owner], shown, total)
        chance = _mean(exposure_of_records(own[rng.permutation(owner)], shown, total))
        more["information_loss_ratio"] = loss_ratio(own[owner], counts)
    elif published is not None:
        counts = np.zeros(truth.queries)
        counts[published[0]] = np.maximum(published[1], 0)
        total = float(np.maximum(view.tables["queries"]["count"].to_numpy(), 0).sum())
        levels = exposure_by_crowd(own, counts, total)
        chance = _mean(levels)  # the same record stands for everybody: hers says as much as anybody's
    else:
        return nothing(name, "Needs a table of queries or of rows.")
    return _summed_up(name, levels, chance, rng, more)


def _summed_up(
    name: str, levels: Floats, chance: float, rng: np.random.Generator, more: dict[str, Any]
) -> AttackResult:
    levels = levels[~np.isnan(levels)]
    if not len(levels):
        return nothing(name, "Nobody asked two different queries: there is no profile to expose.")
    histogram = np.histogram(np.clip(levels, 0, 1), BINS, (0, 1))[0].tolist()
    exposed = float((levels > 0.4).mean())  # 40 %: §4.7.2
    highest = float(levels.max())
    return result_of_mean(
        name, levels, chance, rng, exposed=exposed, highest=highest, histogram=histogram, **more
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
    bits_of = entropy(own)
    p = x / size[row]
    spread = np.maximum(y - x, 0) / y  # how much of y says nothing
    here = (1 - spread) + spread * p
    bits = here * np.log2(here / p) + np.where(
        spread > 0, spread * (1 - p) * np.log2(np.where(spread > 0, spread, 1)), 0
    )
    shared = np.bincount(row, bits * y / total, people)
    return np.where(bits_of > 1e-12, shared / np.where(bits_of > 1e-12, bits_of, 1), np.nan)
