"""An audit reads the plan and the roles of parameters: a mechanism with names nobody knows is audited like
any other.
"""

from __future__ import annotations

import pytest
from click.testing import CliRunner

import crowdlog.mechanisms
from crowdlog.audit.report import AUDITS, audit
from crowdlog.cli.audit import command
from crowdlog.errors import InputError
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.toy import QuietTopK, TopK, WideTopK

PARAMETERS = {"loss": 2.0, "slack": 1e-6, "contribution": 3}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "alarmed", "exit_code"), [(TopK, set(), 0), (WideTopK, {"replay"}, 2), (QuietTopK, {"noise"}, 2)]
)
def test_every_audit_runs_and_finds_what_is_wrong(kind, alarmed, exit_code, monkeypatch):
    report = audit(kind(**PARAMETERS), seconds=5, runs=8, randomness=SeededRandomness(3))
    assert {finding.audit for finding in report.findings} == set(AUDITS)
    assert alarmed <= {finding.audit for finding in report.alarms}
    assert bool(report.alarms) == bool(alarmed)
    monkeypatch.setattr(crowdlog.mechanisms, "parse", lambda _text: kind(**PARAMETERS))
    result = CliRunner().invoke(command, ["a toy", "--seconds", "2"])
    assert result.exit_code == exit_code
    assert all(name in result.output for name in AUDITS)


def test_a_promise_without_a_plan_cannot_be_audited(monkeypatch):
    mechanism = parse("DPu(epsilon=1, delta=1e-6, d=2)")
    monkeypatch.setattr(type(mechanism), "plan", ())
    with pytest.raises(InputError, match="cannot be audited"):
        audit(mechanism, seconds=1)


def test_a_mechanism_that_does_not_say_which_parameter_is_epsilon_cannot_be_audited(monkeypatch):
    from dataclasses import fields

    mechanism = TopK(**PARAMETERS)
    role = next(field for field in fields(mechanism) if field.name == "contribution").metadata["role"]
    monkeypatch.setattr(
        "crowdlog.audit.shrink.roles", lambda _mechanism: {"loss": role, "slack": role, "contribution": role}
    )
    with pytest.raises(InputError, match="role of ε"):
        audit(mechanism, seconds=1)
