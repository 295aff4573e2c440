"""Train a task model from labelled pairs: a boosted model, a forest, or Lucchese's two numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import binned
from crowdlog.applications.tasks.find import SearchBlock, find_at_thresholds, make_block
from crowdlog.applications.tasks.labels import TaskLabels
from crowdlog.applications.tasks.measures import MEASURES, PersonScore, count_table, score_person
from crowdlog.applications.tasks.model import QUIET_BETWEEN, QUIET_SECONDS, TaskModel, is_quiet
from crowdlog.applications.tasks.pair_features import BETWEEN, SECONDS, pair_matrix
from crowdlog.applications.tasks.searches import Searches
from crowdlog.applications.tasks.word_vectors import WordVectors
from crowdlog.applications.trees import boosted, forest
from crowdlog.errors import InputError
from crowdlog.types import Bools, Floats, Ints

PAIRS_OF_A_PERSON = 1_500  # a random choice of more: a person with a long history is one person
HELD_OUT = 0.3  # of the people, to choose η on
ETAS = np.round(np.arange(0.10, 0.86, 0.05), 2)
AS_GOOD = 0.003  # less than the interval over a hundred people
QUIET_PRIOR = 20.0  # searches' worth of the mean in each cell of the table of quiet pairs


@dataclass(frozen=True, repr=False)
class LabelledPairs:
    """Feature vectors with 1 for one task and 0 for two, and a weight that makes people count alike."""

    vectors: Floats
    same: Floats
    weight: Floats
    person: Ints

    def where(self, rows: Bools) -> LabelledPairs:
        return LabelledPairs(self.vectors[rows], self.same[rows], self.weight[rows], self.person[rows])

    def __len__(self) -> int:
        return len(self.same)

    def __repr__(self) -> str:
        return f"LabelledPairs({len(self)} of {len(np.unique(self.person))} people)"


def labelled_pairs(
    searches: Searches,
    texts: Any,
    labels: TaskLabels,
    vectors: WordVectors | None,
    *,
    seed: int = 0,
) -> LabelledPairs:
    """Pairs of labelled searches of one person and unit; of people with many a random choice."""
    rows = searches.kept
    rows, _units = labels.by_unit(searches, rows[labels.task[rows] >= 0])
    if not len(rows):
        raise InputError("No search has a label: there is nothing to learn from.")
    generator = np.random.default_rng(seed)
    bounds = searches.people(rows)
    parts = [
        bounds[p] + _some_pairs(labels.unit[rows[bounds[p] : bounds[p + 1]]], generator)
        for p in range(len(bounds) - 1)
    ]
    sizes = np.array([part.shape[1] for part in parts])
    pairs = np.concatenate(parts, axis=1)
    block = make_block(searches, texts, rows, within="history", vectors=vectors)
    same = labels.task[rows[pairs[0]]] == labels.task[rows[pairs[1]]]
    weight = np.repeat(1 / np.sqrt(np.maximum(sizes, 1)), sizes)
    return LabelledPairs(
        pair_matrix(block.people, pairs[0], pairs[1]),
        same.astype(np.float64),
        weight / weight.mean() if len(weight) else weight,
        np.repeat(np.arange(len(sizes)), sizes),
    )


def _some_pairs(unit: Ints, generator: np.random.Generator) -> Ints:
    """Two rows: first and second of each pair, within units."""
    first, second = np.triu_indices(len(unit), 1)
    inside = np.flatnonzero(unit[first] == unit[second])
    if len(inside) > PAIRS_OF_A_PERSON:
        inside = np.sort(generator.choice(inside, PAIRS_OF_A_PERSON, replace=False))
    return np.stack([first[inside], second[inside]])


def fit(pairs: LabelledPairs, learner: str, bins: str, *, seed: int = 0) -> TaskModel:
    """A model of these pairs; η is still to be chosen."""
    if learner == "lucchese":
        return TaskModel("lucchese", "none", 0.2, "average")
    grow = boosted if learner == "boost" else lambda v, s, w: forest(v, s, w, seed=seed)
    if bins != "none":
        trees = grow(binned(pairs.vectors, bins), pairs.same, pairs.weight)
        return TaskModel(learner, bins, 0.5, "average", trees=trees)
    quiet = is_quiet(pairs.vectors)
    loud = pairs.where(~quiet)
    trees = grow(loud.vectors, loud.same, loud.weight)
    return TaskModel(learner, bins, 0.5, "average", trees=trees, quiet=_quiet_table(pairs.where(quiet)))


def _quiet_table(pairs: LabelledPairs) -> Floats:
    """The share of one task in each cell of time and place, drawn towards the share in its row."""
    shape = (len(QUIET_SECONDS) + 1, len(QUIET_BETWEEN) + 1)
    rows = np.searchsorted(QUIET_SECONDS, pairs.vectors[:, SECONDS], side="right")
    columns = np.searchsorted(QUIET_BETWEEN, pairs.vectors[:, BETWEEN], side="right")
    cell = rows * shape[1] + columns
    whole = np.bincount(cell, pairs.weight, shape[0] * shape[1]).reshape(shape)
    same = np.bincount(cell, pairs.weight * pairs.same, shape[0] * shape[1]).reshape(shape)
    mean = same.sum() / max(whole.sum(), 1)
    of_row = (same.sum(axis=1, keepdims=True) + QUIET_PRIOR * mean) / (
        whole.sum(axis=1, keepdims=True) + QUIET_PRIOR
    )
    table: Floats = (same + QUIET_PRIOR * of_row) / (whole + QUIET_PRIOR)
    return table


def train(
    searches: Searches,
    texts: Any,
    labels: TaskLabels,
    *,
    learner: str = "boost",
    bins: str = "none",
    link: str = "average",
    vectors: WordVectors | None = None,
    seed: int = 0,
    trained_on: str = "",
) -> TaskModel:
    """Train on everybody; η (and Lucchese's α) is chosen on people that a first model has not seen."""
    pairs = labelled_pairs(searches, texts, labels, vectors, seed=seed)
    rows = searches.kept
    rows = rows[labels.task[rows] >= 0]
    people = len(searches.people(rows)) - 1
    held = np.random.default_rng(seed + 1).permutation(people) < HELD_OUT * people
    if not held.any() or held.all():
        held[:] = True  # one or two people: chosen on the very ones learnt from
    first = fit(pairs.where(~held[pairs.person]) if not held.all() else pairs, learner, bins, seed=seed)
    bounds = searches.people(rows)
    of_row = np.repeat(held, np.diff(bounds))
    mine, units = labels.by_unit(searches, rows[of_row])
    block = replace(make_block(searches, texts, mine, within="history", vectors=vectors), parts=units)
    chosen = choose_eta(replace(first, link=link), block, labels, searches.people(mine))
    eta_session = session_eta(chosen, searches, texts, rows[of_row], labels, vectors)
    model = fit(pairs, learner, bins, seed=seed)
    return replace(
        model,
        eta=chosen.eta,
        eta_session=eta_session,
        link=link,
        alpha=chosen.alpha,
        text="stems" if vectors is None else "vectors",
        trained_on=trained_on,
    )


def session_eta(
    model: TaskModel,
    searches: Searches,
    texts: Any,
    rows: Ints,
    labels: TaskLabels,
    vectors: WordVectors | None,
) -> float:
    """The best threshold where each session is clustered on its own: pairs of a session are of one task much
    more often than pairs of a history.
    """
    block = make_block(searches, texts, rows, within="session", vectors=vectors)
    whole = replace(block, parts=searches.people(rows))  # scored by people
    units = TaskLabels(labels.task, searches.session)
    found = find_at_thresholds(block, model, ETAS)
    return middle_of_best([_worth(score_block(whole, row, units)) for row in found])


def choose_eta(model: TaskModel, block: SearchBlock, labels: TaskLabels, people: Ints) -> TaskModel:
    """The threshold with the best mean of macro accuracy, pair F1 and B³; Lucchese's α, too.

    The block's parts are clustered, and scored by `people`: where each person's part of the block begins.
    """
    whole = replace(block, parts=people)
    alphas = (0.3, 0.5, 0.7, 1.0) if model.learner == "lucchese" else (model.alpha,)
    best, worth = model, -1.0
    for alpha in alphas:
        tried = replace(model, alpha=alpha)
        found = find_at_thresholds(block, tried, ETAS)
        each = [_worth(score_block(whole, row, labels)) for row in found]
        if max(each) > worth:
            best, worth = replace(tried, eta=middle_of_best(each)), max(each)
    return best


def middle_of_best(worth: Sequence[float]) -> float:
    """The middle of the thresholds that are about as good as the best: other people's scores lie a little
    lower or higher.
    """
    good = np.flatnonzero(np.array(worth) >= max(worth) - AS_GOOD)
    return float(ETAS[good[(len(good) - 1) // 2]])


def _worth(people: list[PersonScore]) -> float:
    """Accuracy alone is best where nothing is joined, F1 where the longest histories are right."""
    whole = count_table(people).sum(axis=0)
    return float(sum(MEASURES[name](whole) for name in ("accuracy", "pair_f1", "b3")) / 3)


def score_block(block: SearchBlock, found: Ints, labels: TaskLabels) -> list[PersonScore]:
    """The scores of each person of a block whose searches are all labelled; parts are people."""
    task, unit = labels.task[block.rows], labels.unit[block.rows]
    ends = block.parts
    return [score_person(task[a:b], found[a:b], unit[a:b]) for a, b in pairwise(ends.tolist())]
