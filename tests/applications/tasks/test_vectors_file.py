"""The language-neutral vectors: extension/tests/tasks.test.ts reads the same file."""

import json
from pathlib import Path

import numpy as np
import pytest

from crowdlog.applications.tasks.find import find_tasks
from crowdlog.applications.tasks.model import load_model
from crowdlog.applications.tasks.pair_features import pair_matrix
from crowdlog.applications.tasks.personal import find_with_labels
from tests.applications.tasks.hand_made import block_of

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "tasks-v1.json").read_text(encoding="utf-8"))


def test_features_and_scores():
    model = load_model("default")
    for pair in VECTORS["pairs"]:
        # searches between the two have other texts, which the features do not look at
        filler = [{"query": "-", "time": pair["one"]["time"]}] * pair["between"]
        block = block_of([pair["one"], *filler, pair["other"]])
        found = pair_matrix(block.people, np.array([0]), np.array([pair["between"] + 1]))
        assert found[0] == pytest.approx(pair["features"], abs=1e-12)
        assert model.scores(found)[0] == pytest.approx(pair["score"], abs=1e-9)


def test_tasks_of_histories():
    model = load_model("default")
    for history in VECTORS["histories"]:
        block = block_of(history["searches"])
        if history["known"] is None:
            found = find_tasks(block, model)
        else:
            found = find_with_labels(block, model, np.array(history["known"]), "gscore")
        assert found.tolist() == history["tasks"]


def test_figure_2_2_has_two_tasks():
    """Florida resorts, Daytona beach hotels, garden hoses, flights to Florida: tasks 1 1 2 1."""
    texts = ["florida resorts", "daytona beach hotels", "garden hoses", "flights to florida"]
    block = block_of([{"query": text, "time": 40 * at} for at, text in enumerate(texts)])
    found = find_with_labels(block, load_model("default"), np.array([0, 0, 1, -1]), "gscore")
    assert found.tolist() == [0, 0, 2, 0]
