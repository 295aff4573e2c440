"""What the commands do with files: read a log and labels, call the models, write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.applications.logs import opened_log, unread_rows
from crowdlog.applications.tasks.baselines import BASELINES
from crowdlog.applications.tasks.cross_validation import cross_validate
from crowdlog.applications.tasks.find import FoundTasks, blocks, find_in_parts, numbered
from crowdlog.applications.tasks.labels import TaskLabels, join_labels
from crowdlog.applications.tasks.measures import PersonScore
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.personal import find_with_labels
from crowdlog.applications.tasks.searches import (
    Searches,
    people_at_a_time,
    query_texts,
    read_searches,
    user_names,
)
from crowdlog.applications.tasks.task_file import (
    NumberedTexts,
    TaskRows,
    read_task_file,
    write_task_file,
)
from crowdlog.applications.tasks.train import labelled_pairs, train
from crowdlog.applications.tasks.vectors import write_domain, write_vectors
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.progress import Advance, progress_bar
from crowdlog.types import Ints


@dataclass(frozen=True, repr=False)
class LabelledLog:
    """A log's searches, texts and labels."""

    store: LogStore
    searches: Searches
    texts: Any
    labels: TaskLabels


@contextmanager
def labelled_log(log: str, labels: str, *, keep_repeats: bool = False) -> Iterator[LabelledLog]:
    """Read a log and a task file for it."""
    file = read_task_file(labels)
    with opened_log(log, "tasks") as store:
        searches = read_searches(store, keep_repeats=keep_repeats, by_session=file.has_units)
        texts = query_texts(store)
        yield LabelledLog(store, searches, texts, join_labels(searches, store, texts, file))


def train_on_log(
    log: str, labels: str, *, vectors: WordVectors | None, keep_repeats: bool, **options: Any
) -> TaskModel:
    with labelled_log(log, labels, keep_repeats=keep_repeats) as it:
        return train(
            it.searches, it.texts, it.labels, vectors=vectors, trained_on="a labelled log", **options
        )


def cross_validate_log(
    log: str, labels: str, *, vectors: WordVectors | None, keep_repeats: bool, folds: int, **options: Any
) -> list[PersonScore]:
    with (
        labelled_log(log, labels, keep_repeats=keep_repeats) as it,
        progress_bar("Cross-validating", folds, unit="folds") as advance,
    ):
        return cross_validate(
            it.searches, it.texts, it.labels, folds=folds, vectors=vectors, advance=advance, **options
        )


def vectors_of_log(
    log: str,
    labels: str,
    out: str,
    *,
    bins: str,
    domain: str | None,
    vectors: WordVectors | None,
    keep_repeats: bool,
    seed: int,
) -> LogStore:
    """A store of the labelled vectors of all people."""
    with labelled_log(log, labels, keep_repeats=keep_repeats) as it:
        pairs = labelled_pairs(it.searches, it.texts, it.labels, vectors, seed=seed)
        rows = it.searches.kept
        rows = rows[it.labels.task[rows] >= 0]
        everybody = user_names(it.store)
        names = [everybody[person] for person in it.searches.user[rows[it.searches.people(rows)[:-1]]]]
        store = write_vectors(pairs, names, bins, out, seed=seed)
    if domain is not None:
        write_domain(domain, bins)
    return store


def find_in_log(
    log: str,
    model: TaskModel,
    out: str,
    *,
    baseline: str | None,
    known: str | None,
    within: str,
    merge: str,
    vectors: WordVectors | None,
    keep_repeats: bool,
) -> dict[str, int]:
    """Find tasks and write them; the number of searches and tasks."""
    if baseline is not None and baseline not in BASELINES:
        raise InputError(f"There is no baseline '{baseline}'. There are: {', '.join(BASELINES)}.")
    file = read_task_file(known) if known is not None else None
    if file is not None and file.has_units and within == "history":
        raise InputError(
            f"The labels {file.path} are given by unit and say nothing about pairs of different units. "
            "Find tasks with --within session."
        )
    total = {"searches": 0, "tasks": 0}
    repeats = {"keep_repeats": keep_repeats, "by_session": within == "session"}
    with opened_log(log, "tasks") as store:
        texts = query_texts(store)
        if not store.info.rows:
            raise InputError(f"{log} holds no searches.")
        with progress_bar("Finding tasks", store.info.impressions, unit="searches") as advance:

            def found() -> Iterator[FoundTasks]:
                if file is None and baseline is None:
                    parts = people_at_a_time(store, **repeats)
                    for part in find_in_parts(parts, texts, model, within, vectors):
                        yield part
                        advance(len(part.searches))
                    return
                searches = read_searches(store, **repeats)
                labels = join_labels(searches, store, texts, file) if file is not None else None
                task = _one_by_one(searches, texts, model, baseline, labels, within, merge, vectors, advance)
                yield FoundTasks(searches, task)

            rows = _rows(found(), pa.array(user_names(store)), texts, within, total)
            write_task_file(out, rows, units=within == "session")
        unread = unread_rows(store)
    if unread:
        raise InputError(
            f"{unread:,} rows of the log could not be read and got no answer; the tasks of all others are "
            f"in {out}."
        )
    return total


def _rows(
    found: Iterator[FoundTasks], names: Any, texts: Any, within: str, total: dict[str, int]
) -> Iterator[TaskRows]:
    """What is written; `total` counts it. Sessions are numbered over all people."""
    sessions = 0
    for part in found:
        searches, task = part.searches, part.task
        unit = None
        if within == "session":
            unit = searches.session + sessions
            sessions = int(unit[-1]) + 1
        total["searches"] += len(searches)
        total["tasks"] += int((task == np.arange(len(task))).sum())
        user, query = NumberedTexts(names, searches.user), NumberedTexts(texts, searches.query)
        yield TaskRows(user, searches.time, query, numbered(searches, task), unit)


def _one_by_one(
    searches: Searches,
    texts: Any,
    model: TaskModel,
    baseline: str | None,
    labels: TaskLabels | None,
    within: str,
    merge: str,
    vectors: WordVectors | None,
    advance: Advance,
) -> Ints:
    task = np.arange(len(searches))
    for block in blocks(searches, texts, within=within, vectors=vectors):
        if baseline is not None:
            found = BASELINES[baseline](block)
        else:
            assert labels is not None  # noqa: S101 - for the type checker: there is a file or a baseline
            found = find_with_labels(block, model, labels.task[block.rows], merge)
        task[block.rows] = block.rows[found]
        advance(len(block.rows))
    repeated: Ints = task[searches.first]
    return repeated
