"""Figure 6.6 of Feild 2013, number by number."""

import json
from pathlib import Path

import pytest

from crowdlog.applications.recommendation.weights import (
    context_weights,
    same_task_by_cluster,
    task_distances,
)

FIGURE_6_6 = {
    "decay": [0.41, 0.51, 0.64, 0.8, 1],
    "soft": [0.33, 0.10, 0.06, 0.72, 1],
    "firm1": [0.33, 0, 0, 0.72, 1],
    "firm2": [0.51, 0, 0, 0.72, 1],
    "hard": [0.64, 0, 0, 0.8, 1],
}
VECTORS = json.loads(
    (Path(__file__).parents[2] / "vectors" / "recommend-v1.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("model", FIGURE_6_6)
def test_figure_6_6(model):
    weights = context_weights(model, [0.8, 0.2, 0.1, 0.9, 1])
    assert [round(weight, 2) for weight in weights] == FIGURE_6_6[model]


def test_a_mixture_with_decay():
    firm, decay = (context_weights(model, [0.8, 0.1, 1]) for model in ("firm2", "decay"))
    mixed = context_weights("firm2", [0.8, 0.1, 1], lam=0.25)
    assert mixed == pytest.approx([0.25 * f + 0.75 * d for f, d in zip(firm, decay, strict=True)])


def test_steps_on_the_list_of_queries_on_task():
    """q1 of {q1, q4, q5} is two steps back."""
    assert [task_distances([0.8, 0.2, 0.1, 0.9, 1], 0.2)[i] for i in (0, 3, 4)] == [2, 1, 0]


def test_sametask_2_reaches_through_the_cluster():
    """Figure 6.5's point: q1 is near q3 alone, and q3 is near the reference; q2 is near nothing."""
    scores = [[0, 0, 0.6, 0.1], [0, 0, 0, 0], [0.6, 0, 0, 0.5], [0.1, 0, 0.5, 0]]
    assert same_task_by_cluster(scores) == [0.6, 0.0, 0.6, 1.0]


def test_the_language_neutral_vectors():
    for row in VECTORS["weights"]:
        assert context_weights(row["model"], row["sametask"], lam=row["lambda"]) == pytest.approx(
            row["weights"]
        )
