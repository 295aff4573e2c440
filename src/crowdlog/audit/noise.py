"""The noise audit: published minus true counts against the declared distribution (χ²), far above the
threshold and at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from crowdlog.audit.finding import Finding
from crowdlog.audit.neighbours import Shape
from crowdlog.audit.sampling import Effort, Shown, sample
from crowdlog.audit.synthetic_logs import WorldLayout
from crowdlog.audit.trial import crowds_at_threshold, far_crowd
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import Noise, RowNoise, TablePlan

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

Ints = npt.NDArray[np.int64]
SCALING = 0.12  # the kept share is taken for 0.95, or measured; and keys differ in it
EXPECTED = 20.0  # draws expected in a bin at least: χ² is then close even far out in its tail


def crowds(mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness) -> tuple[Shape, ...]:
    """Worlds of one key: always shown, and shown half of the time."""
    centres = crowds_at_threshold(mechanism, logs, randomness)
    sizes = (far_crowd(mechanism, centres), *centres)
    return tuple(Shape(f"crowd of {size}", size, 1, 0, 0) for size in sizes)


def sample_crowds(
    mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness, effort: Effort
) -> tuple[WorldLayout, dict[str, Shown]]:
    """What is shown of such worlds; there is no person to add."""
    shapes = crowds(mechanism, logs, randomness)
    layout = effort.layout(mechanism, shapes)
    (seen,) = sample(mechanism, logs, layout, randomness, effort, sides=(False,))
    return layout, dict(seen)


def audit_noise(
    mechanism: Mechanism, layout: WorldLayout, seen: dict[str, Shown], alpha: float
) -> list[Finding]:
    """One χ² test for each table and crowd.

    Fresh noise looks the same whether the key was shown easily or by luck.
    """
    findings = []
    noisy = {plan.name: plan for plan in mechanism.plan if plan.noise is not None}
    level = alpha / max(1, len(layout.shapes) * len(noisy))
    for table, plan in noisy.items():
        if isinstance(plan.noise, RowNoise):
            findings.append(_people(table, layout.shapes[0], seen[table].keys[:, 0], seen[table].total[:, 0]))
            continue
        for number, shape in enumerate(layout.shapes):
            shown = seen[table].keys[:, number] > 0
            drawn = seen[table].total[:, number][shown] - shape.crowd
            p = fit(drawn, plan.noise, *support(plan, shape.crowd)) if plan.noise is not None else None
            if p is not None:
                meaning = (
                    f"Noise like this or stranger has probability {p:.2g} under the declared distribution."
                )
                findings.append(Finding("noise", f"{table}, {shape.name}", level, p, p < level, meaning))
    return findings


def _people(table: str, shape: Shape, keys: Ints, total: Ints) -> Finding:
    """Noise that differs from row to row has no one distribution: do counts of a crowd that is always shown
    estimate its people, within what the intervals allow for scaling?
    """
    found = total[keys == 1]
    if not len(found):
        return Finding("noise", f"{table}, {shape.name}", SCALING, 0, False, "None of these was shown.")
    error = 4 * float(np.std(found)) / len(found) ** 0.5 / shape.crowd
    off = abs(float(np.mean(found)) / shape.crowd - 1)
    meaning = (
        f"Counts of {shape.crowd} people are off by {off:.1%} on average; "
        f"at most {SCALING + error:.1%} is allowed."
    )
    return Finding("noise", f"{table}, {shape.name}", SCALING + error, off, off > SCALING + error, meaning)


def support(plan: TablePlan, crowd: int) -> tuple[int, bool]:
    """The smallest noise that can be seen; whether smaller noise is hidden (not published) rather than raised
    to it (negative counts to 0).
    """
    if plan.reuses_noise and isinstance(plan.selection, NoisyThreshold):
        return plan.selection.K - crowd + 1, True
    if plan.least is not None:
        return plan.least - crowd, True
    return -crowd, False


def fit(drawn: Ints, noise: Noise, lowest: int, hidden: bool) -> float | None:
    """The p-value of the χ² test, or None where there are too few draws for two bins."""
    from scipy.stats import chi2

    edges = _edges(len(drawn), noise, lowest, hidden)
    if len(edges) < 1:
        return None
    all_ = noise.tail(lowest - 1) if hidden else 1.0
    tails = np.array([all_, *(noise.tail(edge - 1) for edge in edges), 0.0]) / all_
    expected = len(drawn) * -np.diff(tails)
    observed = np.bincount(np.searchsorted(edges, drawn, side="right"), minlength=len(edges) + 1)
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(edges)))


def _edges(draws: int, noise: Noise, lowest: int, hidden: bool) -> Ints:
    """Where bins begin, the first excepted: so that each bin expects enough draws."""
    start = lowest
    whole = noise.tail(lowest - 1) if hidden else 1.0
    edges, last = [], whole
    while last * draws / whole > 2 * EXPECTED:
        start += 1
        tail = noise.tail(start - 1)
        if (last - tail) * draws / whole >= EXPECTED and tail * draws / whole >= EXPECTED:
            edges.append(start)
            last = tail
        if tail * draws / whole < EXPECTED:
            break
    return np.array(edges, np.int64)
