"""Labelled synthetic logs as hard as hand-labelled ones: seven ways in which people are hard to read.

A generated log tells its tasks by their words too easily (likeness of neighbours of one task .54 by trigrams,
against .34 and .35 in two hand-labelled logs). Each function here returns the log with one thing changed, by
a seed; `SETTINGS` put them together so that no single recipe is what a model learns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from crowdlog.applications.tasks.commands import LabelledLog, labelled_log
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.searches import Searches
from crowdlog.files.scratch import Scratch
from crowdlog.log.synth import synthesize
from crowdlog.types import Ints

DAY = 86_400
OWN_WORDS = 3  # words that a person adds to searches of any task, such as her town
MANY_TASKS = 30  # from so many on a person goes back to lasting interests as often as she ever will
REWORDED = 0.9  # of the searches for a lasting interest: worded like one before

Change = Callable[[LabelledLog, int], LabelledLog]


def generated(population: str, people: int, seed: int) -> LabelledLog:
    """A synthetic log with its true tasks; its store is gone."""
    with Scratch("tasks") as folder:
        log, tasks = folder / "log.tsv", folder / "tasks.tsv"
        synthesize(log, users=people, seed=seed, population=population, tasks=tasks)
        with labelled_log(str(log), str(tasks)) as it:
            return it


def other_words(share: float) -> Change:
    """A share of the searches has the text of any other search of the log: no word in common, or the words of
    another task.
    """

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        kept = log.searches.kept
        query = log.searches.query.copy()
        changed = kept[generator.random(len(kept)) < share]
        query[changed] = generator.choice(log.searches.query, len(changed))
        return _with_queries(log, query, [])

    return change


def wide_tasks(share: float) -> Change:
    """With this chance a task belongs to the task of the search before its first one, in the same session:
    one purpose, two subjects.
    """

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        kept, task = log.searches.kept, log.labels.task
        session = log.searches.session
        parent = np.arange(int(task.max(initial=0)) + 1)
        _tasks, first = np.unique(task[kept], return_index=True)
        for place in np.sort(first).tolist():
            if place == 0 or task[kept[place]] < 0:
                continue
            before, search = kept[place - 1], kept[place]
            near = session[before] == session[search] and task[before] >= 0
            if near and generator.random() < share:
                parent[task[search]] = parent[task[before]]
        return _with_tasks(log, np.where(task < 0, -1, parent[task]))

    return change


def drifting(share: float) -> Change:
    """A later search of a task is, with this chance, one word of the search before it and one or two strange
    ones: neighbours are alike, the ends of a task are not.
    """

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        texts = _Texts(log, generator)
        query = log.searches.query.copy()
        last: dict[int, int] = {}
        for search in log.searches.kept.tolist():
            task = int(log.labels.task[search])
            if task in last and query[search] != last[task] and generator.random() < share:
                words = texts.of(last[task]).split()
                kept = words[int(generator.integers(len(words)))]
                query[search] = texts.add([kept, *texts.strange(int(generator.integers(1, 3)))])
            if task >= 0:
                last[task] = int(query[search])
        return _with_queries(log, query, texts.new)

    return change


def own_words(share: float) -> Change:
    """A share of a person's searches ends with one of a few words that she uses in any task."""

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        texts = _Texts(log, generator)
        query = log.searches.query.copy()
        mine: dict[int, list[str]] = {}
        for search in log.searches.kept.tolist():
            person = int(log.searches.user[search])
            words = mine.setdefault(person, texts.strange(OWN_WORDS))
            if generator.random() < share:
                word = words[int(generator.integers(OWN_WORDS))]
                query[search] = texts.add([texts.of(int(query[search])), word])
        return _with_queries(log, query, texts.new)

    return change


def split_by_days(share: float) -> Change:
    """A task that is taken up after more than a day is, with this chance, another task: equal words, two
    purposes.
    """

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        task = log.labels.task.copy()
        now = np.arange(int(task.max(initial=0)) + 1)
        seen: dict[int, int] = {}
        highest = len(now)
        for search in log.searches.kept.tolist():
            old = int(log.labels.task[search])
            if old < 0:
                continue
            time = int(log.searches.time[search])
            if time - seen.get(old, time) > DAY and generator.random() < share:
                now[old] = highest
                highest += 1
            seen[old] = time
            task[search] = now[old]
        return _with_tasks(log, task[log.searches.first])

    return change


def lasting_interests(share: float) -> Change:
    """The first task of a session is, with up to this chance, no new one but one of the person's largest: the
    more tasks she has had, the likelier. It is then worded as before: the same text, or one word of it and a
    strange one.
    """

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        texts = _Texts(log, generator)
        user, session, task = log.searches.user, log.searches.session, log.labels.task.copy()
        query = log.searches.query.copy()
        interest: dict[int, int] = {}
        said: dict[int, list[int]] = {}
        mine: list[int] = []  # the task of each search of this person so far
        before = -1
        for search in log.searches.kept.tolist():
            if before < 0 or user[search] != user[before]:
                mine = []
            opens = before < 0 or session[search] != session[before]
            own = int(task[search])
            if own not in interest:
                often = share * min(1.0, len(set(mine)) / MANY_TASKS)
                lasting = opens and generator.random() < often
                interest[own] = _large_one(mine, generator) if lasting else own
            now = interest[own]
            if now != own and generator.random() < REWORDED:
                query[search] = texts.like(said[now][int(generator.integers(len(said[now])))])
            task[search] = now
            mine.append(now)
            said.setdefault(now, []).append(int(query[search]))
            before = search
        return _with_tasks(_with_queries(log, query, texts.new), task[log.searches.first])

    return change


