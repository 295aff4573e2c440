import json

import pytest
from click.testing import CliRunner

from crowdlog.audit.finding import Finding
from crowdlog.audit.report import AuditReport
from crowdlog.cli import cli
from crowdlog.errors import InputError

OK = Finding("epsilon", "one heavy key", 1.0, 0.5, False, "ε is at least 0.5; 1 is promised.")
ALARM = Finding("noise", "queries, crowd of 9", 1e-7, 1e-30, True, "Noise like this has probability 1e-30.")


def report(monkeypatch, *findings):
    monkeypatch.setattr(
        "crowdlog.audit.report.audit",
        lambda mechanism, seconds: AuditReport(repr(mechanism), findings, seconds),
    )


def run(*more):
    return CliRunner().invoke(cli, ["audit", "DPu(epsilon=1, delta=1e-6, d=5)", *more])


def test_no_alarm_is_exit_code_0(monkeypatch):
    report(monkeypatch, OK)
    answer = run("--json")
    assert answer.exit_code == 0
    assert json.loads(answer.output)["findings"][0]["where"] == "one heavy key"


def test_an_alarm_is_exit_code_2_and_named(monkeypatch):
    report(monkeypatch, OK, ALARM)
    answer = run()
    assert answer.exit_code == 2
    assert "ALARM" in answer.output
    assert "2 findings" in answer.output
    assert "1 alarms" in answer.output


def test_what_promises_nothing_cannot_be_audited():
    answer = CliRunner().invoke(cli, ["audit", "FTa(k=5)"])
    assert isinstance(answer.exception, InputError)
    assert (
        str(answer.exception)
        == "FTa(k=5) promises nothing, so there is nothing to audit. Choose a mechanism with a guarantee."
    )


@pytest.mark.slow
def test_a_short_real_audit_finds_nothing_in_a_correct_mechanism():
    answer = CliRunner().invoke(
        cli, ["audit", "Zealous(epsilon=1, delta=1e-6, d=2)", "--seconds", "1", "--json"]
    )
    assert answer.exit_code == 0, answer.output
    found = json.loads(answer.output)
    assert found["alarms"] == 0
    audits = {finding["audit"] for finding in found["findings"]}
    assert audits == {
        "closed form",
        "delta",
        "epsilon",
        "independence",
        "noise",
        "replay",
        "selection",
        "source",
    }
