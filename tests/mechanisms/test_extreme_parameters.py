"""Numbers at the ends of what a parameter can hold: a promise, or one sentence; never an error of ours."""

from __future__ import annotations

import dataclasses
import math
from contextlib import suppress

import numpy as np
import pytest

from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.keys import SELECTIONS
from crowdlog.mechanisms.parameters import spelled
from crowdlog.planning.plan import plan_release
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.privacy.selection.incidence import Incidence
from tests.mechanisms.test_every_mechanism import EXAMPLES

FLOATS = (5e-324, 1e-309, 1e-160, 1e-30, 1e15, 1e160, 1e308, math.nan, math.inf, -math.inf, -0.0, 10**400)
INTS = (-1, 2**31, 2**53 + 1, 2**61, 2**63, 2**70, 10**400)


def changed(mechanism):
    """The mechanism's numbers, each set to every extreme value in turn, and ε beyond the floats' e^ε."""
    for field in dataclasses.fields(mechanism):
        kind = spelled(field).removesuffix(" | None")
        if kind in ("float", "int"):
            values = FLOATS if kind == "float" else INTS
            yield from ({field.name: value} for value in values)
        if field.name == "epsilon":
            yield {"epsilon": 1000.0}


@pytest.mark.parametrize("spelling", [spellings[0] for spellings in EXAMPLES.values()])
def test_extreme_numbers_are_planned_with_or_refused(spelling):
    """One example of each: the others differ in words, not in numbers."""
    mechanism = parse(spelling)
    said = {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)}
    for change in changed(mechanism):
        with suppress(InputError, PrivacyRefusal):  # its own sentences; any other error fails
            plan_release(type(mechanism)(**said | change))


def test_what_cannot_be_computed_names_the_extreme_parameter():
    with pytest.raises(InputError, match=r"The 'weight_clicks' parameter of AClick is too extreme.*1e-309"):
        parse("AClick(epsilon=4, q_f=2, weight_clicks=1e-309)").promise()


@pytest.mark.parametrize("spelling", ["Crowd(epsilon=1000, delta=1e-6)", "Crowd(epsilon=1000, delta=1e-9)"])
def test_a_large_epsilon_is_told_as_such(spelling):
    """Nothing else is far from 1, or δ is, which is not what is in the way."""
    with pytest.raises(InputError, match="The 'epsilon' parameter of Crowd is too extreme"):
        parse(spelling).promise()


def test_a_weight_that_leaves_no_chance_to_a_threshold_is_refused_at_once():
    with pytest.raises(InputError, match="The 'weight_select' parameter of Crowd is too extreme"):
        parse("Crowd(epsilon=4, delta=1e-9, weight_select=1e-309)").promise()


def test_a_fault_of_a_mechanism_at_usual_numbers_stays_its_own():
    @dataclasses.dataclass(frozen=True, repr=False)
    class Divides(Mechanism):
        def promise(self):
            return 1 / 0

    with pytest.raises(ZeroDivisionError):
        Divides().promise()


@pytest.mark.parametrize(
    "spelling",
    [
        "Crowd(epsilon=2.3, delta=1e-6, weight_pairs=1e-12)",
        "Crowd(epsilon=1e-6, delta=1e-6)",
        "Keys(epsilon=1e-8, delta=1e-6)",
        "Keys(epsilon=0.05, delta=1e-6, selection='mad2r')",
        "Keys(epsilon=1e-6, delta=1e-6, selection='sips')",
        "Keys(epsilon=1e-6, delta=1e-9, selection='weighted')",
        "Ladder(epsilon=2.3, delta=1e-6, people=60, weight_words=1e-9)",
        "Ladder(epsilon=2.3, delta=1e-6, people=60000, weight_clicks=1e-9)",
        "Ladder(epsilon=2.3, delta=1e-6, people=60000, weight_pairs=1e-9)",
    ],
)
def test_noise_of_a_selection_that_cannot_be_drawn_is_refused_by_the_promise(spelling):
    """It was told when the noise was drawn, after the release had been paid for."""
    with pytest.raises(InputError, match=r"The sigma of rounded Gaussian noise must be.*larger ε"):
        parse(spelling).promise()


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("epsilon", [0.5, 0.05, 1e-3, 1e-6, 1e-9])
def test_a_selection_that_promises_can_draw_its_noise(selection, epsilon):
    keys = parse(f"Keys(epsilon={epsilon}, delta=1e-6, selection='{selection}')")
    choosing, _counting = keys.shares()
    try:
        keys.promise()
    except InputError:
        return
    incidence = Incidence(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
    keys.method().select(incidence, choosing.epsilon, choosing.delta, SeededRandomness(1))
