"""Whether the parts of a promise agree: a plan that bounds a person by more than its threshold was made for,
or that costs more than its parameters ask for, is wrong before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from crowdlog.audit.finding import Finding
from crowdlog.mechanisms.parameters import with_role
from crowdlog.plan.selections import NoisyThreshold, SampledThreshold

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

AUDIT = "closed form"


def disagreements(mechanism: Mechanism) -> list[Finding]:
    """An alarm for each part that says more than another allows; nothing where all agree."""
    return [*_bounds(mechanism), *_asked(mechanism)]


def _bounds(mechanism: Mechanism) -> list[Finding]:
    found = []
    for plan in mechanism.plan:
        selection = plan.selection
        if not isinstance(selection, NoisyThreshold | SampledThreshold):
            continue
        moved = plan.bound.reach(selection.on if isinstance(selection, NoisyThreshold) else plan.counts).total
        if moved > selection.d:
            meaning = (
                f"The bound lets one person move the counts of {plan.name} by {moved:g}; their threshold was "
                f"made for {selection.d}."
            )
            found.append(Finding(AUDIT, f"bound of {plan.name}", selection.d, moved, True, meaning))
    return found


def _asked(mechanism: Mechanism) -> list[Finding]:
    guarantee = mechanism.promise().guarantee
    return [
        *_dearer("ε", guarantee.epsilon, with_role(mechanism, "epsilon")),
        *_dearer("δ", guarantee.delta, with_role(mechanism, "delta")),
    ]


def _dearer(symbol: str, promised: float, parameters: Mapping[str, float]) -> list[Finding]:
    return [
        Finding(
            AUDIT,
            f"{symbol} asked for",
            asked,
            promised,
            True,
            f"The plan costs {symbol} = {promised:.4g}; {name} asks for at most {asked:.4g}.",
        )
        for name, asked in parameters.items()
        if promised > asked
    ]
