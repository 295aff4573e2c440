"""What ε and δ mean for one person, in words."""

from __future__ import annotations

import math
from fractions import Fraction

from crowdlog.number_format import number
from crowdlog.privacy.guarantee import ANONYMITY, Guarantee

_DOUBT = "Somebody who thinks it as likely as not (50 %) that your searches are in the log"
# 100 % alone sounds as if something were promised.
_NO_LIMIT = " 100 % is hardly a limit: they may be all but certain that your searches are in it."


def posterior_bound(epsilon: float, prior: float = 0.5) -> float:
    """The largest belief that `prior` can become by seeing an ε-private release (Bayes)."""
    if epsilon > 700:
        return 1.0
    factor = math.exp(epsilon)
    return factor * prior / (factor * prior + 1 - prior)


def right_guesses(epsilon: float, delta: float) -> float:
    """How often somebody who thought 50 % is right at most: (e^ε + δ)/(e^ε + 1)."""
    sure = posterior_bound(epsilon)
    return sure + delta * (1 - sure)


def meaning_for_one_person(guarantee: Guarantee) -> str:
    """A sentence a layperson understands."""
    if guarantee.k is not None:
        true = ANONYMITY[guarantee.kind].format(k=guarantee.k)
        if guarantee.kind == "k-anonymity of users":  # they share the history, not the texts in it
            return (
                f"{true}. A search in it may be one person's own text, and several published things together "
                "may still point at you."
            )
        if guarantee.kind == "semantic k-anonymity of queries":
            return (
                f"{true}. A published text may be one person's own, and several published things together "
                "may still point at you."
            )
        return (
            f"{true}. What all of these have in common is shown, and several published things together may "
            "still point at you."
        )
    if not guarantee.protects:
        return "There is no mathematical promise to any one person."
    approximate = guarantee.kind == "approximate DP"
    sentence = _guess(guarantee) if approximate else _belief(guarantee)
    return sentence + _NO_LIMIT if _percent(posterior_bound(guarantee.epsilon)) == "100" else sentence


def _belief(guarantee: Guarantee) -> str:
    """Bayes, for every result; with probabilistic differential privacy for all results but those of δ."""
    sentence = (
        f"{_DOUBT} can be at most {_percent(posterior_bound(guarantee.epsilon))} % sure after seeing this "
        "release, whatever else they know."
    )
    if guarantee.delta > 0:
        sentence += f" With a probability of at most 1 in {_rare(guarantee.delta)} this promise may fail."
    return sentence


def _guess(guarantee: Guarantee) -> str:
    """With approximate differential privacy a result that makes somebody surer may be likelier than δ: true
    are the share of right guesses, (e^ε + δ)/(e^ε + 1), and the chance of what is impossible without her, δ.
    """
    right = right_guesses(guarantee.epsilon, guarantee.delta)
    return (
        f"{_DOUBT}, and guesses after seeing this release, is right with a probability of at most "
        f"{_percent(right)} %, whatever else they know. With a probability of at most 1 in "
        f"{_rare(guarantee.delta)} it shows something that could not be there without you."
    )


def _percent(share: float) -> str:
    """Rounded up: the sentence never promises more than ε does. (1e-9: what Python's floats are off by.)"""
    percent = 100 * min(share, 1.0) - 1e-9
    return f"{math.ceil(percent)}" if percent < 99 else f"{math.ceil(percent * 100) / 100:g}"


def _rare(delta: float) -> str:
    """One in so many, rounded down: one in fewer is more likely.

    What comes after the twelfth digit of a float is no part of the number: 0.00001 is 1 in 100,000.
    """
    return number(math.floor(1 / Fraction(f"{delta:.12g}")))
