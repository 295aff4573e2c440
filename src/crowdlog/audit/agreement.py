"""An alarm for each contradiction of a promise. A mechanism refuses to make such a promise
(plan/agreement.py, mechanisms/asked.py). The audit looks once more, in case the refusal was switched off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.audit.finding import Finding
from crowdlog.mechanisms.asked import dearer_than_asked
from crowdlog.plan.agreement import contradictions

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

AUDIT = "closed form"


def disagreements(mechanism: Mechanism) -> list[Finding]:
    """An alarm for each part that says more than another allows; nothing where all agree."""
    promise = mechanism.promise()
    found = [*contradictions(mechanism.plan, promise.guarantee), *dearer_than_asked(mechanism, promise)]
    return [Finding(AUDIT, one.where, one.allowed, one.declared, True, one.sentence) for one in found]
