"""What ε and δ mean for one person, in words."""

from __future__ import annotations

import math

from crowdlog.number_format import number
from crowdlog.privacy.guarantee import ANONYMITY, Guarantee


def posterior_bound(epsilon: float, prior: float = 0.5) -> float:
    """The largest belief that `prior` can become by seeing an ε-private release (Bayes)."""
    if epsilon > 700:
        return 1.0
    factor = math.exp(epsilon)
    return factor * prior / (factor * prior + 1 - prior)


def meaning_for_one_person(guarantee: Guarantee) -> str:
    """A sentence a layperson understands."""
    if guarantee.k is not None:
        true = ANONYMITY[guarantee.kind].format(k=guarantee.k)
        return (
            f"{true}. What all of these have in common is shown, and several published things together may "
            "still point at you."
        )
    if not guarantee.protects:
        return "There is no mathematical promise to any one person."
    percent = 100 * posterior_bound(guarantee.epsilon)
    shown = f"{percent:.0f}" if percent < 99 else f"{math.floor(percent * 100) / 100:g}"
    sentence = (
        "Somebody who thinks it as likely as not (50 %) that your searches are in the log, or that you "
        "searched for a certain thing, "
        f"can be at most {shown} % sure after seeing this release, whatever else they know."
    )
    if guarantee.delta > 0:
        # rounded down: one in fewer is more likely, so the sentence never promises more than δ does
        rare = number(math.floor(1 / guarantee.delta))
        sentence += f" With a probability of at most 1 in {rare} this promise may fail."
    return sentence
