"""What ε and δ mean in words: the exact number, rounded to the side that promises less, and no further."""

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.privacy.guarantee import anonymity, approximate, pure
from crowdlog.release.explain import protects
from crowdlog.release.meaning import meaning_for_one_person, right_guesses

FIGURES = [float(f"{digit}e-{power}") for digit in (1, 2, 3, 4, 5, 8) for power in range(1, 20)]


def one_in(delta: float) -> int:
    said = meaning_for_one_person(approximate(1.0, delta))
    return int(re.search(r"at most 1 in ([\d,]+)", said)[1].replace(",", ""))


@pytest.mark.parametrize("delta", FIGURES)
def test_a_delta_as_people_write_it_is_told_as_they_read_it(delta):
    """δ = 0.00001 is 1 in 100,000, not the 1 in 99,999 that floats make of it."""
    assert one_in(delta) == math.floor(1 / Fraction(str(delta)))


@given(st.floats(1e-25, 0.4))
def test_what_happens_by_delta_is_never_told_rarer_than_it_is(delta):
    """Beyond the twelfth digit, which is no part of the number, and never by more than one."""
    exact = 1 / Fraction(delta)
    assert exact * (1 - Fraction(1, 10**11)) - 1 <= one_in(delta) <= exact * (1 + Fraction(1, 10**11))


@given(st.floats(0.01, 20), st.floats(1e-12, 0.4))
def test_right_guesses_are_those_of_the_best_test(epsilon, delta):
    """(e^ε + δ) / (e^ε + 1), what two hypotheses that are ε, δ apart admit."""
    assert right_guesses(epsilon, delta) == pytest.approx(
        (math.exp(epsilon) + delta) / (math.exp(epsilon) + 1), rel=1e-12
    )


@pytest.mark.parametrize("epsilon", [11.0, 50.0, 200.0])
def test_a_hundred_per_cent_is_said_to_be_no_limit(epsilon):
    """'At most 100 % sure' alone sounds as if something were promised."""
    for guarantee in (approximate(epsilon, 1e-7), pure(epsilon)):
        assert "at most 100 %" in meaning_for_one_person(guarantee)
        assert "hardly a limit" in meaning_for_one_person(guarantee)
    for guarantee in (approximate(9.0, 1e-7), pure(9.0)):
        assert "hardly a limit" not in meaning_for_one_person(guarantee)


def test_a_text_of_a_semantic_release_is_not_said_to_be_that_of_several_people():
    """k people stand behind the queries like it: the text itself often has one author."""
    semantic = anonymity(4, "semantic k-anonymity of queries")
    for said in (meaning_for_one_person(semantic), protects(semantic)):
        assert "one person's" in said
        assert "in common" not in said
        assert "common to" not in said


def test_searches_of_a_history_are_not_said_to_be_those_of_several_people():
    """Most texts of a representative have one author: k people share the history, not its texts."""
    histories, queries = anonymity(4, "k-anonymity of users"), anonymity(4, "k-anonymity of queries")
    for said in (meaning_for_one_person(histories), protects(histories)):
        assert "one person's" in said
        assert "in common" not in said
        assert "common to" not in said
    assert "have in common is shown" in meaning_for_one_person(queries)
    assert "common to several people" in protects(queries)
