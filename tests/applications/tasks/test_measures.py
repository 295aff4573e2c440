import numpy as np
import pytest

from crowdlog.applications.tasks.agreement import fleiss_kappa
from crowdlog.applications.tasks.measures import score_person, summary
from crowdlog.errors import InputError


def test_by_hand():
    """Truth aab b, found aabb with one search in the wrong task."""
    score = score_person(list("aabb"), list("xxxy"), [0] * 4)
    assert (score.both, score.found_only, score.true_only, score.neither) == (1, 2, 1, 2)
    figures = summary([score])
    value = {name: figure["value"] for name, figure in figures.items() if isinstance(figure, dict)}
    assert value["accuracy"] == value["rand"] == pytest.approx(3 / 6)
    assert value["pair_f1"] == pytest.approx(2 / 5)
    assert value["jaccard"] == pytest.approx(1 / 4)
    assert value["best_match_f"] == pytest.approx((2 * 0.8 + 2 * (2 / 3)) / 4)
    # B³ precision: (2/3 + 2/3 + 1/3 + 1)/4, recall: (1 + 1 + 1/2 + 1/2)/4
    precision, recall = (2 / 3 + 2 / 3 + 1 / 3 + 1) / 4, 3 / 4
    assert value["b3"] == pytest.approx(2 * precision * recall / (precision + recall))
    assert value["break_f1"] == 0


def test_all_same_is_one_minus_all_different():
    truth = np.random.default_rng(1).integers(0, 4, 30)
    same = summary([score_person(truth, np.zeros(30), np.zeros(30))])["accuracy"]["value"]
    different = summary([score_person(truth, np.arange(30), np.zeros(30))])["accuracy"]["value"]
    assert same == pytest.approx(1 - different)


def test_pairs_of_different_units_are_not_scored():
    score = score_person([1, 1, 2, 2], [1, 1, 1, 1], ["a", "a", "b", "b"])
    assert (score.both, score.found_only, score.true_only, score.neither) == (2, 0, 0, 0)
    assert score.breaks == (0, 0, 0)


def test_fleiss_kappa_of_his_paper():
    """The table of 10 things, 14 raters and 5 categories that is printed with the measure: κ = .210."""
    votes = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert fleiss_kappa(np.array(votes)) == pytest.approx(0.210, abs=5e-4)
    with pytest.raises(InputError):
        fleiss_kappa(np.array([[1, 0]]))
