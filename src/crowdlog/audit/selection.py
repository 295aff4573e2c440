"""The selection audit: how often a crowd of a given size is shown, against the declared threshold and its
noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crowdlog.audit.bounds import lower, upper
from crowdlog.audit.declared import chance_shown as chance_of
from crowdlog.audit.declared import thresholds
from crowdlog.audit.finding import Finding
from crowdlog.audit.neighbours import Shape
from crowdlog.audit.sampling import Effort, sample

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

PLACES = (-2.0, -1.0, 0.0, 0.7, 1.5)  # crowds tried, in noise scales from the threshold


def audit_selection(
    mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness, effort: Effort, alpha: float
) -> list[Finding]:
    """Of every table with a threshold on counts.

    Selections by weights are audited by their ε and δ alone, which the report says.
    """
    bars = thresholds(mechanism)
    if not bars:
        meaning = (
            "No table has a threshold on counts: its keys are chosen by weights, which the audits of ε and δ "
            "look at."
        )
        return [Finding("selection", "by weights", 0, 0, False, meaning)]
    sizes = sorted({max(1, round(bar.K + place * bar.scale)) for bar in bars.values() for place in PLACES})
    layout = effort.layout(mechanism, tuple(Shape(f"crowd of {size}", size, 1, 0, 0) for size in sizes))
    (seen,) = sample(mechanism, logs, layout, randomness, effort, sides=(False,))
    level, findings = alpha / (2 * len(layout.shapes) * len(bars)), []
    for plan in (plan for plan in mechanism.plan if plan.name in bars):
        for number, shape in enumerate(layout.shapes):
            shown = seen[plan.name].keys[:, number]
            chance, hits = (
                chance_of(mechanism, plan, shape.crowd, pooled=shape.pooled),
                int((shown > 0).sum()),
            )
            alarm = not (lower(hits, shown.size, level) <= chance <= upper(hits, shown.size, level))
            meaning = (
                f"A {shape.name} is shown with probability {hits / shown.size:.4g}; "
                f"the declared threshold says {chance:.4g}."
            )
            findings.append(
                Finding("selection", f"{plan.name}, {shape.name}", chance, hits / shown.size, alarm, meaning)
            )
    return findings
