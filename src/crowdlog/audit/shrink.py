"""The same mechanism with parameters at which its promise can be seen to break in a few thousand samples.

Which parameter means what is said by its role (`mechanisms/parameters.py`), never by its name.
"""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from crowdlog.audit.declared import chooses_by_weights, first_table
from crowdlog.errors import InputError
from crowdlog.mechanisms.parameters import roles, with_role
from crowdlog.plan.selections import NoisyThreshold

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

# at which the statistical audits run: small thresholds, and e^ε is still seen in some thousand samples
EPSILON = 2.0
# for the ε audit, for the δ audit (a δ of 1e-6 would need 10^8 samples)
SMALL_DELTA, LARGE_DELTA = 1e-3, 0.05
KEYS = 2  # of one person that count
PEOPLE = 256  # of one world: the public bound on users, where a mechanism needs one
# keys that a person may spread her weight over in the ε audit: without a bound on its length she would have
# twice as much
SPREAD = 4
# a pool's threshold in scales of its noise: any is equally private, a low one needs small crowds
POOL_SCALES = 3
# how much more than all others together the step in focus gets; Gaussian noise adds in squares, so more is
# left
FOCUS, GAUSSIAN_FOCUS = 4, 12
OPTIONAL = ("clicks", "pairs")  # tables that a mechanism can leave out

Focus = Literal["all", "keys", "counts", "edges"]


def small(mechanism: Mechanism, delta: float) -> Mechanism:
    """ε = 2, this δ, and people who add little."""
    return _shrunk(mechanism, delta, KEYS)


def for_epsilon(mechanism: Mechanism) -> Mechanism:
    """Small, with the δ at which the ε audit sees most.

    Laplace noise spends its ε everywhere; Gaussian noise only in the tail that δ pays for.
    """
    items = min([SPREAD, *with_role(mechanism, "items").values()])
    return _shrunk(mechanism, LARGE_DELTA if chooses_by_weights(mechanism) else SMALL_DELTA, items)


def _shrunk(mechanism: Mechanism, delta: float, items: int) -> Mechanism:
    wanted: dict[str, Any] = {}
    for name, role in roles(mechanism).items():
        value = getattr(mechanism, name)
        match role.name:
            case "bound" if value is not None:
                wanted[name] = min(value, role.small)
            case "people" if value is not None:
                wanted[name] = PEOPLE
            case "free":
                wanted[name] = role.small
            case "threshold":
                wanted[name] = None
            case "items":
                wanted[name] = items
    wanted |= _promised(mechanism, EPSILON, delta)
    return _low_pool_threshold(replaced(mechanism, wanted))


def _promised(mechanism: Mechanism, epsilon: float, delta: float) -> dict[str, float]:
    """The parameters that ask for ε and δ, with these values."""
    found = {role.name: name for name, role in roles(mechanism).items()}
    if "epsilon" not in found:
        raise InputError(
            f"No parameter of {type(mechanism).__name__} has the role of ε, so it cannot be audited at "
            "another one."
        )
    return {found[role]: value for role, value in (("epsilon", epsilon), ("delta", delta)) if role in found}


def _low_pool_threshold(mechanism: Mechanism) -> Mechanism:
    selection = first_table(mechanism).selection
    if not isinstance(selection, NoisyThreshold) or not selection.public:
        return mechanism
    name = next(name for name, role in roles(mechanism).items() if role.name == "threshold")
    return replaced(mechanism, {name: round(POOL_SCALES * selection.scale)})


def replaced(mechanism: Any, wanted: dict[str, Any]) -> Mechanism:
    """With these parameters."""
    changed: Mechanism = dataclasses.replace(mechanism, **wanted)
    return changed


@dataclass(frozen=True)
class Variant:
    """A mechanism that spends most of its privacy on one step, so that a fault of this step breaks the whole
    promise.
    """

    mechanism: Mechanism
    focus: Focus


def variants(mechanism: Mechanism) -> list[Variant]:
    """One for each step that has a weight and each decision of a look at the log; the mechanism itself if
    there is nothing to choose.
    """
    return [variant for decided in _decided(mechanism) for variant in _by_step(decided)]


def _decided(mechanism: Mechanism) -> list[Mechanism]:
    """With each decision that a look at the log may come to. An audit adds thousands of people to one log,
    each in a world of her own: together they would turn the look, which one alone hardly moves.
    """
    for name, value in with_role(mechanism, "look").items():
        decisions = roles(mechanism)[name].small
        if value not in decisions:
            with suppress(InputError):  # refused where nothing is decided
                return [replaced(mechanism, {name: decision}) for decision in decisions]
    return [mechanism]


def _by_step(mechanism: Mechanism) -> list[Variant]:
    for name in with_role(mechanism, "share"):
        most = FOCUS / (FOCUS + 1)
        return [
            Variant(replaced(mechanism, {name: most}), "keys"),
            Variant(replaced(mechanism, {name: 1 - most}), "counts"),
        ]
    pays = {name: role.pays for name, role in roles(mechanism).items() if role.name == "weight"}
    focused = GAUSSIAN_FOCUS if chooses_by_weights(mechanism) else FOCUS
    found = []
    for name in (name for name, value in with_role(mechanism, "weight").items() if value > 0):
        others = {
            other: float(pays[other] not in OPTIONAL and getattr(mechanism, other) > 0)
            for other in pays
            if other != name
        }
        share = focused * max(1.0, sum(others.values()))
        found.append(
            Variant(_low_pool_threshold(replaced(mechanism, {**others, name: share})), _focus(pays[name]))
        )
    return found or [Variant(mechanism, "all")]


def _focus(pays: str) -> Focus:
    if pays in OPTIONAL:
        return "edges"
    return "counts" if pays == "counts" else "keys" if pays == "keys" else "all"
