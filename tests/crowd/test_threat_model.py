"""Every sentence of docs/threat-model.md names what shows it, and what is named exists."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "threat-model.md").read_text()
BODY, EVIDENCE = TEXT.split("## Evidence\n")
NAMED = dict(re.findall(r"^\| ([PTL]\d*) \| (.+) \|$", EVIDENCE, re.MULTILINE))
LABELS = re.compile(r"\[((?:[PTL]\d*)(?: [PTL]\d*)*)\]")
END_OF_SENTENCE = re.compile(r"[.!?](?=\s|$)")


def rows() -> list[tuple[str, list[str]]]:
    """Rows of tables, with the labels of their last cell; heads and rulers are none."""
    lines = BODY.splitlines()
    heads = {number - 1 for number, line in enumerate(lines) if line.startswith("|---")}
    found = []
    for number, line in enumerate(lines):
        if line.startswith("|") and not line.startswith("|---") and number not in heads:
            found.append((line[:60], line.rstrip("|").split("|")[-1].split()))
    return found


def sentences() -> list[tuple[str, list[str]]]:
    """What stands between labels outside tables, with the labels behind it; none for a rest without."""
    prose = "\n".join(line for line in BODY.splitlines() if not line.startswith(("|", "#")))
    found = []
    for block in re.split(r"\n\n|\n(?=- |\d\. )", prose):
        parts = LABELS.split(block)
        found += [
            (text.strip(), labels.split()) for text, labels in zip(parts[::2], parts[1::2], strict=False)
        ]
        if parts[-1].strip():
            found.append((parts[-1].strip(), []))
    return found


@pytest.mark.parametrize(("statement", "labels"), [*rows(), *sentences()])
def test_every_sentence_names_what_shows_it(statement, labels):
    assert labels, statement
    assert set(labels) <= set(NAMED)


@pytest.mark.parametrize("statement", [statement for statement, _labels in sentences()])
def test_between_two_labels_stands_one_sentence(statement):
    text = re.sub(r"^(- |\d\. )", "", statement)
    assert len(END_OF_SENTENCE.findall(text)) == 1, statement


def test_nothing_is_named_for_no_statement():
    assert set(NAMED) == {label for _statement, labels in [*rows(), *sentences()] for label in labels}
    assert len(rows()) > 20
    assert len(sentences()) > 40


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
