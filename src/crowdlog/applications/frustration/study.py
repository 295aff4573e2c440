"""A study file: searches of people who said how frustrated they were.

UTF-8 TSV with a header: user, task, search, start, end (seconds), query, actions, urls, label. A label is
empty, 0 or 1, or 1 to 5, where 1 is not frustrated and 2 to 5 are. Or answers that the browser extension
saved: a JSON file, or a folder with one for each person (answers.py).
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from crowdlog.applications.frustration.answers import Answered, is_answers, read_answers
from crowdlog.applications.input_text import input_text
from crowdlog.errors import InputError
from crowdlog.types import Floats, Ints

COLUMNS = ("user", "task", "search", "start", "end", "query", "actions", "urls", "label")
MOST = 1e15  # of seconds, actions and urls: a larger number is none
FEATURES = ("query length", "word length", "task duration", "task actions", "urls per task")


@dataclass(frozen=True, repr=False)
class FrustrationStudy:
    """One entry per search: person, place of its task in her order of tasks, features, label (−1: none)."""

    user: Ints
    names: list[str]
    task: Ints
    search: list[str]
    features: Floats
    label: Ints

    def __len__(self) -> int:
        return len(self.user)

    def __repr__(self) -> str:
        return f"FrustrationStudy({len(self)} searches of {len(self.names)} people)"


def read_study(path: str | Path) -> FrustrationStudy:
    """Read a study. Errors name a line or an answer, never its text."""
    if is_answers(Path(path)):
        return _of_answers(read_answers(Path(path)))
    text = input_text(path, "study")
    lines = io.StringIO(text, newline=None)  # whichever system's line ends
    reader = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    rows = []
    try:
        if not set(COLUMNS) <= set(reader.fieldnames or []):
            raise InputError(
                f"The study {path} cannot be used: its first line must name {', '.join(COLUMNS)}."
            )
        for row in reader:
            if any(row[name] is None for name in COLUMNS) or None in row:
                raise InputError(
                    f"The study {path} cannot be used: line {reader.line_num} has more or fewer columns than "
                    "the first line."
                )
            rows.append((row, _numbers_of(row, reader.line_num, path)))
    except csv.Error:
        raise InputError(
            f"The study {path} cannot be used: line {reader.line_num + 1} is no line of a table."
        ) from None
    if not rows:
        raise InputError(f"The study {path} holds no searches.")
    numbers = np.array([figures for _row, figures in rows])
    if numbers[:, 4].max() > 1 and (numbers[:, 4] == 0).any():
        raise InputError(
            f"The study {path} cannot be used: labels are 0 and 1, or 1 to 5, and here they are both."
        )
    return _study([row for row, _figures in rows], numbers)


def _numbers_of(row: dict[str, str], line: int, path: str | Path) -> list[float]:
    """Start, end, actions, urls and label of a line; −1 without a label."""
    try:
        figures = [float(row[name]) for name in ("start", "end", "actions", "urls")]
        label = float(row["label"].strip() or -1)
    except ValueError:
        figures, label = [], 0.0
    if not figures or not all(abs(figure) < MOST for figure in figures):
        raise InputError(
            f"The study {path} cannot be used: line {line} has a start, end, actions, urls or label "
            "that is no number."
        )
    if label not in (-1, 0, 1, 2, 3, 4, 5):
        raise InputError(
            f"The study {path} cannot be used: the label of line {line} is neither empty nor 0, 1 or 1 to 5."
        )
    return [*figures, label]


def _of_answers(people: dict[str, list[Answered]]) -> FrustrationStudy:
    """One search for each task: that at which it ended. URLs per task is the mean over the tasks so far."""
    user: list[int] = []
    task: list[int] = []
    features: list[list[float]] = []
    label: list[int] = []
    for number, answers in enumerate(people.values()):
        urls = np.cumsum([one.numbers[-1] for one in answers]) / np.arange(1, len(answers) + 1)
        user += [number] * len(answers)
        task += range(len(answers))
        features += [[*one.numbers[:-1], mean] for one, mean in zip(answers, urls.tolist(), strict=True)]
        label += [one.label for one in answers]
    search = [str(place + 1) for place in task]
    return FrustrationStudy(
        np.array(user), list(people), np.array(task), search, np.array(features), np.array(label)
    )


def _study(rows: list[dict[str, str]], numbers: Floats) -> FrustrationStudy:
    names = list(dict.fromkeys(row["user"] for row in rows))
    user = np.array([names.index(row["user"]) for row in rows])
    tasks = list(dict.fromkeys((row["user"], row["task"]) for row in rows))
    task = np.array([tasks.index((row["user"], row["task"])) for row in rows])
    place = _place(user, task, numbers[:, 0])
    features = _features([row["query"] for row in rows], numbers, task, user, place)
    label = numbers[:, 4].astype(np.int64)
    if label.max() > 1:  # 1 to 5
        label = np.where(label < 0, -1, (label >= 2).astype(np.int64))
    return FrustrationStudy(user, names, place, [row["search"] for row in rows], features, label)


def _features(queries: list[str], numbers: Floats, task: Ints, user: Ints, place: Ints) -> Floats:
    """The five of the study. URLs per task is the mean over a person's tasks up to this one: the study took
    all of them, later ones too, which is a look ahead and never differs from her own mean.
    """
    start, end, actions, urls = numbers[:, :4].T
    tasks = int(task.max()) + 1
    begin, finish = np.full(tasks, np.inf), np.full(tasks, -np.inf)
    np.minimum.at(begin, task, start)
    np.maximum.at(finish, task, end)
    in_task = np.bincount(task, actions, tasks)
    urls_of_task = np.bincount(task, urls, tasks)
    of = np.zeros((2, tasks), np.int64)
    of[:, task] = user, place
    by_person = np.zeros((int(user.max()) + 1, int(place.max()) + 1))
    by_person[of[0], of[1]] = urls_of_task
    mean_urls = np.cumsum(by_person, axis=1) / np.arange(1, by_person.shape[1] + 1)
    length = np.array([len(query) for query in queries], np.float64)
    words = np.array([np.mean([len(word) for word in query.split()] or [0]) for query in queries])
    return np.stack([length, words, (finish - begin)[task], in_task[task], mean_urls[user, place]], axis=1)


def _place(user: Ints, task: Ints, start: Floats) -> Ints:
    """0 for a person's first task, 1 for the next, …"""
    first: dict[int, float] = {}
    for one, at in zip(task.tolist(), start.tolist(), strict=True):
        first[one] = min(at, first.get(one, at))
    owner = dict(zip(task.tolist(), user.tolist(), strict=True))
    places: dict[int, int] = {}
    seen: dict[int, int] = {}
    for one in sorted(first, key=lambda t: (first[t], t)):
        places[one] = seen.get(owner[one], 0)
        seen[owner[one]] = places[one] + 1
    return np.array([places[one] for one in task.tolist()])
