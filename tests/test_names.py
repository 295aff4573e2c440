"""One class name has one meaning in the whole of src: a reader who meets it need not ask which one it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"


def test_no_class_name_is_defined_twice():
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert places  # the folder was found
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
