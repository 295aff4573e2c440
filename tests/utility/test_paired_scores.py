import numpy as np
import pytest

from crowdlog.measure.ragged import Lists, from_rows, one_each
from crowdlog.utility.paired_scores import Topics, compare_rankers, joined, scored


class Fixed:
    """Answers query q with the list given for it."""

    def __init__(self, answers):
        self.answers = answers

    def knows(self, queries: Lists):
        return np.array([int(q) in self.answers for q in queries.items])

    def rank(self, queries: Lists):
        found = [self.answers[int(q)] for q in queries.items]
        return from_rows(
            np.repeat(np.arange(len(found)), [len(x) for x in found]),
            [i for x in found for i in x],
            len(found),
        )


def topics(n, group=None):
    """The right answer to query q is URL q."""
    return Topics(
        one_each(np.arange(n)), one_each(np.arange(n)), np.arange(n) if group is None else np.array(group)
    )


def test_a_release_that_answers_only_easy_queries_is_seen_through():
    everything = Fixed({q: [q] if q < 5 else [99, q] for q in range(20)})  # the first five are easy
    easy = Fixed({q: [q] for q in range(5)})
    found = scored("task", compare_rankers(topics(20), easy, everything, ["RR"], sample=0, seed=0), "RR", 0)
    assert found.name == "task:RR"
    assert found.value == 1.0
    assert found.evaluated == 5
    assert found.details["original"] == pytest.approx((5 + 15 / 2) / 20)  # lower, but on all twenty
    assert found.details["released_on_common"] == found.details["original_on_common"] == 1.0
    assert found.details["common"] == 5
    assert found.details["p_value"] == 1.0
    assert found.details["unanswered_as_zero"] == 0.25
    assert found.details["original_unanswered_as_zero"] == found.details["original"]


def test_groups_count_once():
    trial = compare_rankers(
        topics(4, [0, 0, 0, 1]),
        Fixed({0: [0], 1: [1], 2: [9], 3: [9]}),
        Fixed({0: [9], 3: [3]}),
        ["RR"],
        sample=0,
        seed=0,
    )
    found = scored("task", trial, "RR", 0)
    assert found.value == pytest.approx((2 / 3 + 0) / 2)
    assert found.evaluated == 2
    assert found.details["released_on_common"] == pytest.approx((1 + 0) / 2)  # topics 0 and 3 only
    assert found.details["original_on_common"] == pytest.approx((0 + 1) / 2)
    assert found.details["asked"] == 2


def test_a_sample_is_drawn_from_what_each_can_answer():
    original, released = Fixed({q: [q] for q in range(1000)}), Fixed({q: [0] for q in range(0, 1000, 100)})
    found = scored(
        "task", compare_rankers(topics(1000), released, original, ["RR"], sample=50, seed=4), "RR", 4
    )
    assert found.evaluated == 10  # all the release can answer
    assert found.details["common"] == 10
    assert found.details["original_evaluated"] == 50
    assert found.details["original_answered"] == 1000
    assert found.value == pytest.approx(0.1)  # only query 0


def test_nothing_answered_is_no_score():
    found = scored(
        "task", compare_rankers(topics(3), Fixed({}), Fixed({0: [0]}), ["RR"], sample=0, seed=0), "RR", 0
    )
    assert (found.value, found.evaluated, found.interval) == (None, 0, None)
    assert found.details["p_value"] is None
    assert found.details["unanswered_as_zero"] == 0.0


def test_folds_are_joined():
    trials = [
        compare_rankers(topics(2), Fixed({0: [0]}), Fixed({0: [0], 1: [5]}), ["RR"], sample=0, seed=0)
        for _fold in range(3)
    ]
    found = scored("task", joined(trials), "RR", 0)
    assert found.evaluated == 3
    assert found.details["original_evaluated"] == found.details["asked"] == 6
    assert found.details["original"] == 0.5
