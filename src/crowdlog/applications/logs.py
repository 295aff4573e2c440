"""A log as the applications take it: a store, or a file that is read into a private, temporary one."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crowdlog.files.scratch import Scratch
from crowdlog.log.importer import import_log
from crowdlog.log.rejects import NO_QUERY, REASONS
from crowdlog.log.store import LogStore
from crowdlog.release.publish import note_look


@contextmanager
def opened_log(path: str | Path, how: str) -> Iterator[LogStore]:
    """The store of this name, or one made of the log of this name, which is gone afterwards.

    `how`: the command, for the ledger of a store, which notes looks at it. `-` is standard input. The
    temporary store is a folder that nobody else may read.
    """
    if (Path(path) / "store.json").is_file():
        store = LogStore.open(path)
        note_look(store, how)
        yield store
        return
    with Scratch("log") as folder:
        source = Path(path)
        if str(path) == "-":
            source = folder / "stdin.tsv"
            with source.open("wb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        yield import_log(source, folder / "store", keep_dash=True)


def unread_rows(store: LogStore) -> int:
    """Rows of the log that could not be read; a row without a query is no search and not counted."""
    return sum(rows for reason, rows in store.info.rejected.items() if reason != REASONS[NO_QUERY])
