"""Synthetic studies with a planted logistic effect: there is no public frustration data."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crowdlog.applications.frustration.study import COLUMNS
from crowdlog.files.whole import write_whole
from crowdlog.types import Floats

# Of a person's values in units of her own spread; frustration is long tasks with many actions.
PLANTED = np.array([0.4, -0.3, 1.2, 0.9, 0.0])
OWN_SPREAD = 0.5  # of each person's own coefficients around these: what a local model can learn
TASKS, SEARCHES = 7, 5


def write_study(path: str | Path, people: int, seed: int) -> int:
    """People with 7 tasks of 5 searches; labels 0 or 1 drawn from the planted chances. Returns the number of
    searches.
    """
    generator = np.random.default_rng(seed)
    lines = ["\t".join(COLUMNS)]
    for person in range(people):
        own = PLANTED + OWN_SPREAD * generator.standard_normal(len(PLANTED))
        lines += _person(person, own, generator)
    write_whole(Path(path), "\n".join(lines) + "\n")
    return len(lines) - 1


def _person(person: int, own: Floats, generator: np.random.Generator) -> list[str]:
    rows, features = [], []
    clock = 0
    for task in range(TASKS):
        begin, actions = clock, generator.poisson(generator.gamma(2.0, 2.0), SEARCHES)
        steps = generator.integers(10, 120, SEARCHES) * generator.integers(1, 6)
        for search in range(SEARCHES):
            words = ["x" * int(generator.integers(2, 10)) for _word in range(generator.integers(1, 6))]
            query = " ".join(words)
            end = clock + int(steps[search])
            urls = int(generator.poisson(2))
            rows.append([person, task, search, clock, end, query, int(actions[search]), urls])
            features.append([len(query), np.mean([len(word) for word in words]), 0, actions.sum(), 0])
            clock = end
        for row in features[-SEARCHES:]:
            row[2] = clock - begin
        clock += 3600
    values = np.array(features, np.float64)
    scaled = (values - values.mean(axis=0)) / np.where(values.std(axis=0) > 0, values.std(axis=0), 1)
    chance = 1 / (1 + np.exp(-(scaled @ own)))
    labels = (generator.random(len(rows)) < chance).astype(int)
    return ["\t".join(map(str, [*row, label])) for row, label in zip(rows, labels.tolist(), strict=True)]
