"""A promise that contradicts itself is alarmed without a draw, though no mechanism should make one."""

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
from tests.support.unchecked import unchecked


@pytest.mark.parametrize("spelling", PROTECTING)
def test_a_correct_mechanism_agrees_with_itself(spelling):
    assert disagreements(parse(spelling)) == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"bound": FirstOccurrences(9)}, {"bound of clicks"}),
        ({"noise": DiscreteLaplace(1.0)}, {"ε promised"}),
        ({"noise": None}, {"noise of clicks"}),
    ],
)
def test_a_plan_that_got_past_the_refusal_is_alarmed(change, where, monkeypatch):
    mechanism = TopK(loss=2.0, slack=1e-6, contribution=3)
    promise = unchecked(mechanism.promise(), tables=(replace(mechanism.plan[0], **change),))
    monkeypatch.setattr(TopK, "promise", lambda _self: promise)
    found = disagreements(TopK(loss=2.0, slack=1e-6, contribution=3))
    assert all(finding.alarm for finding in found)
    assert {finding.where for finding in found} == where


def test_a_dearer_promise_that_got_past_the_refusal_is_alarmed(monkeypatch):
    quiet = replace(TopK(loss=2.0, slack=1e-6, contribution=3).plan[0], noise=DiscreteLaplace(1.0))
    dearer = promise_of([quiet], unprotected=(), proof="tests")
    monkeypatch.setattr(TopK, "promise", lambda _self: dearer)
    (found,) = disagreements(TopK(loss=2.0, slack=1e-6, contribution=3))
    assert (found.where, found.alarm) == ("ε asked for", True)
