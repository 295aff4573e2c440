"""Build a store in a folder that takes its name at the very end: a reader sees the whole store or none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.files.disk import force_to_disk
from crowdlog.files.private import keep_private
from crowdlog.files.whole import new_folder

REJECTS = "rejects.tsv"


@contextmanager
def building(target: Path) -> Iterator[Path]:
    """Yield a new folder for the store. Rejects move beside it, before it is shown: without a store they are
    replaced by the next import.
    """
    with new_folder(target, secret=True) as folder:
        yield folder
        rejects = target.with_name(f"{target.name}.{REJECTS}")
        rejects.unlink(missing_ok=True)
        if (folder / REJECTS).exists():
            force_to_disk(folder / REJECTS)
            (folder / REJECTS).rename(rejects)
        keep_private(folder)
