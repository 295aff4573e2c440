"""What a result was made from: other code, or another file, would not find the same."""

from __future__ import annotations

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def source_digest(package: Path = PACKAGE) -> str:
    """A digest of every file of the package. The version alone would not notice an edited mechanism."""
    whole = hashlib.sha256()
    for file in sorted(package.rglob("*")):
        if file.is_file() and file.parent.name != "__pycache__":
            whole.update(f"{file.relative_to(package)} {file_digest(file)}\n".encode())
    return whole.hexdigest()


def file_digest(file: Path) -> str:
    """A digest of the content of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()