def _large_one(tasks: Sequence[int], generator: np.random.Generator) -> int:
    """Of three drawn the task with the most searches."""
    drawn = [tasks[int(place)] for place in generator.integers(0, len(tasks), 3)]
    return max(drawn, key=tasks.count)


def longer_sessions(share: float) -> Change:
    """A pause between two sessions is, with this chance, a few minutes: several needs in one session."""

    def change(log: LabelledLog, seed: int) -> LabelledLog:
        generator = np.random.default_rng(seed)
        user, time, session = log.searches.user, log.searches.time, log.searches.session
        gap = np.diff(time, prepend=time[:1])
        first = np.diff(user, prepend=-1) != 0
        pause = (np.diff(session, prepend=-1) != 0) & ~first
        shorter = pause & (generator.random(len(time)) < share)
        less = np.cumsum(np.where(shorter, gap - generator.integers(30, 900, len(time)), 0))
        of_others = np.maximum.accumulate(np.where(first, less, 0))
        return replace(log, searches=replace(log.searches, time=time - (less - of_others)))

    return change


# Each is tried on a population and a seed that the shipped model was not trained on.
SETTINGS: dict[str, Sequence[Change]] = {
    "as generated": (),
    "other words": (other_words(0.2),),
    "wide": (wide_tasks(0.7), other_words(0.12)),
    "drifting": (wide_tasks(0.4), drifting(0.5)),
    "own words": (wide_tasks(0.5), other_words(0.15), own_words(0.25)),
    "all of it": (wide_tasks(0.7), drifting(0.25), other_words(0.15), own_words(0.15), split_by_days(0.15)),
    # Made after the shipped model and its threshold, to try them on.
    "taken up again": (other_words(0.15), split_by_days(0.3)),
    "busy": (wide_tasks(0.3), drifting(0.2), own_words(0.1)),
    # Made to have the shape of two hand-labelled logs, as far as it is known (docs/applications.md).
    "lasting interests": (lasting_interests(0.35), wide_tasks(0.7), other_words(0.08)),
    "longer sessions": (longer_sessions(0.4), wide_tasks(0.45), other_words(0.12), own_words(0.12)),
}


def hard_log(population: str, people: int, seed: int, setting: str) -> LabelledLog:
    """A synthetic log of a setting."""
    log = generated(population, people, seed)
    for number, change in enumerate(SETTINGS[setting]):
        log = change(log, seed + number)
    return log


def joined(logs: Sequence[LabelledLog]) -> LabelledLog:
    """One log of the people of several; it has the first one's store."""
    parts: list[tuple[Searches, TaskLabels]] = []
    texts: list[str] = []
    users = searches = sites = tasks = units = 0
    for log in logs:
        it, labels = log.searches, log.labels
        moved = Searches(
            it.user + users,
            it.time,
            it.query + len(texts),
            it.first + searches,
            it.site_at[:-1] + sites,
            it.site,
        )
        parts.append(
            (moved, TaskLabels(np.where(labels.task < 0, -1, labels.task + tasks), labels.unit + units))
        )
        texts += log.texts.to_pylist()
        users += int(it.user.max(initial=0)) + 1
        searches += len(it)
        sites += len(it.site)
        tasks += int(labels.task.max(initial=0)) + 1
        units += int(labels.unit.max(initial=0)) + 1

    def column(name: str) -> Ints:
        return np.concatenate([getattr(part, name) for part, _labels in parts])

    whole = Searches(
        column("user"),
        column("time"),
        column("query"),
        column("first"),
        np.append(column("site_at"), sites),
        column("site"),
    )
    labels = TaskLabels(
        np.concatenate([part.task for _searches, part in parts]),
        np.concatenate([part.unit for _searches, part in parts]),
    )
    return LabelledLog(logs[0].store, whole, pa.array(texts, pa.string()), labels)


class _Texts:
    """The texts of a log, new ones behind them, and words to draw from."""

    def __init__(self, log: LabelledLog, generator: np.random.Generator) -> None:
        self._old: list[str] = log.texts.to_pylist()
        self._words = [word for text in self._old for word in text.split()]
        self._generator = generator
        self.new: list[str] = []

    def of(self, number: int) -> str:
        return self._old[number] if number < len(self._old) else self.new[number - len(self._old)]

    def add(self, words: Sequence[str]) -> int:
        """The number of a new text."""
        self.new.append(" ".join(words))
        return len(self._old) + len(self.new) - 1

    def like(self, number: int) -> int:
        """The number of this text, or of a new one that has one of its words and a strange one."""
        words = self.of(number).split()
        if not words or self._generator.random() < 0.5:
            return number
        return self.add([words[int(self._generator.integers(len(words)))], *self.strange(1)])

    def strange(self, count: int) -> list[str]:
        return [self._words[int(place)] for place in self._generator.integers(0, len(self._words), count)]


def _with_queries(log: LabelledLog, query: Ints, new: Sequence[str]) -> LabelledLog:
    """Repeats have the text of what they repeat."""
    texts = pa.array([*log.texts.to_pylist(), *new], pa.string()) if new else log.texts
    return replace(log, searches=replace(log.searches, query=query[log.searches.first]), texts=texts)


def _with_tasks(log: LabelledLog, task: Ints) -> LabelledLog:
    return replace(log, labels=TaskLabels(task, log.labels.unit))
