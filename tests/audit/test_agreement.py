"""A plan whose parts do not agree is found without a draw, whatever its parameters are called."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crowdlog.audit.agreement import disagreements
from crowdlog.mechanisms import parse
from crowdlog.plan.bounds import FirstOccurrences
from crowdlog.privacy.noise import DiscreteLaplace
from crowdlog.release.promise import promise_of
from tests.mechanisms.test_every_mechanism import PROTECTING
from tests.support.toy import TopK


@pytest.mark.parametrize("spelling", PROTECTING)
def test_a_correct_mechanism_agrees_with_itself(spelling):
    assert disagreements(parse(spelling)) == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"bound": FirstOccurrences(9)}, {"bound of clicks", "ε asked for"}),
        ({"noise": DiscreteLaplace(1.0)}, {"ε asked for"}),
    ],
)
def test_a_plan_that_declares_its_fault_is_alarmed(change, where, monkeypatch):
    mechanism = TopK(loss=2.0, slack=1e-6, contribution=3)
    faulty = promise_of([replace(mechanism.plan[0], **change)], unprotected=(), proof="tests")
    monkeypatch.setattr(TopK, "promise", lambda _self: faulty)
    found = disagreements(TopK(loss=2.0, slack=1e-6, contribution=3))
    assert all(finding.alarm for finding in found)
    assert {finding.where for finding in found} == where
