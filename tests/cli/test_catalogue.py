"""The pages of mechanisms and formats are made from the code: they must not be stale, and their examples must
run.
"""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from crowdlog.attacks import ATTACKS
from crowdlog.cli import cli
from crowdlog.log.formats.options import FORMATS
from crowdlog.mechanisms import MECHANISMS, find, parse
from crowdlog.utility.registry import MEASURES

DOCS = Path(__file__).parents[2] / "docs"


def said(*words: str) -> str:
    result = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("name", ["mechanisms", "formats"])
def test_the_page_is_what_the_command_prints(name):
    expected = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert said(name, "--markdown") == expected, "run: make pages"


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_every_parameter_of_a_mechanism_is_told(name):
    output = said("mechanisms", name)
    assert all(field.name in output for field in fields(find(name)))
    assert find(name).example in output
    assert type(parse(find(name).example)).__name__ == name


def test_the_lists_are_complete():
    assert all(name in said("mechanisms") for name in MECHANISMS)
    assert {entry["name"] for entry in json.loads(said("mechanisms", "--json"))["items"]} == set(MECHANISMS)
    assert set(json.loads(said("formats", "--json"))) == {*FORMATS, "json_version"}
    assert all(name in said("formats") for name in FORMATS)


def test_choices_in_help_are_those_of_the_tables():
    assert all(name in said("attack", "--help") for name in ATTACKS)
    assert all(name in said("score", "--help") for name in MEASURES)
    assert all(name in said("import", "--help") for name in FORMATS)


@pytest.mark.parametrize(
    ("page", "mark", "table"), [("attacks", "##", ATTACKS), ("utility", "###", MEASURES)]
)
def test_every_attack_and_measure_has_its_heading_and_no_other_name_has(page, mark, table):
    """These pages are written by hand: what an attack or a measure means is more than its function says."""
    headings = re.findall(
        rf"^{mark} ([a-z_]+)$", (DOCS / f"{page}.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(headings) == sorted(table)


def test_an_unknown_mechanism_gets_a_sentence():
    result = CliRunner().invoke(cli, ["mechanisms", "Nobody"])
    assert "There is no mechanism 'Nobody'" in str(result.exception)


def test_json_has_no_infinity():
    """The ε of no guarantee is null: Infinity is no JSON."""
    plan = json.loads(said("plan", "FTu(k=5)", "--json"), parse_constant=pytest.fail)
    assert plan["epsilon"] is None
