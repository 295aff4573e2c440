"""A mechanism never promises a dearer ε or δ than its parameters ask for, whatever they are called."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from crowdlog.errors import PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.privacy.thresholds import Threshold
from crowdlog.release.promise import promise_of
from tests.support.toy import TopK


def declaring(change):
    """The toy whose plan declares its own fault."""

    @dataclass(frozen=True, repr=False)
    class Declaring(TopK):
        def promise(self):
            (table,) = super().promise().tables
            return promise_of([change(table)], unprotected=(), proof="tests")

        def opened(self, k):
            return self.promise()

    return Declaring(loss=2.0, slack=1e-6, contribution=3)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda plan: replace(plan, bound=FirstOccurrences(9)), "by 9; their threshold was made for 3"),
        (
            lambda plan: replace(plan, noise=DiscreteLaplace(plan.noise.scale / 3)),
            "ε = 4; loss asks for at most 2",
        ),
        (
            lambda plan: replace(
                plan,
                bound=FirstOccurrences(9),
                selection=NoisyThreshold.of(Threshold(plan.selection.scale, plan.selection.K, 9)),
            ),
            "loss asks for at most 2",
        ),
        (
            lambda plan: replace(plan, selection=replace(plan.selection, K=plan.selection.K - 5)),
            "slack asks for at most 1e-06",
        ),
    ],
)
@pytest.mark.parametrize("ask", [lambda toy: toy.promise(), lambda toy: toy.plan, lambda toy: toy.opened(5)])
def test_a_plan_that_declares_its_fault_is_refused(change, sentence, ask):
    with pytest.raises(PrivacyRefusal, match=sentence):
        ask(declaring(change))


def test_the_correct_toy_is_not_refused():
    assert (
        declaring(lambda plan: plan).promise().guarantee
        == TopK(loss=2.0, slack=1e-6, contribution=3).promise().guarantee
    )


def test_a_promise_of_nothing_is_no_dearer():
    mechanism = parse("Korolova(epsilon=1, delta=1e-6, d=2, urls='top-clicked')")
    assert not mechanism.promise().guarantee.protects


def test_a_refused_promise_releases_nothing(tmp_path):
    from crowdlog.release.publish import open_ledger, publish
    from tests.support.logs import crowd_rows, make_log

    log = make_log(tmp_path, crowd_rows(50, ["weather boston"]))
    with pytest.raises(PrivacyRefusal, match="not what it asks for"):
        publish(
            declaring(lambda plan: replace(plan, noise=DiscreteLaplace(1.0))),
            log,
            tmp_path / "out",
            i_know=True,
        )
    assert not (tmp_path / "out").exists()
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
