"""All audits of one mechanism, and what they found."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crowdlog.audit.agreement import disagreements
from crowdlog.audit.declared import first_table
from crowdlog.audit.delta import audit_closed_form, audit_delta
from crowdlog.audit.determinism import audit_determinism
from crowdlog.audit.epsilon import audit_epsilon
from crowdlog.audit.finding import Finding
from crowdlog.audit.independence import audit_independence
from crowdlog.audit.made_up_counts import audit_made_up_counts
from crowdlog.audit.noise import audit_noise, sample_crowds
from crowdlog.audit.replay import audit_replay
from crowdlog.audit.sampling import Effort
from crowdlog.audit.selection import audit_selection
from crowdlog.audit.shrink import LARGE_DELTA, SMALL_DELTA, for_epsilon, small
from crowdlog.audit.synthetic_logs import SyntheticLogs
from crowdlog.audit.taking_part import audit_taking_part, takes_part_by_lot
from crowdlog.audit.trial import crowded_trials, exposed_trials, run_trial
from crowdlog.errors import InputError
from crowdlog.files.scratch import Scratch
from crowdlog.privacy.randomness import Randomness, SystemRandomness
from crowdlog.progress import progress_bar

if TYPE_CHECKING:
    from crowdlog.mechanisms.base import Mechanism

# all run, or the audit fails
AUDITS = ("closed form", "replay", "source", "noise", "independence", "selection", "delta", "epsilon")
ALPHA = 1e-6  # chance of a false alarm in one audit of a correct mechanism
# Shares of the time for runs.
NOISE_TIME, SELECTION_TIME, DELTA_TIME, EPSILON_TIME = 0.15, 0.15, 0.3, 0.4


@dataclass(frozen=True)
class AuditReport:
    """Every finding; `seconds` is what it took."""

    mechanism: str
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def alarms(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.alarm)

    def worst(self) -> list[Finding]:
        """Of each audit the alarms, or the finding nearest to one."""
        shown = []
        for audit in dict.fromkeys(finding.audit for finding in self.findings):
            mine = [finding for finding in self.findings if finding.audit == audit]
            shown += [finding for finding in mine if finding.alarm] or [max(mine, key=_nearness)]
        return shown


def _nearness(finding: Finding) -> float:
    """How near to an alarm; small p-values are the bad ones of the noise audit."""
    ratio = finding.measured / finding.claimed if finding.claimed else finding.measured
    return -ratio if finding.audit == "noise" else ratio


def audit(
    mechanism: Mechanism,
    *,
    seconds: float = 90.0,
    runs: int = 40,
    randomness: Randomness | None = None,
    folder: Path | None = None,
) -> AuditReport:
    """Run every audit. More seconds and runs find smaller faults; false alarms stay as rare."""
    if not mechanism.promise().guarantee.protects:
        raise InputError(
            f"{mechanism!r} promises nothing, so there is nothing to audit. "
            "Choose a mechanism with a guarantee."
        )
    if not takes_part_by_lot(mechanism):
        first_table(mechanism)  # what is not declared cannot be audited, and nothing is left out in silence
    started = time.monotonic()
    if folder is not None:
        findings = _audits(mechanism, SyntheticLogs(folder), randomness or SystemRandomness(), seconds, runs)
        return AuditReport(repr(mechanism), tuple(findings), time.monotonic() - started)
    with Scratch("audit") as temporary:
        return audit(mechanism, seconds=seconds, runs=runs, randomness=randomness, folder=temporary)


def _audits(
    mechanism: Mechanism, logs: SyntheticLogs, randomness: Randomness, seconds: float, runs: int
) -> list[Finding]:
    def effort(share: float) -> Effort:
        # short audits use small logs
        return Effort(runs, int(min(200_000, 20_000 + 1500 * seconds)), time.monotonic() + share * seconds)

    if takes_part_by_lot(mechanism):
        return [*disagreements(mechanism), *audit_taking_part(mechanism, logs, randomness, runs, ALPHA)]
    rare, often = small(mechanism, SMALL_DELTA), small(mechanism, LARGE_DELTA)
    with progress_bar("Auditing", 5, unit="audits") as advance:
        findings = [
            *disagreements(mechanism),
            *audit_closed_form(mechanism),
            *audit_replay(mechanism, logs),
        ]
        advance(1)
        layout, seen = sample_crowds(rare, logs, randomness, effort(NOISE_TIME))
        findings += [
            *audit_determinism(rare, logs, layout),
            *audit_noise(rare, layout, seen, ALPHA / 2),
            *audit_independence(rare, layout, seen, ALPHA),
            *audit_made_up_counts(mechanism, "at your parameters", randomness, ALPHA / 4),
            *audit_made_up_counts(often, f"at δ = {LARGE_DELTA}", randomness, ALPHA / 4),
        ]
        advance(1)
        findings += audit_selection(rare, logs, randomness, effort(SELECTION_TIME), ALPHA / 2)
        advance(1)
        for audit_, share, trials in (
            (audit_delta, DELTA_TIME, exposed_trials(often)),
            (audit_epsilon, EPSILON_TIME, crowded_trials(for_epsilon(mechanism), logs, randomness)),
        ):
            for variant, shapes in trials:
                trial = run_trial(variant, shapes, logs, randomness, effort(share / len(trials)))
                findings += audit_(trial, ALPHA / len(trials))
            advance(1)
    missing = [name for name in AUDITS if name not in {finding.audit for finding in findings}]
    if missing:
        raise InputError(
            f"These audits of {mechanism!r} found nothing to look at: {', '.join(missing)}. "
            "Its plan does not declare enough."
        )
    return findings
