"""What the studies of Zhang 2017 have in common: releases of a part of the log, tried on the rest of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from crowdlog.log.store import LogStore
from crowdlog.measure.released import read_tables
from crowdlog.measure.tables import Tables
from crowdlog.mechanisms.base import Mechanism
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.reproduce.study import Cell
from crowdlog.utility.context import Fold, MeasureSettings, Truth
from crowdlog.utility.paired_scores import PairedScores, scored
from crowdlog.utility.splits import By, split_store

PAPER = "Zhang 2017"
MINUTES = 30  # a longer pause ends a session, §4.2.1.1
# searches or sessions drawn for each score; the number of all that could be answered is shown beside it
SAMPLE = 1000
SETTINGS = MeasureSettings(sample=SAMPLE, session_minutes=MINUTES)
# The name of each score, with its value, on how many it rests, the original's, and both on what both answer.
Scores = dict[str, dict[str, Any]]
Task = Callable[[Tables, Fold], Mapping[str, PairedScores]]
NOTHING = {
    "value": None,
    "interval": None,
    "evaluated": 0,
    "answered": 0,
    "common": 0,
    "released_on_common": None,
    "original_on_common": None,
    "p_value": None,
}


def parts(bench: Bench, folds: int, by: By) -> tuple[LogStore, LogStore]:
    """All but one fold of the log, to make releases of, and that fold."""
    folder = bench.folder / f"parts-by-{by}-{folds}"
    if not folder.exists():
        split_store(bench.log, folder, folds=folds, by=by)
    return LogStore.open(folder / "rest"), LogStore.open(folder / "test")


@lru_cache(maxsize=1)
def _truth(bench: Bench, folds: int, by: By) -> Truth:
    rest, test = parts(bench, folds, by)
    truth = Truth(rest, SETTINGS, test=test)
    truth.table("queries")  # counted once, for all that are set apart from it
    return truth


def tried(bench: Bench, mechanism: Mechanism, task: Task, name: str, *, folds: int, by: By) -> Scores:
    """The scores of a task, kept under its name. A release that shows nothing has none: see `score_of`."""

    def measure(seeds: Sequence[int]) -> dict[int, Scores]:
        released = tables_by_seed(mechanism, parts(bench, folds, by)[0], seeds)
        return {
            seed: _scores(tables, task, bench, folds, by)
            for seed, tables in zip(seeds, released, strict=True)
        }

    found: Scores = bench.with_every_noise(["tried", name, repr(mechanism), folds, by], measure)
    return found


def _scores(tables: Mapping[str, Any], task: Task, bench: Bench, folds: int, by: By) -> Scores:
    if not sum(table.num_rows for table in tables.values()):
        return {}
    truth = _truth(bench, folds, by).apart()
    return scores(task(read_tables(tables, truth.vocabulary, MINUTES), truth.fold(None)))


def scores(pairs: Mapping[str, PairedScores]) -> Scores:
    """Every metric of every task as plain data."""
    found = [
        scored(label, pair, metric, SETTINGS.seed)
        for label, pair in pairs.items()
        for metric in pair.released
    ]
    return {
        score.name: {
            "value": score.value,
            "evaluated": score.evaluated,
            "interval": score.interval,
            **score.details,
        }
        for score in found
    }


def score_of(found: Scores, name: str) -> dict[str, Any]:
    """One score; nothing, where the release shows nothing."""
    return found.get(name, NOTHING)


def known(values: Mapping[Any, Cell]) -> list[float]:
    """The values that there are, in order."""
    return [float(value) for value in values.values() if value is not None]
