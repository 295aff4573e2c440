"""What a mechanism does is read in its plan, its promise and the roles of its parameters: nobody guesses it
from the names of its settings or attributes, or from its spelling.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from crowdlog.mechanisms import MECHANISMS

SOURCE = Path(__file__).resolve().parents[1] / "src" / "crowdlog"
READERS = (
    "attacks",
    "audit",
    "comparison",
    "crowd",
    "experiments",
    "measure",
    "pages",
    "plan",
    "planning",
    "release",
    "utility",
    "web",
)
# the code of a database's error, which older libraries do not have
ALLOWED = {("crowd/services/storage.py", "sqlite_errorcode")}
OF_TEXTS = {"startswith", "endswith", "partition", "split", "match", "search", "fullmatch", "compile"}


def guesses(tree: ast.AST):
    """Settings by name, attributes by a name in quotes, and mechanisms by how their spelling begins."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            owner = node.value
            if getattr(owner, "attr", getattr(owner, "id", "")) in ("settings", "as_published"):
                yield node.slice.value
        if not isinstance(node, ast.Call):
            continue
        texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in ("getattr", "hasattr") and texts:
            yield texts[0]
        if called in OF_TEXTS:
            yield from (text for text in texts if str(text).strip("^(\\b").startswith(tuple(MECHANISMS)))


@pytest.mark.parametrize("folder", READERS)
def test_readers_of_a_mechanism_guess_nothing_from_names(folder):
    found = {
        (path.relative_to(SOURCE).as_posix(), guess)
        for path in (SOURCE / folder).rglob("*.py")
        for guess in guesses(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found - ALLOWED == set()


@pytest.mark.parametrize(
    "code",
    [
        "promise.settings['K']",
        "getattr(mechanism, 'd', 0)",
        "spelling.startswith('HashedTokens')",
        "re.search('Korolova.*d=', spelling)",
    ],
)
def test_a_guess_is_seen(code):
    assert list(guesses(ast.parse(code)))
