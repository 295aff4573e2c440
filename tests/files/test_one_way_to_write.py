"""Only `files` forces to disk and gives final names: a writer of its own forgets a lock, a clean-up or the
folder's own name. The few others do something else than writing a file whole, and are listed with what.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OTHERS = {
    "src/crowdlog/crowd/services/pool_file.py": "changes places within a file, and overwrites the old one",
    "src/crowdlog/crowd/services/trail.py": "adds a line to the end",
    "src/crowdlog/log/building.py": "moves the rejects out of a folder that is made whole",
    "src/crowdlog/privacy/ledger_head.py": "writes into a folder that is held open, wherever it is moved",
    "src/crowdlog/release/publish.py": "names a release after the ledger was told its hash",
}


def test_nobody_else_renames_or_forces_to_disk():
    found = {
        str(path.relative_to(ROOT))
        for folder in ("src", "benchmarks", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if not path.is_relative_to(ROOT / "src/crowdlog/files") and _gives_names(path)
    }
    assert found == OTHERS.keys()


def _gives_names(path: Path) -> bool:
    """Whether it calls fsync or renames; `replace` with one value is a path's, that of a text has two."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr == "fsync"
            or (node.func.attr == "rename" and len(node.args) == 1 and not node.keywords)
            or (node.func.attr == "replace" and _of_os_or_path(node))
        )
        for node in ast.walk(ast.parse(path.read_text()))
    )


def _of_os_or_path(node: ast.Call) -> bool:
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return (isinstance(owner, ast.Name) and owner.id == "os") or (len(node.args) == 1 and not node.keywords)
