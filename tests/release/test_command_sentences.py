"""The catalogue of commands: what is printed on the way of a release beside its label and its errors, and how
a command ends. Each sentence has a case that prints it and looks whether it is true (told/of_commands.py).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.release.errors.bench import QUERY, Bench
from tests.release.told.of_commands import OF_COMMANDS
from tests.support.logs import crowd_rows, make_log
from tests.support.sentences import SOURCE, command_texts, pattern

# Fields of the structured log and SQL. Faults of words and neighbours: tests/release/test_verify.py.
NOT_SAID = re.compile(
    r"time$|event$|stage$|unnest\(|WITH typed|hold a word that too few|have too few users around"
)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    """A store with a budget, and a release of it."""
    from crowdlog.mechanisms import parse

    folder = tmp_path_factory.mktemp("commands")
    log = make_log(folder, crowd_rows(60, [QUERY]))
    parse("DPu(epsilon=4, delta=1e-9, d=2)").release(log, folder / "done")
    return folder


@pytest.fixture
def bench(made_once, tmp_path, monkeypatch) -> Iterator[Bench]:
    return Bench(tmp_path, made_once, monkeypatch)


@pytest.mark.parametrize("module", OF_COMMANDS)
def test_every_text_has_a_case_and_every_case_a_text(module):
    known = OF_COMMANDS[module]
    found = [text for text in command_texts(module) if not NOT_SAID.match(text)]
    assert [text for text in found if not any(text.startswith(each) for each in known)] == []
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    short = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    texts = [*found, *(text for text in short if isinstance(text, str))]
    assert [each for each in known if not any(text.startswith(each) for text in texts)] == []


@pytest.mark.parametrize(
    ("module", "beginning"), [(module, each) for module, known in OF_COMMANDS.items() for each in known]
)
def test_the_text_is_printed_and_true(bench, module, beginning):
    said = OF_COMMANDS[module][beginning](bench)
    text = next((each for each in command_texts(module) if each.startswith(beginning)), beginning)
    assert pattern(text).search(said), said
    assert QUERY not in said
