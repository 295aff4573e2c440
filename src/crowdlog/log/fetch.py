"""A table of a store that lies at an address, copied into the store for commands that work on one machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.address import Address
from crowdlog.files.whole import new_folder
from crowdlog.log.store import import_again
from crowdlog.progress import progress_bar

_BLOCK = 1 << 22


def fetch_table(root: Address, table: str, target: Path, hashes: Mapping[str, str]) -> None:
    """Every file with the hash that the import noted, or InputError and nothing. Others cannot read it."""
    names = [name for name in hashes if name.startswith(f"{table}/")]
    with (
        new_folder(target, secret=True) as folder,
        progress_bar(f"Fetching {table}", len(names), unit="files") as advance,
    ):
        for name in names:
            if _copied(root / name, folder / name.partition("/")[2]) != hashes[name]:
                again = import_again(target.parent)
                raise InputError(f"{root / name} is not what the import wrote. {again}")
            advance(1)


def _copied(source: Address, target: Path) -> str:
    """The SHA-256 of what was copied."""
    digest = hashlib.sha256()
    with source.open() as there, target.open("wb") as here:
        while block := there.read(_BLOCK):
            here.write(block)
            digest.update(block)
    return digest.hexdigest()
