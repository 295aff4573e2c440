"""The sentences in our source: every text that may be printed, with {} for what is filled in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "crowdlog"
_SQL = re.compile(r"(CREATE|INSERT|SELECT|PRAGMA|BEGIN|LOCK|SET) ")


def sentences(module: str) -> list[str]:
    """All texts of at least four words in a module, but for docstrings and SQL."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    skipped = {id(text) for text in _docstrings(tree)} | {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    texts = [_text(node) for node in ast.walk(tree) if id(node) not in skipped]
    return [text for text in texts if text and text.count(" ") >= 3 and not _SQL.match(text)]


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def pattern(sentence: str) -> re.Pattern[str]:
    """What a printed sentence looks like: its words in order, with at most a line of filled-in text between.

    Of a sentence that goes on below a table only the beginning is looked for.
    """
    parts = [part for part in re.split(r"\{\w*\}", sentence.strip("\n").split("\n")[0]) if part.strip()]
    return re.compile(".{1,300}?".join(re.escape(part) for part in parts))
