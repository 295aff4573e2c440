"""People kept apart from the releases of a comparison, to try the tasks on.

The parts hold text of the log, so they live as long as the run: beside the releases that are being tried.
"""

from __future__ import annotations

from pathlib import Path

from crowdlog.files.locks import locked
from crowdlog.log.store import LogStore
from crowdlog.utility.splits import split_store

FOLDS = 5  # one fifth of the people is tested on
PARTS = "held-out.partial"  # what ends in .partial is destroyed when the run ends, or when the next begins


def parts(store: str, cache: Path) -> tuple[LogStore, LogStore]:
    """The people whom releases are made of, and the others. The first process that asks makes both."""
    folder = cache / PARTS
    with locked(cache / f"{PARTS}.lock"):
        if not folder.exists():
            split_store(LogStore.open(store), folder, folds=FOLDS)
    return LogStore.open(folder / "rest"), LogStore.open(folder / "test")
