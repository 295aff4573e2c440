"""The command line of a release: what it asks for first, and that every option is handed on."""

import json
import subprocess

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.errors import InputError, PrivacyRefusal
from crowdlog.log.store import LogStore
from crowdlog.release.folder import Release
from crowdlog.release.guard_rails import USERS
from crowdlog.release.publish import open_ledger
from tests.support.logs import crowd_rows, make_log

SPELLING = "DPu(epsilon=1, delta=1e-3, d=2)"


@pytest.fixture
def log(tmp_path):
    return make_log(tmp_path, crowd_rows(60, ["weather"]), budget=None)


def release(log, out, *options):
    return CliRunner().invoke(cli, ["release", str(log.path), SPELLING, "-o", str(out), *options])


def test_a_first_release_needs_a_budget(log, tmp_path):
    refused = release(log, tmp_path / "out")
    assert isinstance(refused.exception, PrivacyRefusal)
    assert "needs a budget first" in str(refused.exception)
    assert "--budget E D" in str(refused.exception)
    assert not (tmp_path / "out").exists()
    with open_ledger(log) as ledger:
        assert ledger.entries() == []
    assert release(log, tmp_path / "out", "--budget", "1.5", "1e-2").exit_code == 0
    over = release(log, tmp_path / "second")
    assert isinstance(over.exception, PrivacyRefusal)
    other = release(log, tmp_path / "second", "--budget", "50", "1e-2")
    assert isinstance(other.exception, InputError)
    assert "already" in str(other.exception)


def test_a_refused_release_begins_no_budget(log, tmp_path):
    """Neither one that the budget does not hold, nor one that promises nothing and needs none."""
    over = release(log, tmp_path / "out", "--budget", "0.5", "1e-2")
    assert isinstance(over.exception, PrivacyRefusal)
    words = ["release", str(log.path), "FTu(k=5)", "-o", str(tmp_path / "free"), "--i-know"]
    free = CliRunner().invoke(cli, [*words, "--budget", "5", "0"])
    assert isinstance(free.exception, InputError)
    assert "leave --budget out" in str(free.exception)
    with open_ledger(log) as ledger:
        assert (ledger.budget(), ledger.entries()) == (None, [])


def test_signature_and_number_of_users_reach_the_label(log, tmp_path):
    key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], check=True)
    options = ["--budget", "5", "1e-2", "--sign", str(key), "--users", "600", "--json"]
    shown = release(log, tmp_path / "out", *options)
    assert shown.exit_code == 0, shown.output
    assert USERS not in json.loads(shown.output)["dp_flavor"]["unprotected_quantities"]
    signer = Release.open(tmp_path / "out").signed_by()
    assert signer is not None
    verified = CliRunner().invoke(cli, ["verify", str(tmp_path / "out"), "--key", signer])
    assert verified.exit_code == 0
    assert f"signed by {signer}" in verified.output
    many = release(log, tmp_path / "many", "--users", "5000")
    assert isinstance(many.exception, PrivacyRefusal)
    assert "one over the number of users" in str(many.exception)


def test_the_label_says_when_the_number_of_users_is_the_logs_own(log, tmp_path):
    assert release(log, tmp_path / "out", "--budget", "5", "1e-2").exit_code == 0
    assert USERS in Release.open(tmp_path / "out").label.promise.unprotected
    assert LogStore.open(log.path).info.users == 60
