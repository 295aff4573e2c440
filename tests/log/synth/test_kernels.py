"""Kernels that are compiled without the code by which Python would call them are called by kernels alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from crowdlog.log import synth

FILES = {
    path: ast.parse(path.read_text(encoding="utf-8")) for path in Path(synth.__file__).parent.glob("*.py")
}


def decorated(node: ast.AST, *names: str) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(each, ast.Name) and each.id in names for each in node.decorator_list
    )


def calls_outside(node: ast.AST) -> Iterator[str]:
    """Names of functions that are called where no kernel is."""
    if decorated(node, "kernel", "entry"):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield node.func.id
    for inner in ast.iter_child_nodes(node):
        yield from calls_outside(inner)


def test_python_calls_only_what_it_can():
    """Such a call would end the process without a word."""
    inner = {
        node.name
        for tree in FILES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and decorated(node, "kernel")
    }
    assert len(inner) > 60
    assert inner.isdisjoint(name for tree in FILES.values() for name in calls_outside(tree))
