"""The audit of people who take part by lot hears seeded faults, each by the audit named for it."""

import dataclasses

import numpy as np
import pytest

from crowdlog.audit import taking_part
from crowdlog.audit.report import audit
from crowdlog.mechanisms.nebula import Nebula
from crowdlog.plan import decide
from crowdlog.privacy import sampled_counts
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.unchecked import unchecked

NEBULA = Nebula(epsilon=1.0, delta=1e-6, p=0.105, d=2, k=20)


def alarms(mechanism=NEBULA, runs=4) -> set[str]:
    return {finding.audit for finding in audit(mechanism, runs=runs, randomness=SeededRandomness(9)).alarms}


def drawing(change):
    """Draws of the mechanism, changed."""
    true = sampled_counts.draw_participants
    return lambda people, millionths, least, randomness: change(true, people, millionths, least, randomness)


FAULTS = {
    "one more than took part": ("selection", lambda true, *a: true(*a) + 1),
    "a tenth more take part": (
        "selection",
        lambda true, people, millionths, least, r: true(people, millionths * 11 // 10, least, r),
    ),
    "always the mean": ("noise", lambda _true, people, millionths, _l, _r: people * millionths // 1_000_000),
    "everybody draws the same": (
        "independence",
        lambda true, people, *rest: (
            np.broadcast_to(true(people[:1], *rest), people.shape) if len(people) else people
        ),
    ),
    "a fixed seed": (
        "source",
        lambda true, people, millionths, least, _r: true(people, millionths, least, SeededRandomness(1)),
    ),
    "everybody takes part": (
        "delta",
        lambda _true, people, _m, least, _r: np.where(people >= least, people, 0),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_draws_is_heard(name, monkeypatch):
    heard, change = FAULTS[name]
    monkeypatch.setattr(decide, "draw_participants", drawing(change))
    assert heard in alarms()


@pytest.mark.slow
def test_a_client_that_draws_with_another_probability_is_heard(monkeypatch):
    true = taking_part.sampled
    monkeypatch.setattr(taking_part, "sampled", lambda items, m, r: true(items, 2 * m, r))
    found = audit(NEBULA, runs=2, randomness=SeededRandomness(9)).alarms
    assert {finding.where.partition(",")[0] for finding in found} == {"members"}


@dataclasses.dataclass(frozen=True, repr=False)
class PromisesTooMuch(Nebula):
    """Says a δ that its threshold does not give."""

    def promise(self):
        found = super().promise()
        return unchecked(found, guarantee=dataclasses.replace(found.guarantee, delta=1e-30))


def test_a_delta_that_is_promised_too_small_is_heard():
    mechanism = PromisesTooMuch(epsilon=1.0, delta=1e-6, p=0.105, d=1, k=20)
    (selection,) = (plan.selection for plan in mechanism.plan)
    assert taking_part._closed_form(selection, mechanism.promise().guarantee.delta).alarm
    assert not taking_part._closed_form(selection, NEBULA.promise().guarantee.delta).alarm
