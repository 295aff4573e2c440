"""Every seeded fault is found by the audit that is named for it; the same audits say nothing about the mechanisms as they are."""

from __future__ import annotations

import pytest

from crowdlog.audit.declared import LARGE_DELTA, SMALL_DELTA, small
from crowdlog.audit.delta import audit_closed_form, audit_delta
from crowdlog.audit.epsilon import audit_epsilon
from crowdlog.audit.independence import audit_independence
from crowdlog.audit.laboratory import Laboratory
from crowdlog.audit.noise import audit_noise, sample_crowds
from crowdlog.audit.replay import audit_replay
from crowdlog.audit.report import ALPHA
from crowdlog.audit.sampling import Effort
from crowdlog.audit.selection import audit_selection
from crowdlog.audit.source import audit_source
from crowdlog.audit.trial import crowded_trial, exposed_trial
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.faults.audit.faults import FAULTS

# One process, so that the logs are made once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("audit")]


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory):
    return Laboratory(tmp_path_factory.mktemp("laboratory"))


def run(audit, mechanism, laboratory):
    """The findings of one audit, small but with the level of a real one. The seed is fixed: the outcome never changes."""
    rare, often, random = small(mechanism, SMALL_DELTA), small(mechanism, LARGE_DELTA), SeededRandomness(11)
    if audit == "closed form":
        return audit_closed_form(mechanism)
    if audit == "replay":
        return audit_replay(mechanism, laboratory)
    if audit == "selection":
        return audit_selection(rare, laboratory, random, Effort(3, 40_000), ALPHA)
    if audit == "delta":
        return audit_delta(exposed_trial(often, laboratory, random, Effort(8, 60_000)), ALPHA)
    if audit == "epsilon":
        return audit_epsilon(crowded_trial(rare, laboratory, random, Effort(8, 100_000)), ALPHA)
    layout, seen = sample_crowds(rare, laboratory, random, Effort(3, 40_000))
    return {"noise": lambda: audit_noise(rare, layout, seen, ALPHA), "independence": lambda: audit_independence(layout, seen, ALPHA)}.get(
        audit, lambda: audit_source(rare, laboratory, layout)
    )()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_found(fault, laboratory):
    findings = run(fault.audit, fault.mechanism, laboratory)
    assert {finding.audit for finding in findings} == {fault.audit}
    assert any(finding.alarm for finding in findings)


AUDITS = sorted({fault.audit for fault in FAULTS})


CORRECT = [
    "DPa(epsilon=1, delta=1e-6, d=3)",
    "DPu(epsilon=1, delta=1e-6, d=3)",
    "Zealous(epsilon=1, delta=1e-6, d=3)",
    "Korolova(epsilon=2, delta=1e-6, d=2, d_clicks=3)",
]
CROWD = "Crowd(epsilon=1, delta=1e-6, weight_clicks=0, weight_pairs=0)"
# Crowd declares no threshold on counts: nothing to check in closed form or by its selection.
SITUATIONS = [
    *((spelling, audit) for spelling in CORRECT for audit in AUDITS),
    *((CROWD, audit) for audit in AUDITS if audit not in ("closed form", "selection")),
]


@pytest.mark.parametrize(("spelling", "audit"), SITUATIONS)
def test_correct_mechanism_raises_no_alarm(spelling, audit, laboratory):
    findings = run(audit, parse(spelling), laboratory)
    assert findings
    assert [finding for finding in findings if finding.alarm] == []


def test_there_are_many_faults_and_all_audits_have_some():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert AUDITS == ["closed form", "delta", "epsilon", "independence", "noise", "replay", "selection", "source"]
