"""ε and δ of several collections of the same people add up, for the operator and for each member."""

import json

import pytest
from click.testing import CliRunner

from crowdlog.cli.crowd import command
from crowdlog.cli.crowd_operator import charging
from crowdlog.crowd.account import OWN_LIMIT, charge, guarantee_of, open_account, own_account
from crowdlog.errors import InputError, PrivacyRefusal
from tests.support.manifests import manifest_of

NOISY = "Zealous(epsilon=2, delta=1e-6, d=3, keep='random')"


def collection(title: str, policy: str | None = NOISY):
    return manifest_of(title=title, limit=3, policy=policy)


def test_collections_of_a_panel_add_up_until_the_limit(tmp_path):
    with open_account(tmp_path / "panel.sqlite", "panel", begin=True) as ledger:
        with pytest.raises(PrivacyRefusal, match="budget"):
            charge(ledger, collection("before a limit was set"), allow_unprotected=False)
        ledger.set_budget(5.0, 1e-5)
        for title in ("first", "second", "second"):  # a repeated call is charged once
            charge(ledger, collection(title), allow_unprotected=False)
        assert ledger.spent().epsilon == pytest.approx(4, rel=1e-9)
        with pytest.raises(PrivacyRefusal, match="4 of the budget of 5 is spent"):
            charge(ledger, collection("third"), allow_unprotected=False)
    with open_account(tmp_path / "panel.sqlite", "panel") as ledger:
        assert len(ledger.entries()) == 2


def test_the_ledger_of_other_people_is_refused(tmp_path):
    with open_account(tmp_path / "panel.sqlite", "students", begin=True):
        pass
    with (
        pytest.raises(InputError, match="belongs to another"),
        open_account(tmp_path / "panel.sqlite", "others"),
    ):
        pass


def test_nested_collections_cost_both_levels():
    nested = manifest_of(
        limit=3,
        policy=NOISY,
        inner_artifact="click",
        inner_k=6,
        inner_policy="Zealous(epsilon=1, delta=1e-6, d=3, keep='random', artifact='click')",
    )
    assert guarantee_of(nested).epsilon == pytest.approx(3, rel=1e-9)


def test_a_member_keeps_her_own_account_and_refuses_beyond_it(tmp_path):
    with own_account(tmp_path) as own:
        assert (own.budget().epsilon, own.budget().delta) == OWN_LIMIT
        for number in range(5):
            charge(own, collection(f"number {number}"), allow_unprotected=True)
        charge(own, collection("counts only", None), allow_unprotected=True)  # told at consent
        with pytest.raises(PrivacyRefusal, match="is spent"):
            charge(own, collection("one too many"), allow_unprotected=True)


def test_what_promises_nothing_needs_the_operators_word(tmp_path):
    with open_account(tmp_path / "panel.sqlite", "panel", begin=True) as ledger:
        ledger.set_budget(5.0, 1e-5)
        with pytest.raises(PrivacyRefusal, match="promises nothing"):
            charge(ledger, collection("exact", None), allow_unprotected=False)


def test_commands_show_and_set_limits(tmp_path):
    run = CliRunner()
    limit = run.invoke(command, ["account", "--home", str(tmp_path), "--epsilon", "3", "--json"])
    assert json.loads(limit.output)["limit ε"] == 3
    assert json.loads(limit.output)["limit δ"] == OWN_LIMIT[1]
    with own_account(tmp_path) as own:
        charge(own, collection("one"), allow_unprotected=True)
    shown = run.invoke(command, ["account", "--home", str(tmp_path), "--json"])
    assert json.loads(shown.output)["ε of all that promise it"] == pytest.approx(2, rel=1e-9)
    panel = str(tmp_path / "students.sqlite")
    made = run.invoke(command, ["panel", panel, "--new-ledger", "--epsilon", "4", "--delta", "1e-6"])
    assert made.exit_code == 0, made.output
    assert "limit ε" in made.output


def test_a_missing_ledger_of_a_panel_is_never_begun_by_the_way(tmp_path):
    """A misspelt name would have nothing spent."""
    run, panel = CliRunner(), str(tmp_path / "students.sqlite")
    limit = ["--epsilon", "4", "--delta", "1e-6"]
    missing = run.invoke(command, ["panel", panel, *limit])
    assert isinstance(missing.exception, InputError)
    assert "Is its name misspelt?" in str(missing.exception)
    with pytest.raises(InputError, match="misspelt"):
        charging(tmp_path / "students.sqlite", False)(collection("one"))
    assert list(tmp_path.iterdir()) == []
    assert run.invoke(command, ["panel", panel, "--new-ledger", *limit]).exit_code == 0
    again = run.invoke(command, ["panel", panel, "--new-ledger", *limit])
    assert isinstance(again.exception, InputError)
    charging(tmp_path / "students.sqlite", False)(collection("one"))
    assert "2" in run.invoke(command, ["panel", panel]).output
