"""Join a task file with a log: which task somebody gave to each search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.applications.tasks.searches import Searches, user_names
from crowdlog.applications.tasks.task_file import TaskFile
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.types import Ints


@dataclass(frozen=True)
class TaskLabels:
    """For each search: the number of its task (−1 without a label) and of its unit."""

    task: Ints
    unit: Ints

    def by_unit(self, searches: Searches, rows: Ints) -> tuple[Ints, Ints]:
        """These rows person by person, the searches of a unit together and in their order, and where each
        unit's part begins, and the end: nothing is said about pairs of different units.
        """
        user, unit = searches.user[rows], self.unit[rows]
        order = np.lexsort((unit, user))  # stable
        new = (np.diff(user[order], prepend=-1) != 0) | (np.diff(unit[order], prepend=-2) != 0)
        return rows[order], np.append(np.flatnonzero(new), len(rows)).astype(np.int64)


def join_labels(searches: Searches, store: LogStore, texts: Any, file: TaskFile) -> TaskLabels:
    """The labels of a log's searches.

    InputError where the file names people or searches that the log does not hold.
    """
    user = _numbers(file.user, pa.array(user_names(store)))
    if (user < 0).any():
        people = len(file.user.filter(pa.array(user < 0)).unique())
        who = "person who is" if people == 1 else "people who are"
        raise InputError(
            f"The task file {file.path} names {people:,} {who} not in "
            f"the log (line {file.line[int(np.argmax(user < 0))]} is the first). Give the labels of this log."
        )
    query = _numbers(file.query, texts)
    task = _codes(file.user, file.unit, file.task)
    unit = _codes(file.user, file.unit)
    task[np.asarray(file.task) == ""] = -1
    keys: dict[tuple[int, int, int], int] = {}
    for row, key in enumerate(zip(user.tolist(), file.time.tolist(), query.tolist(), strict=True)):
        if key not in keys or task[keys[key]] < 0:  # a search on several lines has its first label
            keys[key] = row
    found = np.full((2, len(searches)), -1)
    matched = 0
    rows = zip(searches.user.tolist(), searches.time.tolist(), searches.query.tolist(), strict=True)
    for number, key in enumerate(rows):
        if key in keys:
            found[:, number] = task[keys[key]], unit[keys[key]]
            matched += 1
    if matched < len(keys):
        raise InputError(
            f"The task file {file.path} labels {len(keys) - matched:,} searches that are not in the log: "
            "their time or query differs. Give the labels of this log."
        )
    return _of_first(TaskLabels(found[0], found[1]), searches)


def _of_first(labels: TaskLabels, searches: Searches) -> TaskLabels:
    """A run of equal queries is one search with the first label among them, and the unit of that label."""
    labelled = np.flatnonzero(labels.task >= 0)
    giver = np.full(len(searches), -1)
    giver[searches.first[labelled[::-1]]] = labelled[::-1]
    giver = np.where(labels.task < 0, giver[searches.first], -1)
    return TaskLabels(
        np.where(giver >= 0, labels.task[giver], labels.task),
        np.where(giver >= 0, labels.unit[giver], labels.unit),
    )


def _numbers(asked: Any, texts: Any) -> Ints:
    """The number of each asked text, −1 where there is none."""
    import pyarrow.compute as pc

    found = pc.index_in(asked, value_set=texts)
    return np.asarray(pc.fill_null(found, -1)).astype(np.int64)


def _codes(*columns: Any) -> Ints:
    """Equal rows get equal numbers."""
    joined = list(zip(*(column.to_pylist() for column in columns), strict=True))
    numbers = {row: number for number, row in enumerate(dict.fromkeys(joined))}
    return np.array([numbers[row] for row in joined], np.int64)
