"""One audit of one mechanism, small but at the level of a real one.

With a fixed seed the outcome never changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from crowdlog.audit.declared import chooses_by_weights
from crowdlog.audit.delta import audit_closed_form, audit_delta
from crowdlog.audit.determinism import audit_determinism
from crowdlog.audit.epsilon import audit_epsilon
from crowdlog.audit.finding import Finding
from crowdlog.audit.independence import audit_independence
from crowdlog.audit.noise import audit_noise, sample_crowds
from crowdlog.audit.replay import replays
from crowdlog.audit.report import ALPHA
from crowdlog.audit.sampling import Effort
from crowdlog.audit.selection import audit_selection
from crowdlog.audit.shrink import LARGE_DELTA, SMALL_DELTA, for_epsilon, small
from crowdlog.audit.synthetic_logs import SyntheticLogs
from crowdlog.audit.trial import crowded_trials, exposed_trials, run_trial
from crowdlog.mechanisms.base import Mechanism
from crowdlog.privacy.randomness import SeededRandomness

SEED = 11


def run(audit: str, mechanism: Mechanism, logs: SyntheticLogs, seed: int = SEED) -> list[Finding]:
    """The findings of the audit, up to the first part of it that raises an alarm."""
    findings: list[Finding] = []
    for part in _parts(audit, mechanism, logs, SeededRandomness(seed)):
        findings += part
        if any(finding.alarm for finding in part):
            break
    return findings


def _parts(
    audit: str, mechanism: Mechanism, logs: SyntheticLogs, random: SeededRandomness
) -> Iterator[list[Finding]]:
    rare, often = small(mechanism, SMALL_DELTA), small(mechanism, LARGE_DELTA)
    if audit == "closed form":
        yield audit_closed_form(mechanism)
    elif audit == "replay":
        yield from replays(mechanism, logs)
    elif audit == "selection":
        yield audit_selection(rare, logs, random, Effort(4, 120_000), ALPHA)
    elif audit == "delta":
        for variant, shapes in exposed_trials(often):
            yield audit_delta(run_trial(variant, shapes, logs, random, Effort(8, 60_000)), ALPHA)
    elif audit == "epsilon":
        runs = 20 if chooses_by_weights(mechanism) else 8  # a fault of Gaussian noise shows less
        for variant, shapes in crowded_trials(for_epsilon(mechanism), logs, random):
            yield audit_epsilon(run_trial(variant, shapes, logs, random, Effort(runs, 100_000)), ALPHA)
    else:
        layout, seen = sample_crowds(rare, logs, random, Effort(6, 80_000))
        if audit == "noise":
            yield audit_noise(rare, layout, seen, ALPHA)
        elif audit == "independence":
            yield audit_independence(rare, layout, seen, ALPHA)
        else:
            yield audit_determinism(rare, logs, layout)
