"""Two parts of a log: one to make releases of, and one to test them on.

By user nobody is in both; by row, as the published studies did, most people are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.errors import InputError
from crowdlog.files.whole import new_folder
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.measure.draws import mix
from crowdlog.measure.log_arrays import LogArrays, read_log
from crowdlog.types import Bools

By = Literal["user", "row"]


def held_out_rows(events: LogArrays, *, folds: int, fold: int, by: By = "user", seed: int = 0) -> Bools:
    """Mark the rows of one fold. The clicks of one impression always stay together."""
    if folds < 2:
        raise InputError(f"The number of folds must be at least 2. Got {folds}.")
    if not 0 <= fold < folds:
        raise InputError(f"With {folds} folds the fold must be one of 0 to {folds - 1}. Got {fold}.")
    hashes = mix(events.user, seed)
    if by == "row":
        hashes = mix(events.query, mix(events.time, hashes))
    marked: Bools = hashes % np.uint64(folds) == np.uint64(fold)
    return marked


def split_store(
    store: LogStore,
    out: str | Path,
    *,
    folds: int = 5,
    fold: int = 0,
    by: By = "user",
    seed: int = 0,
    share_ledger: bool = False,
) -> tuple[LogStore, LogStore]:
    """Write the stores OUT/rest and OUT/test. All of OUT appears, or nothing.

    `share_ledger`: what is released from the parts is charged to the ledger of the whole.
    """
    target = Path(out).absolute()
    try:
        with new_folder(target) as folder:
            marked = held_out_rows(read_log(store), folds=folds, fold=fold, by=by, seed=seed)
            if marked.all() or not marked.any():
                raise InputError(
                    f"Fold {fold} of {folds} leaves one part empty: this log has {store.info.users} users. "
                    "Use fewer folds or another seed."
                )
            for name, rows in (("rest", ~marked), ("test", marked)):
                write_rows(store, rows, folder / name, share_ledger=share_ledger)
    except OSError as error:
        raise InputError(
            f"The parts could not be written to {target}: {error.strerror}. "
            "Make room or choose another place."
        ) from None
    return LogStore.open(target / "rest"), LogStore.open(target / "test")


def write_rows(store: LogStore, rows: Bools, out: Path, *, share_ledger: bool = False) -> LogStore:
    """A store of some rows: as text into a file beside the new store, imported as any log is, and the file
    removed.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    events = pq.read_table(store.events(), columns=["user", "query", "time", "rank", "url"]).filter(
        pa.array(rows)
    )
    named = {"user": store.users(), "query": store.queries(), "url": store.urls()}
    texts = {column: pq.read_table(path)["text"].combine_chunks() for column, path in named.items()}
    columns = {
        column: texts[column].take(events[column]) if column in texts else events[column]
        for column in events.column_names
    }
    source = out.with_suffix(".rows.parquet")
    pq.write_table(pa.table(columns), source)
    part = import_log(
        source,
        out,
        format="parquet",
        merge_next_page=store.info.merge_next_page,
        keep_dash=True,
        part_of=store.info.id,
        ledger=store.ledger() if share_ledger else None,
    )
    source.unlink()
    return part
