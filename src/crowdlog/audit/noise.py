"""The noise audit: published minus true counts against the declared distribution (χ²), far above the
threshold and at it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from crowdlog.audit.declared import key_tables
from crowdlog.audit.finding import Finding
from crowdlog.audit.neighbours import Shape
from crowdlog.audit.sampling import Effort, Shown, sample
from crowdlog.audit.synthetic_logs import WorldLayout
from crowdlog.audit.trial import crowds_at_threshold, far_crowd
from crowdlog.plan.selections import NoisyThreshold
from crowdlog.plan.table import Noise, RowNoise, TablePlan
from crowdlog.types import Ints

if TYPE_CHECKING:
    from crowdlog.audit.synthetic_logs import SyntheticLogs
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.privacy.randomness import Randomness

SCALING = 0.12  # the kept share is taken for 0.95, or measured; and keys differ in it
LESS = 0.95  # of the told noise: what weights that differ a little from key to key may take from it
FAR = 6.0  # standard deviations from 0: noise practically never takes a count below
MANY = 200  # counts whose mean square is close to normal
ROUNDED = 1 / 12  # the variance of rounding to whole people
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
    findings = [_names(plan.name, seen[plan.name]) for plan in mechanism.plan if plan.names_only]
    noisy = {plan.name: plan for plan in key_tables(mechanism) if plan.noise is not None}
    level = alpha / max(1, len(layout.shapes) * len(noisy))
    for table, plan in noisy.items():
        if isinstance(plan.noise, RowNoise):
            findings.append(_people(table, layout.shapes[0], seen[table]))
            findings += _told(table, layout.shapes[0], seen[table], level)
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
    whole = [plan for plan in mechanism.plan if plan.name not in noisy and plan.noise is not None]
    for plan in whole:
        findings += _cells(plan, seen[plan.name], alpha / (2 * len(whole)))
    return findings


def _names(table: str, shown: Shown) -> Finding:
    """Names alone: every count that is shown must be 1, whatever the crowd."""
    told = int(np.sum(shown.total != shown.keys))
    meaning = f"Names alone are promised; counts other than 1 were seen {told} times."
    return Finding("noise", f"{table}, names alone", 0, told, told > 0, meaning)


def _cells(plan: TablePlan, shown: Shown, level: float) -> list[Finding]:
    """Do counts of public values scatter from run to run as their declared noise? The log is the same."""
    from scipy.stats import chi2, norm

    if plan.noise is None:
        raise TypeError("only noisy counts scatter")
    counts = shown.total[:, 0]
    sd = (plan.noise.sd**2 + ROUNDED) ** 0.5
    far = counts.mean(axis=0) > FAR * sd
    squares = float(((counts - counts.mean(axis=0)) ** 2)[:, far].sum()) / sd**2
    draws = (len(counts) - 1) * int(far.sum())
    found = []
    if draws:
        less, more = float(chi2.cdf(squares, draws)), float(chi2.sf(squares, draws))
        # shares of what is released differ with what is: only too little scatter speaks against these
        p = less if plan.artifact.kind == "share" else 2 * min(less, more)
        meaning = f"They scatter by {(squares / draws) ** 0.5:.2f} times the declared noise from run to run."
        found.append(Finding("noise", f"{plan.name}, from run to run", level, p, p < level, meaning))
    # Near 0, where counts below 0 are raised to it: a count's mean square is half of the noise's or more.
    near = counts[:, ~far]
    if near.size >= MANY:
        half = float((near**2).sum()) / sd**2 - near.size / 2
        p = float(norm.cdf(half / (1.25 * near.size) ** 0.5))
        meaning = (
            f"The mean square of {near.size} counts near 0 is {half / near.size + 0.5:.2f} of the noise's."
        )
        found.append(Finding("noise", f"{plan.name}, near 0", level, p, p < level, meaning))
    return found


def _people(table: str, shape: Shape, shown: Shown) -> Finding:
    """Noise that differs from row to row has no one distribution: do counts of a crowd that is always shown
    estimate its people, within what the intervals allow for scaling?
    """
    one = shown.keys[:, 0] == 1
    if shown.noise is None or not one.any():
        return Finding("noise", f"{table}, {shape.name}", SCALING, 0, False, "None of these was shown.")
    error = 5 * float(np.mean(shown.noise[:, 0][one])) / int(one.sum()) ** 0.5 / shape.crowd
    off = abs(float(np.mean(shown.total[:, 0][one])) / shape.crowd - 1)
    meaning = (
        f"Counts of {shape.crowd} people are off by {off:.1%} on average; "
        f"at most {SCALING + error:.1%} is allowed."
    )
    return Finding("noise", f"{table}, {shape.name}", SCALING + error, off, off > SCALING + error, meaning)


def _told(table: str, shape: Shape, shown: Shown, level: float) -> list[Finding]:
    """Do counts of equal crowds scatter as much as the noise that their rows tell? Less is too little
    privacy; more may come from scaling.

    Within each run, because bounds differ from run to run.
    """
    from scipy.stats import chi2

    if shown.noise is None:
        return []
    squares, draws = 0.0, 0
    for keys, total, noise in zip(shown.keys[:, 0], shown.total[:, 0], shown.noise[:, 0], strict=True):
        one = keys == 1
        if one.sum() > 1:
            # a large first draw makes the row's noise larger, too: only what is off the mean is divided by it
            squares += float((((total[one] - total[one].mean()) / noise[one]) ** 2).sum())
            draws += int(one.sum()) - 1
    if not draws:
        return []
    p = float(chi2.cdf(squares / LESS**2, draws))
    ratio = (squares / draws) ** 0.5
    meaning = f"Counts of equal crowds scatter by {ratio:.2f} times the noise that their rows tell."
    return [Finding("noise", f"{table}, {shape.name}, told noise", level, p, p < level, meaning)]


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
