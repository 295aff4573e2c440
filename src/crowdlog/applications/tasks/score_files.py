"""Score one task file by another: `crowdlog tasks score`."""

from __future__ import annotations

import numpy as np

from crowdlog.applications.tasks.measures import PersonScore, score_person
from crowdlog.applications.tasks.task_file import TaskFile
from crowdlog.errors import InputError

Row = tuple[int, str, str, str]  # time, query, task, unit


def score_files(
    truth: TaskFile, found: TaskFile, *, test_from: float = 0.0, keep_repeats: bool = False
) -> list[PersonScore]:
    """The scores of each person of the truth.

    Searches are matched by person, time and query; a search on several lines is one search with its first
    label. Of adjacent equal queries of a person and unit the first counts, unless `keep_repeats`.
    `test_from`: only the searches behind this share of each person's history are scored. A found task is
    (unit, task); searches without a label in the truth are left out.
    """
    answers: dict[tuple[str, int, str], str] = {}
    for key, name in zip(_keys(found), _named(found), strict=True):
        answers.setdefault(key, name)
    scored = _scored(truth, test_from, keep_repeats)
    missing = sum((user, row[0], row[1]) not in answers for user, rows in scored.items() for row in rows)
    all_of_them = sum(map(len, scored.values()))
    if missing:
        raise InputError(
            f"The found tasks {found.path} leave out {missing:,} of {all_of_them:,} searches of the truth "
            f"{truth.path}. Find tasks in the whole log."
        )
    scores = []
    for user, rows in scored.items():
        got = [answers[user, time, query] for time, query, _task, _unit in rows]
        scores.append(score_person([row[2] for row in rows], got, [row[3] for row in rows]))
    return scores


def _scored(truth: TaskFile, test_from: float, keep_repeats: bool) -> dict[str, list[Row]]:
    """The labelled searches of each person behind a share of her history."""
    scored = {}
    for user, rows in _people(truth).items():
        mine = rows if keep_repeats else _without_repeats(rows)
        late = mine[int(np.floor(test_from * len(mine) + 1e-9)) :]
        if labelled := [row for row in late if row[2]]:
            scored[user] = labelled
    if not scored:
        raise InputError(f"The truth {truth.path} labels no search: there is nothing to score.")
    return scored


def _keys(file: TaskFile) -> list[tuple[str, int, str]]:
    return list(zip(file.user.to_pylist(), file.time.tolist(), file.query.to_pylist(), strict=True))


def _named(file: TaskFile) -> list[str]:
    units, tasks = file.unit.to_pylist(), file.task.to_pylist()
    return [f"{unit}\t{task}" for unit, task in zip(units, tasks, strict=True)]


def _people(file: TaskFile) -> dict[str, list[Row]]:
    """The searches of each person in the order of time (then of the file)."""
    people: dict[str, dict[tuple[int, str], Row]] = {}
    labels = zip(file.task.to_pylist(), file.unit.to_pylist(), strict=True)
    for (user, time, query), (task, unit) in zip(_keys(file), labels, strict=True):
        mine = people.setdefault(user, {})
        if not mine.get((time, query), ("", "", "", ""))[2]:
            mine[time, query] = (time, query, task, unit)
    return {user: sorted(rows.values(), key=lambda row: row[0]) for user, rows in people.items()}


def _without_repeats(rows: list[Row]) -> list[Row]:
    """The first of each run of equal queries of one unit, with the first label of the run."""
    kept: list[Row] = []
    for row in rows:
        if not kept or (kept[-1][1], kept[-1][3]) != (row[1], row[3]):
            kept.append(row)
        elif not kept[-1][2]:
            kept[-1] = (*kept[-1][:2], *row[2:])
    return kept
