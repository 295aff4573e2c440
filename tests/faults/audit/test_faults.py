"""Every seeded fault is found by the audit that is named for it; the same audits say nothing about the
mechanisms as they are.
"""

from __future__ import annotations

import pytest

from crowdlog.artifacts.kinds import ARTIFACTS
from crowdlog.audit.synthetic_logs import SyntheticLogs
from crowdlog.mechanisms import parse
from tests.faults.audit.faults import FAULTS
from tests.faults.audit.running import run

# One process, so that the logs are made once.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("audit")]


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    return SyntheticLogs(tmp_path_factory.mktemp("logs"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_fault_is_found(fault, logs):
    findings = run(fault.audit, fault.mechanism, logs)
    assert {finding.audit for finding in findings} == {fault.audit}
    assert any(finding.alarm for finding in findings)


AUDITS = sorted({fault.audit for fault in FAULTS})


CORRECT = [
    "DPa(epsilon=1, delta=1e-6, d=3)",
    "DPu(epsilon=1, delta=1e-6, d=3)",
    "Zealous(epsilon=1, delta=1e-6, d=3)",
    "Zealous(epsilon=1, delta=1e-6, d=3, artifact='session-pair')",
    "DPa(epsilon=1, delta=1e-6, d=3, artifact='undirected-session-pair', keep='random')",
    "Korolova(epsilon=2, delta=1e-6, d=2, d_clicks=3)",
    "AClick(epsilon=2, q_f=2, c_f=3, delta=1e-6)",
    "AClick(epsilon=2, q_f=2, c_f=3, delta=1e-6, mode='open')",
    "ASession(epsilon=2, delta=1e-6, l_s=2, l_q=3, l=3)",
]
CROWD = "Crowd(epsilon=1, delta=1e-6, weight_clicks=0, weight_pairs=0)"
SITUATIONS = [(spelling, audit) for spelling in (*CORRECT, CROWD) for audit in AUDITS]
# Selections of one unit for each person: their δ, their ε, and that only her own keys move.
UNITS = [
    "Keys(epsilon=1, delta=1e-6, selection='greedy')",
    "Keys(epsilon=1, delta=1e-6, selection='routed', route='short')",
    "Keys(epsilon=1, delta=1e-6, selection='mad2r')",
    "Keys(epsilon=1, delta=1e-6, selection='routed', weight_counts=0)",
]
SITUATIONS += [(spelling, audit) for spelling in UNITS for audit in ("delta", "epsilon")]
LADDER = "Ladder(epsilon=1, delta=1e-6, people=1000)"  # its other audits: tests/audit/test_every_mechanism.py
SITUATIONS += [(LADDER, audit) for audit in ("noise", "replay")]


@pytest.mark.parametrize(("spelling", "audit"), SITUATIONS)
def test_correct_mechanism_raises_no_alarm(spelling, audit, logs):
    findings = run(audit, parse(spelling), logs)
    assert findings
    assert [finding for finding in findings if finding.alarm] == []


@pytest.mark.parametrize("keep", ["first", "random"])
@pytest.mark.parametrize("kind", ARTIFACTS)
@pytest.mark.parametrize("name", ["DPa", "DPu", "Zealous"])
def test_replay_says_nothing_about_correct_bounds(name, kind, keep, logs):
    findings = run(
        "replay", parse(f"{name}(epsilon=1, delta=1e-6, d=3, artifact='{kind}', keep='{keep}')"), logs
    )
    assert [finding for finding in findings if finding.alarm] == []


def test_there_are_many_faults_and_all_audits_have_some():
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert AUDITS == [
        "closed form",
        "delta",
        "epsilon",
        "independence",
        "noise",
        "replay",
        "selection",
        "source",
    ]
