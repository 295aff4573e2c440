"""A task model from a release of vectors alone: no log, no labels of a person."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.tasks.bins import domain
from crowdlog.applications.tasks.model import TaskModel
from crowdlog.applications.tasks.vectors import counts_of_table
from crowdlog.applications.trees import boosted, forest
from crowdlog.errors import InputError
from crowdlog.release.folder import Release
from crowdlog.types import Floats

# Where counts are noisy, so much of the released total is added in the proportions of the synthetic logs.
PRIOR_SHARE = 0.05
# How far populations differ from the synthetic logs: the share of one task in a group of vectors (standard
# deviation), and how often the group occurs (relative; a hundredth of all where it never does).
SHARE_SPREAD, SIZE_SPREAD, LEAST_SPREAD = 0.15, 0.5, 0.01


@cache
def prior(bins: str) -> tuple[Floats, float, float]:
    """Counts of vectors in synthetic logs (shares of 1; label × place), and the η that suits them over
    histories and within sessions.

    Public: made by benchmarks/task_model.py from synthetic logs alone.
    """
    text = files("crowdlog.applications.tasks").joinpath("prior.json").read_text(encoding="utf-8")
    stored = json.loads(text)[bins]
    counts = np.zeros((2, len(domain(bins))))
    counts[np.array(stored["label"]), np.array(stored["place"])] = stored["count"]
    return counts / counts.sum(), float(stored["eta"]), float(stored["eta_session"])


def train_from_release(
    path: str | Path, *, learner: str = "forest", link: str = "average", seed: int = 0
) -> TaskModel:
    """Learn from the published counts; the model carries the label of the release."""
    release = Release.open(path)
    release.check()
    table = release.table("queries")
    if table is None or not table.num_rows:
        raise InputError(f"The release {path} publishes no vectors: no model can be made of it.")
    bins, counts = counts_of_table(table, f"The release {path}")
    model = model_of_counts(bins, counts, learner=learner, seed=seed)
    return replace(model, link=link, label=release.stored(), trained_on="a release")


def model_of_counts(bins: str, counts: Floats, *, learner: str = "forest", seed: int = 0) -> TaskModel:
    """A model of published counts (label × place)."""
    public, eta, eta_session = prior(bins)
    weights = smoothed(bins, counts, public) if (counts < 0).any() else counts
    vectors = np.concatenate([domain(bins), domain(bins)])
    same = np.repeat([0.0, 1.0], len(domain(bins)))
    flat = weights.ravel()
    there = flat > 0
    vectors, same, flat = vectors[there], same[there], flat[there]
    # one row stands for many pairs: as much weight in all as there are rows keeps the trees' limits apt
    weight = flat * (max(len(flat), 2_000) / flat.sum())
    grow = boosted if learner == "boost" else lambda v, s, w: _weighted_forest(v, s, w, seed)
    trees = grow(vectors, same, weight)
    return TaskModel(learner, bins, eta, "average", eta_session, trees=trees)


def _weighted_forest(vectors: Floats, same: Floats, weight: Floats, seed: int) -> Any:
    """Without a bootstrap of rows: a row is a cell of a table, not a pair of one person."""
    return forest(vectors, same, weight, seed=seed, resample=False)


def smoothed(bins: str, counts: Floats, public: Floats) -> Floats:
    """Noisy counts of all cells, made usable: of each coarse group (bin2) its size and its share of one task,
    each between what is released and what synthetic logs have, by how sure both are; within a group the cells
    are in the proportions of synthetic logs.
    """
    group = _groups(bins)
    released = np.stack([np.bincount(group, row, group.max() + 1) for row in counts])
    expected = np.stack([np.bincount(group, row, group.max() + 1) for row in public])
    total = max(released.sum(), 1.0)
    noise = noise_deviation(counts) * np.sqrt(np.bincount(group))  # of a group's count, of each label
    usual = total * expected.sum(axis=0)
    spread = np.maximum(SIZE_SPREAD * usual, LEAST_SPREAD * total)
    size = _between(released.sum(axis=0), np.sqrt(2) * noise, usual, spread)
    size = np.maximum(size, 1e-9)
    of_one_task = expected[1] / np.maximum(expected.sum(axis=0), 1e-12)
    share = np.clip(_between(released[1] / size, noise / size, of_one_task, SHARE_SPREAD), 0, 1)
    kept = np.stack([size * (1 - share), size * share]) + PRIOR_SHARE * total * expected
    there = expected[:, group]
    alike = 1 / np.bincount(group)[group]  # where synthetic logs have nothing of a group
    weights: Floats = kept[:, group] * np.where(there > 0, public / np.where(there > 0, there, 1), alike)
    return weights


def noise_deviation(counts: Floats) -> float:
    """The standard deviation of Laplace noise, from the counts that it made negative: how far such a count is
    below 0 has one distribution, whatever the true count was.
    """
    below = counts[counts < 0]
    return float(np.sqrt(np.mean(below**2)))


def _between(ours: Floats, error: Floats, usual: Floats, spread: Floats | float) -> Floats:
    """The mean of two guesses, each by one over the square of its error."""
    trust = np.square(spread) / np.maximum(np.square(spread) + np.square(error), 1e-18)
    found: Floats = trust * ours + (1 - trust) * usual
    return found


def _groups(bins: str) -> Any:
    """The coarse group of each place: its bin2 vector."""
    if bins == "bin2":
        return np.arange(len(domain(bins)))
    vectors = domain(bins)
    coarse = np.concatenate([vectors[:, :1] > 0.25, vectors[:, 1:] >= 0.5], axis=1)
    return coarse @ (2 ** np.arange(vectors.shape[1] - 1, -1, -1))
