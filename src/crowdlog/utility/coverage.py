"""Coverage: how much of the log a release shows, and how right its counts are.

Distinct and impression coverage follow Feild 2013, §3.4; median relative error, drop rate and spurious rate
are named after what Wikimedia reports for its private page views. The definitions are ours: a release of ours
need not have one threshold to count drops from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.measure.vocabulary import compute
from crowdlog.types import Bools, Floats
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score, share

BANDS = (1, 2, 10, 100, 1000)  # lower ends: once, 2-9, 10-99, …


def measure(released: Tables, truth: Truth, _settings: MeasureSettings) -> list[Score]:
    """For each table of the release that the log can be asked for."""
    return [
        score
        for name in ("queries", "clicks", "pairs", "sequences")
        for score in _of_table(name, getattr(released, name), truth)
    ]


def _of_table(name: str, published: KeyCounts | None, truth: Truth) -> list[Score]:
    if published is None:
        return []
    real = truth.table(name)
    kept = np.isin(real.key, published.key, assume_unique=True)
    true_count = real.users if truth.counts_users and real.users is not None else real.count
    lost = _by_band(true_count, kept)
    if name == "queries":
        lost |= {"by_words": _by_words(truth, real, kept)}
    shown = {"published": len(published), "in_log": len(real), "least_count": _least(real, int(kept.sum()))}
    return [
        Score(f"coverage:{name}:distinct", share(kept.sum(), len(real)), len(real), details=shown | lost),
        Score(
            f"coverage:{name}:impressions",
            share(real.count[kept].sum(), real.count.sum()),
            len(real),
            details={
                "impressions_in_log": float(real.count.sum()),
                "sum_of_published_counts": float(published.count.sum()),
            },
        ),
        *_errors(name, published, real, true_count, kept),
    ]


def _least(real: KeyCounts, shown: int) -> float:
    """How often the rarest key occurs where so many of the most frequent are shown: what a release's
    threshold amounts to. None shown: more than any.
    """
    if not shown:
        return float(real.count.max(initial=0)) + 1
    return float(np.partition(real.count, -shown)[-shown])


def _errors(name: str, published: KeyCounts, real: KeyCounts, true_count: Floats, kept: Bools) -> list[Score]:
    # both in ascending order of the key
    theirs = published.count[np.isin(published.key, real.key, assume_unique=True)]
    relative = np.abs(theirs - true_count[kept]) / true_count[kept]
    bar = max(1.0, float(np.median(published.count))) if len(published) else 1.0
    frequent = true_count >= bar
    spurious = len(published) - int(kept.sum())
    return [
        Score(
            f"coverage:{name}:median_relative_error",
            float(np.median(relative)) if len(relative) else None,
            len(relative),
        ),
        Score(
            f"coverage:{name}:drop_rate",
            share((frequent & ~kept).sum(), frequent.sum()),
            int(frequent.sum()),
            details={"true_count_at_least": bar},
        ),
        Score(
            f"coverage:{name}:spurious_rate",
            share(spurious, len(published)),
            len(published),
            details={"spurious": spurious},
        ),
    ]


def _by_band(true_count: Floats, kept: Bools) -> dict[str, Any]:
    """How many keys of each frequency there are and how many were kept."""
    band = np.searchsorted(BANDS, true_count, side="right") - 1
    return {
        "by_frequency": _kept_by(band, kept, [f"{low}+" if low == BANDS[-1] else str(low) for low in BANDS])
    }


def _by_words(truth: Truth, real: KeyCounts, kept: Bools) -> list[dict[str, Any]]:
    """The same by the number of words, five and more together."""
    words = compute.count_substring(truth.vocabulary.queries.all(), " ").to_numpy()[real.key] + 1
    return _kept_by(np.minimum(words, 5) - 1, kept, ["1", "2", "3", "4", "5+"])


def _kept_by(kind: Any, kept: Bools, names: list[str]) -> list[dict[str, Any]]:
    there = np.bincount(kind, minlength=len(names))
    stayed = np.bincount(kind[kept], minlength=len(names))
    return [{"from": name, "in_log": int(there[i]), "kept": int(stayed[i])} for i, name in enumerate(names)]
