"""A log as the applications take it: a store, or a file that is read into a private, temporary one."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore


@contextmanager
def opened_log(path: str | Path) -> Iterator[LogStore]:
    """The store of this name, or one made of the log of this name, which is gone afterwards.

    The temporary store is a folder that nobody else may read.
    """
    if (Path(path) / "store.json").is_file():
        yield LogStore.open(path)
        return
    with tempfile.TemporaryDirectory(prefix="crowdlog-") as folder:
        yield import_log(path, Path(folder) / "store", keep_dash=True)
