"""Coverage: how much of the log a release shows, and how right its counts are.

Distinct and impression coverage follow Feild 2013, §3.4; median relative error, drop rate and spurious rate
are named after what Wikimedia reports for its private page views. The definitions are ours: a release of ours
need not have one threshold to count drops from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.measure.tables import KeyCounts, Tables
from crowdlog.measure.vocabulary import compute
from crowdlog.types import Floats, Ints
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.score import Score, share

BANDS = (1, 2, 10, 100, 1000)  # lower ends: once, 2-9, 10-99, …


@dataclass(frozen=True)
class TableFacts:
    """One table of the log beside the published one. `kept`: the published keys that the log has, rising,
    with their impressions and what is compared with published counts. `times`, `compared`: for each number
    how many keys of the log have so many impressions, or so much of what is compared. `words`: how many
    queries of the log have 1, 2, … words, five and more together, and how many of those kept.
    """

    kept: KeyCounts
    kept_true: Floats
    times: dict[float, int]
    compared: dict[float, int]
    words: tuple[Ints, Ints] | None = None

    @property
    def in_log(self) -> int:
        return sum(self.times.values())

    @property
    def impressions(self) -> float:
        return float(sum(times * keys for times, keys in self.times.items()))


def measure(released: Tables, truth: Truth, _settings: MeasureSettings) -> list[Score]:
    """For each table of the release that the log can be asked for. Of names alone no counts are judged."""
    return [
        score
        for name in ("queries", "clicks", "pairs", "sequences")
        if (published := getattr(released, name)) is not None
        for score in scores_of(name, published, _facts(name, published, truth), told=truth.counts_told)
    ]


def _facts(name: str, published: KeyCounts, truth: Truth) -> TableFacts:
    real = truth.table(name)
    kept = np.isin(real.key, published.key, assume_unique=True)
    true_count = real.users if truth.counts_users and real.users is not None else real.count
    words = None
    if name == "queries":
        each = compute.count_substring(truth.vocabulary.queries.all(), " ").to_numpy()[real.key] + 1
        words = words_of(each), words_of(each[kept])
    found = KeyCounts(real.key[kept], real.count[kept])
    return TableFacts(found, true_count[kept], tally(real.count), tally(true_count), words)


def tally(numbers: Floats) -> dict[float, int]:
    """How often each number occurs."""
    values, often = np.unique(numbers, return_counts=True)
    return dict(zip(values.tolist(), often.tolist(), strict=True))


def words_of(words: Ints) -> Ints:
    """How many have 1, 2, … words, five and more together."""
    return np.bincount(np.minimum(words, 5) - 1, minlength=5)


def scores_of(name: str, published: KeyCounts, facts: TableFacts, *, told: bool) -> list[Score]:
    """`told`: whether the release tells counts."""
    lost: dict[str, Any] = {"by_frequency": _by_frequency(facts)}
    if facts.words is not None:
        lost["by_words"] = _kept_by(*facts.words, ["1", "2", "3", "4", "5+"])
    kept = len(facts.kept)
    shown = {"published": len(published), "in_log": facts.in_log, "least_count": _least(facts.times, kept)}
    return [
        Score(f"coverage:{name}:distinct", share(kept, facts.in_log), facts.in_log, details=shown | lost),
        Score(
            f"coverage:{name}:impressions",
            share(facts.kept.count.sum(), facts.impressions),
            facts.in_log,
            details={
                "impressions_in_log": facts.impressions,
                "sum_of_published_counts": float(published.count.sum()),
            },
        ),
        *(_errors(name, published, facts) if told else []),
        _spurious(name, published, kept),
    ]


def _least(times: dict[float, int], shown: int) -> float:
    """How often the rarest key occurs where so many of the most frequent are shown: what a release's
    threshold amounts to. None shown: more than any.
    """
    if not shown:
        return float(max(times, default=0)) + 1
    seen = 0
    for number in sorted(times, reverse=True):
        seen += times[number]
        if seen >= shown:
            return float(number)
    raise ValueError(f"{shown} keys are shown of {seen}")


def _errors(name: str, published: KeyCounts, facts: TableFacts) -> list[Score]:
    # both in ascending order of the key
    theirs = published.count[np.isin(published.key, facts.kept.key, assume_unique=True)]
    relative = np.abs(theirs - facts.kept_true) / facts.kept_true
    bar = max(1.0, float(np.median(published.count))) if len(published) else 1.0
    frequent = sum(keys for number, keys in facts.compared.items() if number >= bar)
    return [
        Score(
            f"coverage:{name}:median_relative_error",
            float(np.median(relative)) if len(relative) else None,
            len(relative),
        ),
        Score(
            f"coverage:{name}:drop_rate",
            share(frequent - int((facts.kept_true >= bar).sum()), frequent),
            frequent,
            details={"true_count_at_least": bar},
        ),
    ]


def _spurious(name: str, published: KeyCounts, kept: int) -> Score:
    """What is published and not in the log."""
    spurious = len(published) - kept
    return Score(
        f"coverage:{name}:spurious_rate",
        share(spurious, len(published)),
        len(published),
        details={"spurious": spurious},
    )


def _by_frequency(facts: TableFacts) -> list[dict[str, Any]]:
    """How many keys of each frequency there are and how many were kept."""
    numbers, keys = (np.array(list(each)) for each in (facts.compared, facts.compared.values()))
    there = np.bincount(_band(numbers), weights=keys, minlength=len(BANDS))
    stayed = np.bincount(_band(facts.kept_true), minlength=len(BANDS))
    return _kept_by(there, stayed, [f"{low}+" if low == BANDS[-1] else str(low) for low in BANDS])


def _band(numbers: Floats) -> Ints:
    return np.searchsorted(BANDS, numbers, side="right") - 1


def _kept_by(there: Any, stayed: Any, names: list[str]) -> list[dict[str, Any]]:
    return [{"from": name, "in_log": int(there[i]), "kept": int(stayed[i])} for i, name in enumerate(names)]
