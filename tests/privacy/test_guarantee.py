"""Guarantees: what they say, how they add up, what is refused."""

import math
from fractions import Fraction

import pytest

from crowdlog.errors import InputError
from crowdlog.privacy.guarantee import NO_GUARANTEE, Guarantee, anonymity, approximate, compose, pure


def test_sentences_name_the_numbers() -> None:
    assert str(pure(math.log(10))).startswith("Any result is at most 10 times as likely")
    assert "without exception" in str(pure(1.0))
    assert "apart from a chance of 1e-06 (δ)" in str(approximate(1.0, 1e-6))
    assert "except with a probability of 1e-06" in str(Guarantee(1.0, 1e-6, "probabilistic DP"))
    assert str(NO_GUARANTEE).startswith("No guarantee")
    assert "e^1730.82" in str(pure(1730.82))


def test_numbers_are_shown_rounded_up() -> None:
    assert "ε = 1.001" in str(pure(1.00001))
    assert "a chance of 4.941e-324" in str(approximate(1.0, 5e-324))
    assert "ε = 0.1)" in str(pure(0.1))


def test_composition_adds_exactly_and_rounds_up() -> None:
    whole = compose([approximate(0.1, 1e-6)] * 10)
    assert Fraction(whole.epsilon) >= 10 * Fraction(0.1)
    assert whole.epsilon == math.nextafter(1.0, 2.0)
    assert whole.kind == "approximate DP"
    assert compose([pure(1.0), pure(2.0)]) == pure(3.0)
    assert compose([]) == pure(0.0)


def test_a_probabilistic_promise_alone_stays_one_and_together_is_approximate() -> None:
    alone = Guarantee(1.0, 1e-6, "probabilistic DP")
    assert compose([alone]) == alone
    assert compose([alone, pure(1.0)]) == approximate(2.0, 1e-6)


def test_one_unprotected_part_unprotects_the_whole() -> None:
    assert compose([pure(1.0), NO_GUARANTEE]) == NO_GUARANTEE
    assert not NO_GUARANTEE.protects
    assert not approximate(1.0, 1.0).protects
    assert pure(1.0).protects


def test_different_units_do_not_add_up() -> None:
    with pytest.raises(InputError, match="units"):
        compose([pure(1.0), Guarantee(1.0, 0.0, "pure DP", unit="one query")])


@pytest.mark.parametrize(
    ("epsilon", "delta", "kind"),
    [
        (-1.0, 0.0, "pure DP"),
        (math.nan, 0.0, "pure DP"),
        (1.0, 1e-9, "pure DP"),
        (math.inf, 0.0, "pure DP"),
        (1.0, 1.5, "approximate DP"),
        (1.0, 0.0, "strong"),
        (1.0, 0.0, "none"),
    ],
)
def test_impossible_guarantees_are_refused(epsilon: float, delta: float, kind: str) -> None:
    with pytest.raises(InputError):
        Guarantee(epsilon, delta, kind)  # type: ignore[arg-type]


def test_k_anonymity_is_a_promise_of_its_own():
    of_queries, semantic = anonymity(20), anonymity(5, "semantic k-anonymity of queries")
    assert (of_queries.kind, of_queries.k, of_queries.protects) == ("k-anonymity of queries", 20, False)
    assert "at least 20 people" in str(of_queries)
    assert "no differential privacy" in str(of_queries)
    assert "queries like it" in str(semantic)
    assert anonymity(1) == NO_GUARANTEE
    assert compose([of_queries, anonymity(7)]) == anonymity(7)
    assert compose([of_queries, semantic]) == NO_GUARANTEE
    assert compose([of_queries, pure(1)]) == NO_GUARANTEE


@pytest.mark.parametrize(
    ("kind", "k"), [("k-anonymity of queries", None), ("k-anonymity of users", 1), ("none", 5)]
)
def test_a_k_belongs_to_k_anonymity(kind, k):
    with pytest.raises(InputError, match="k of at least 2"):
        Guarantee(math.inf, 1.0, kind, k=k)
