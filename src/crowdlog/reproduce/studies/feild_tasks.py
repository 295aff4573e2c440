"""What the studies of Feild 2013, chapter 5, have in common: a log with true tasks, its people in two parts,
releases of the vectors of one part, and how well their models find the tasks of the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import domain
from crowdlog.applications.tasks.commands import LabelledLog
from crowdlog.applications.tasks.crowd_log import model_of_counts
from crowdlog.applications.tasks.find import make_block
from crowdlog.applications.tasks.hard_logs import hard_log
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import MEASURES, count_table, score_person
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.personal import find_with_labels
from crowdlog.applications.tasks.train import LabelledPairs, labelled_pairs
from crowdlog.applications.tasks.vectors import HEADER, counts_of_table, vector_lines
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.base import Mechanism
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.types import Floats, Ints

PEOPLE = 1_200  # of the synthetic log: some 500 of them have 12 to 79 searches, as the thesis's 503
FEWEST, MOST = 12, 79
TRAINED = 0.7  # of these people, and of the searches of each tested person (§5.4)
TESTED = 40  # of the others, so that a study takes minutes
BINS = "bin2"  # of Figure 5.10
LN10, DELTA = math.log(10), 1 / 500  # of Table 5.7; far too large a δ, see docs/applications.md
SETUP = (
    "A synthetic log with true tasks; people with 12 to 79 searches, 70 % of them to learn from. A fifth of "
    "the searches is put in the words of others, because generated tasks are told by their words too easily. "
    "Average link instead of single link, the extended features for a person's own model, and δ = 1/500 as "
    "in the thesis. Accuracy is the mean over people of the share of pairs told rightly."
)


@dataclass(frozen=True, repr=False)
class TaskStudy:
    """A labelled log; `learnt` and `tested` are numbers of people."""

    log: LabelledLog
    learnt: Ints
    tested: Ints


def task_study(bench: Bench) -> TaskStudy:
    """The same for every noise."""
    log = hard_log("aol", min(PEOPLE, bench.users), SEED, "other words")
    user = log.searches.user
    times = np.bincount(user[log.searches.kept])
    people = np.flatnonzero((times >= FEWEST) & (times <= MOST))
    order = np.random.default_rng(SEED).permutation(people)
    learnt = order[: int(TRAINED * len(order))]
    return TaskStudy(log, np.sort(learnt), np.sort(order[len(learnt) :][:TESTED]))


def learnt_pairs(study: TaskStudy) -> LabelledPairs:
    log = study.log
    known = np.where(np.isin(log.searches.user, study.learnt), log.labels.task, -1)
    return labelled_pairs(log.searches, log.texts, TaskLabels(known, log.labels.unit), None)


def vector_store(bench: Bench, pairs: LabelledPairs, bins: str = BINS) -> LogStore:
    """The vectors of the people learnt from, for any mechanism to release."""

    def write(source: Path) -> None:
        names = [f"p{person}" for person in range(int(pairs.person.max()) + 1)]
        source.write_text(HEADER + "".join(vector_lines(pairs, names, bins, seed=SEED)), encoding="utf-8")

    return bench.imported(f"task-vectors-{bins}", write)


def released_counts(bench: Bench, mechanism: Mechanism, store: LogStore, bins: str = BINS) -> Floats:
    """What a release publishes, by label and place; all 0 where it shows nothing."""

    def make() -> list[list[float]]:
        with bench.released(mechanism, store) as release:
            table: Any = release.table("queries")
            if table is None or not table.num_rows:
                return np.zeros((2, len(domain(bins)))).tolist()
            found: list[list[float]] = counts_of_table(table, "The release")[1].tolist()
            return found

    return np.array(bench.kept(["task-vectors", repr(mechanism), bins, bench.seed], make))


def model_of(counts: Floats, bins: str = BINS) -> TaskModel | None:
    """None where nothing was published: then all searches are of different tasks."""
    return model_of_counts(bins, counts) if counts.any() else None


def accuracy(
    study: TaskStudy, model: TaskModel | None, merge: str, labelled: int | None = None, seed: int = 0
) -> float:
    """Macro accuracy on the last searches of the tested people, who labelled `labelled` (or all) before."""
    if model is None and merge == "global":
        return _scores(study, lambda block, _known: np.arange(len(block.rows)), 0, seed)["accuracy"]
    nothing = model or TaskModel("lucchese", "none", 2.0, "average")
    return _scores(
        study, lambda block, known: find_with_labels(block, nothing, known, merge), labelled, seed
    )["accuracy"]


def _scores(study: TaskStudy, find: Any, labelled: int | None, seed: int) -> Mapping[str, float]:
    log = study.log
    generator = np.random.default_rng(seed)
    people = []
    for person in study.tested.tolist():
        rows = log.searches.kept
        rows = rows[log.searches.user[rows] == person]
        early = int(TRAINED * len(rows))
        block = make_block(log.searches, log.texts, rows, within="history", vectors=None)
        known = np.full(len(rows), -1)
        said = np.arange(early) if labelled is None else generator.permutation(early)[:labelled]
        known[said] = log.labels.task[rows[said]]
        found = find(block, known)
        late = slice(early, None)
        people.append(score_person(log.labels.task[rows][late], found[late], np.zeros(len(rows) - early)))
    whole = count_table(people).sum(axis=0)
    return {name: float(MEASURES[name](whole)) for name in ("accuracy", "pair_f1", "b3")}
