"""The advice keeps its own rules: it fits the budget as often as asked, and says when little is expected."""

import json
import math
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.cli import cli
from crowdlog.cli import guide as command
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.planning.budget import to_come
from crowdlog.planning.guide import AUDIENCES, PURPOSES, RHYTHMS, Needs, advise
from crowdlog.privacy.gaussian_filter import refusal

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("rhythm", ["once", "monthly", "daily"])
@pytest.mark.parametrize("audience", list(AUDIENCES))
def test_all_releases_of_a_year_fit_the_budget(rhythm, audience):
    advice = advise(Needs(50_000, rhythm, audience, "everything"))
    steps = to_come(parse(advice.mechanism)).steps
    assert refusal([steps] * RHYTHMS[rhythm], advice.budget_epsilon, advice.budget_delta) is None
    assert advice.budget_delta <= 0.1 / 50_000
    assert advice.epsilon <= advice.budget_epsilon == AUDIENCES[audience][0]


def test_more_releases_get_less_each_but_more_than_their_share():
    once, monthly = (advise(Needs(50_000, rhythm)).epsilon for rhythm in ("once", "monthly"))
    assert once / 12 < monthly < once


@pytest.mark.parametrize(
    ("purpose", "clicks", "pairs"),
    [
        ("queries", False, False),
        ("clicks", True, False),
        ("suggestions", False, True),
        ("everything", True, True),
    ],
)
def test_what_is_asked_for_is_published(purpose, clicks, pairs):
    promised = parse(advise(Needs(50_000, purpose=purpose)).mechanism).promise()
    tables = {table.name for table in promised.tables}
    assert {"words", "queries", "sites"} <= tables
    assert ("query_sites" in tables, "pairs" in tables) == (clicks, pairs)


def test_too_few_people_are_told_what_to_do_instead():
    empty, little = advise(Needs(50, "monthly")), advise(Needs(200, "monthly"))
    assert empty.empty
    assert "expect nothing that people share" in empty.expected
    assert not little.empty
    assert "together with others" in empty.instead
    assert "hardly a word" in empty.instead
    assert "hardly a " in little.instead
    words = advise(Needs(200))
    assert "hardly a whole query" in words.instead, words.expected
    enough = advise(Needs(200_000))
    assert (enough.empty, enough.instead) == (False, "")


def test_what_all_releases_of_a_year_tell_together_is_said():
    """The sentence about one of twelve releases says 69 %: readers see all twelve."""
    told = " ".join(advise(Needs(20_000, "monthly", "public")).reasons)
    assert "Who sees all of them guesses right in at most 96 % of cases." in told
    assert "all of them guesses" not in " ".join(advise(Needs(20_000)).reasons)


def test_the_command_repeats_the_advice_and_its_choices_are_the_rules():
    assert (set(command.RHYTHMS), set(command.AUDIENCES)) == (set(RHYTHMS), set(AUDIENCES))
    assert set(command.PURPOSES) == set(PURPOSES)
    words = ["guide", "--people", "20000", "--how-often", "monthly", "--for", "partner", "--what", "clicks"]
    advice = advise(Needs(20_000, "monthly", "partner", "clicks"))
    assert json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)["mechanism"] == advice.mechanism
    shown = CliRunner().invoke(cli, words).output
    assert f"crowdlog release STORE '{advice.mechanism}' --users 20000 -o OUT" in shown
    assert "--people" in CliRunner().invoke(cli, ["guide"]).output


def test_the_table_of_the_page_is_right():
    page = (DOCS / "choosing.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| ([\d.]+) % \| ([\d.]+) \|", page, re.MULTILINE)
    assert len(rows) == 7
    for epsilon, percent, odds in rows:
        factor = math.exp(float(epsilon))
        exact = 100 * factor / (factor + 1)
        assert exact <= float(percent) < exact + 1
        assert factor <= float(odds) == pytest.approx(factor, rel=0.1)


@pytest.mark.parametrize("people", [10, 300, 20_000])
def test_the_table_of_choices_is_never_too_good(people):
    """Right guesses have δ in them, and nothing is rounded down."""
    advice = advise(Needs(people))
    shown = CliRunner().invoke(cli, ["guide", "--people", str(people)]).output
    for choice in advice.choices:
        factor = math.exp(choice.epsilon)
        row = re.search(rf"^\s*{choice.epsilon:g}\s+([\d.]+) %\s+([\d.]+) ", shown, re.MULTILINE)
        assert 0 <= float(row[1]) - 100 * (factor + advice.delta) / (factor + 1) < 0.1 + 1e-9
        assert 0 <= float(row[2]) - factor < 0.1 + 1e-9


def test_the_number_of_people_is_what_the_owner_says_and_never_the_logs(tmp_path):
    """The label of what is advised says that the number was not read from the log."""
    store = tmp_path / "store"
    synthesize(tmp_path / "log.tsv", users=60, seed=1)
    import_log(tmp_path / "log.tsv", store)
    refused = CliRunner().invoke(cli, ["guide", str(store)])
    assert refused.exit_code != 0
    assert "--people" in refused.output
    told = CliRunner().invoke(cli, ["guide", str(store), "--people", "777"]).output
    assert "people=777" in told
    assert f"crowdlog budget {store}" in told
