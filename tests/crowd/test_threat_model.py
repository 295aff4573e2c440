"""Every statement of docs/threat-model.md names what shows it, and what is named exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "threat-model.md").read_text()
BODY, EVIDENCE = TEXT.split("## Evidence\n")
NAMED = dict(re.findall(r"^\| ([PTL]\d*) \| (.+) \|$", EVIDENCE, re.MULTILINE))
LABELS = re.compile(r"\[((?:[PTL]\d*)(?: [PTL]\d*)*)\]\s*$")


def statements() -> list[tuple[str, list[str]]]:
    """Rows of the table, items of lists and paragraphs, each with the labels it ends with."""
    found = []
    blocks = re.split(r"\n\n|\n(?=- |\d\. |\||## )", BODY)
    for block in blocks:
        text = re.sub(r"^#+ .*\n?", "", block.strip()).strip()
        if not text or text.startswith(("|---", "| parties")):
            continue
        if text.startswith("|"):
            labels = text.rstrip("|").split("|")[-1].split()
        else:
            match = LABELS.search(text)
            labels = match.group(1).split() if match else []
        found.append((text[:60], labels))
    return found


@pytest.mark.parametrize(("statement", "labels"), statements())
def test_every_statement_names_what_shows_it(statement, labels):
    assert labels, statement
    assert set(labels) <= set(NAMED)


def test_nothing_is_named_for_no_statement():
    assert set(NAMED) == {label for _statement, labels in statements() for label in labels}
    assert len(statements()) > 30


@pytest.mark.parametrize("label", [label for label in NAMED if label != "L"])
def test_what_is_named_exists(label):
    place = NAMED[label].strip("`")
    if place.startswith("tests/"):
        path, name = place.split("::")
        tree = ast.parse((ROOT / path).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        return
    path, rest = place.split("#")
    page = (ROOT / path).read_text()
    anchor = rest.split()[0]
    assert f"## {anchor.capitalize()}" in page
    number = re.search(r"\((\d)", rest)
    assert number is None or f"\n{number.group(1)}. **" in page
