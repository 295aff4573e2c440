"""The log itself, judged as a release is: its tables of some people, tried on the others.

And how many times a key must occur for a task to work: the same tables without their rarer keys. A release
keeps what is frequent enough for its threshold, so this says how much larger a log would have to be.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from crowdlog.log.store import LogStore
from crowdlog.measure.tables import Tables
from crowdlog.utility.context import Fold, MeasureSettings, Truth
from crowdlog.utility.paired_scores import scored
from crowdlog.utility.registry import MEASURES
from crowdlog.utility.score import Score

OCCURRENCES = (2, 3, 5, 10, 20, 50, 100, 200, 500)
CURVE_SAMPLE = 2000  # topics for each point of the curve
# The score that stands for a task in the curve.
HEADLINES = {
    "adhoc": "adhoc:RW:nDCG@10",
    "sites": "sites:RW:nDCG@10",
    "suggestion": "suggestion:RR",
    "sessions": "sessions:nDCG@10",
}


def score_original(
    rest: LogStore, test: LogStore, tasks: Sequence[str], settings: MeasureSettings | None = None
) -> list[Score]:
    """The tasks done with the log of some people, on the others; the first score of each task has the curve
    `without_rare` in its details.
    """
    settings = settings or MeasureSettings()
    fold = Truth(rest, settings, test=test).fold(None)
    return [entry for task in tasks for entry in _task(task, fold, settings, rest.info.users)]


def _task(task: str, fold: Fold, settings: MeasureSettings, people: int) -> Iterator[Score]:
    measure = importlib.import_module(f"crowdlog.utility.{MEASURES[task].module}").measure
    found = measure(fold.original, fold, settings)
    curve = _without_rare(task, partial(measure, fold=fold), fold, replace(settings, sample=CURVE_SAMPLE))
    for label, pair in found.items():
        for metric in pair.released:
            entry = scored(label, pair, metric, settings.seed)
            more = {"without_rare": curve, "people": people} if entry.name == HEADLINES[task] else {}
            yield replace(entry, details={**entry.details, **more})


def _without_rare(task: str, measure: Any, fold: Fold, settings: MeasureSettings) -> list[dict[str, float]]:
    """The score over everything asked, with keys that occur at least so many times."""
    only = {"which": ("RW",)} if task == "adhoc" else {}
    label, metric = HEADLINES[task].rsplit(":", 1)
    points = []
    for least in (1, *OCCURRENCES):
        pair = measure(frequent(fold.original, least), settings=settings, **only)[label]
        value = scored(label, pair, metric, settings.seed).details["unanswered_as_zero"]
        points.append({"occurrences": least, "score": value})
        if not value:
            break
    return points


def frequent(tables: Tables, least: int) -> Tables:
    """The keys of each table that occur at least so many times."""
    there = {name: table for name, table in vars(tables).items() if table is not None}
    return replace(tables, **{name: table.at_least(least) for name, table in there.items()})
