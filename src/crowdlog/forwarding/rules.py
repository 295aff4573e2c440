"""The rules of a simulation: what the seed fixes, and what it leaves open."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from crowdlog.errors import InputError
from crowdlog.forwarding.kernels import NEVER_TWICE, OWN_BACK, SEED, CompiledRules
from crowdlog.forwarding.protocol import MOST_COPIES, THETA, UNIT, ZETA

# What becomes of a query that would come back to somebody who carried it.
RETURNS = {"source never": SEED, "own back": OWN_BACK, "never twice": NEVER_TWICE}


@dataclass(frozen=True)
class Rules:
    """Shares and probabilities are fractions of 1.

    `returns`: "source never" (a source does not take her own query back, forwarders may see one again: the
    reading that gives the seed's numbers), "own back" (everybody takes everything) or "never twice" (nobody
    takes a query that she has carried: what the node does). `per_query`: the cut of the list is drawn anew
    for every query instead of once per test. `offline`: share of rounds in which a user does not answer.
    `leave`: probability that somebody who accepted leaves before the answer came, so that the search fails.
    """

    zeta: float = ZETA / UNIT
    theta: tuple[float, float] = (THETA[0] / UNIT, THETA[1] / UNIT)
    copies: int = MOST_COPIES
    per_query: bool = False
    shuffled: bool = False
    returns: str = "source never"
    selfish: float = 0.0
    offline: float = 0.0
    leave: float = 0.0

    def __post_init__(self) -> None:
        shares = {"zeta": self.zeta, "selfish": self.selfish, "offline": self.offline, "leave": self.leave}
        for name, value in {**shares, "theta": self.theta[0], "theta's end": self.theta[1]}.items():
            if not 0 <= value <= 1:
                raise InputError(f"'{name}' must lie between 0 and 1. Got {value:g}.")
        if self.theta[0] > self.theta[1]:
            raise InputError(
                f"theta runs from its lower to its upper end. Got {self.theta[0]:g} to {self.theta[1]:g}."
            )
        if not 1 <= self.copies <= 1000:
            raise InputError(f"'copies' must be 1 to 1000. Got {self.copies}.")
        if self.returns not in RETURNS:
            raise InputError(f"'returns' must be one of {', '.join(RETURNS)}. Got {self.returns}.")

    def setting(self, seed: int) -> CompiledRules:
        """Return the rules as integers, for the compiled code."""
        return CompiledRules(
            seed=seed,
            zeta=_units(self.zeta),
            theta_low=_units(self.theta[0]),
            theta_high=_units(self.theta[1]),
            most_copies=self.copies,
            per_query=self.per_query,
            shuffled=self.shuffled,
            returns=RETURNS[self.returns],
            offline=_units(self.offline),
            leave=_units(self.leave),
        )

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "theta": list(self.theta)}


def _units(share: float) -> int:
    return round(share * UNIT)
