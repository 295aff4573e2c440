"""What is promised to one person: ε, δ and the kind of promise."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from crowdlog.errors import InputError
from crowdlog.number_format import rounded_up
from crowdlog.privacy.rounding import sum_up

Kind = Literal[
    "pure DP",
    "approximate DP",
    "probabilistic DP",
    "k-anonymity of queries",
    "semantic k-anonymity of queries",
    "k-anonymity of users",
    "none",
]
# The kinds with a k, and what is true of everything that is published.
ANONYMITY: dict[str, str] = {
    "k-anonymity of queries": "Everything that is published was done by at least {k} people",
    "semantic k-anonymity of queries": "At least {k} people stand behind every published query and the "
    "published queries like it",
    "k-anonymity of users": "Every history that is published is that of at least {k} people",
}
UNIT = "one user, added or removed"


@dataclass(frozen=True)
class Guarantee:
    """An (ε, δ) promise between logs that differ in one unit.

    Both numbers are upper bounds: whoever makes one rounds up.

    k-anonymity is another kind of promise, with a k in the place of a finite ε (ANONYMITY).
    """

    epsilon: float
    delta: float
    kind: Kind
    unit: str = UNIT
    k: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise InputError(
                f"The kind of a guarantee must be one of {', '.join(get_args(Kind))}. Got {self.kind}."
            )
        if not self.epsilon >= 0:
            raise InputError(f"The ε of a guarantee must be at least 0. Got {self.epsilon}.")
        if not 0 <= self.delta <= 1:
            raise InputError(f"The δ of a guarantee must be from 0 to 1. Got {self.delta}.")
        if self.kind in ("none", *ANONYMITY) and math.isfinite(self.epsilon):
            raise InputError(f"No differential privacy means an infinite ε. Got {self.epsilon}.")
        if (self.k is not None) != (self.kind in ANONYMITY) or (self.k is not None and self.k < 2):
            raise InputError(
                f"k-anonymity, and nothing else, has a k of at least 2. Got {self.k} for {self.kind}."
            )
        if self.kind == "pure DP" and (self.delta > 0 or math.isinf(self.epsilon)):
            raise InputError(
                "Pure differential privacy has a finite ε and δ = 0. "
                f"Got ε = {self.epsilon} and δ = {self.delta}."
            )

    @property
    def protects(self) -> bool:
        """Whether there is a differential privacy to be charged and audited."""
        return math.isfinite(self.epsilon) and self.delta < 1

    @property
    def family(self) -> Literal["dp", "k-anonymity", "none"]:
        """What is guaranteed, in one word for programs."""
        if self.protects:
            return "dp"
        return "none" if self.k is None else "k-anonymity"

    def __str__(self) -> str:
        if self.k is not None:
            true = ANONYMITY[self.kind].format(k=self.k)
            return f"{true} ({self.kind}). It is no differential privacy: who knows enough can learn more."
        if not self.protects:
            return "No guarantee: what is published may show what one person did."
        factor = (
            f"at most {rounded_up(math.exp(self.epsilon))} times as likely"
            if self.epsilon < 700
            else f"at most e^{self.epsilon:g} times as likely"
        )
        sentence = (
            f"Any result is {factor} with one person's searches in the log as without them, "
            f"or the other way round (ε = {rounded_up(self.epsilon)})"
        )
        if self.delta == 0:
            return f"{sentence}, without exception."
        failing = (
            f"except with a probability of {rounded_up(self.delta)}"
            if self.kind == "probabilistic DP"
            else f"apart from a chance of {rounded_up(self.delta)}"
        )
        return f"{sentence}, {failing} (δ)."


NO_GUARANTEE = Guarantee(math.inf, 1.0, "none")


def anonymity(k: int, kind: Kind = "k-anonymity of queries") -> Guarantee:
    """k-anonymity of this kind; for k = 1 nothing is promised."""
    return Guarantee(math.inf, 1.0, kind, k=k) if k > 1 else NO_GUARANTEE


def pure(epsilon: float) -> Guarantee:
    """Pure differential privacy with this ε."""
    return Guarantee(epsilon, 0.0, "pure DP")


def approximate(epsilon: float, delta: float) -> Guarantee:
    """Approximate differential privacy; pure where δ is 0."""
    return Guarantee(epsilon, min(delta, 1.0), "approximate DP" if delta > 0 else "pure DP")


def compose(guarantees: Iterable[Guarantee]) -> Guarantee:
    """The promise of publishing everything together: ε and δ add up (exactly, rounded up once).

    A probabilistic promise implies the approximate one with the same numbers; only alone it stays
    probabilistic.
    """
    parts = list(guarantees)
    if len(parts) == 1:
        return parts[0]
    if {part.kind for part in parts} == {"k-anonymity of queries"}:
        return anonymity(min(part.k or 1 for part in parts))
    if any(math.isinf(part.epsilon) for part in parts):
        return NO_GUARANTEE
    if len({part.unit for part in parts}) > 1:
        raise InputError("Guarantees for different units cannot be added up.")
    return approximate(sum_up(part.epsilon for part in parts), sum_up(part.delta for part in parts))
