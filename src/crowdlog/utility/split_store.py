"""Two stores out of one: a part to make releases of, and a part of other people (or rows) to test them on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.measure.log_arrays import read_log
from crowdlog.types import Bools
from crowdlog.utility.splits import By, held_out_rows

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore


def split_store(store: LogStore, out: str | Path, *, folds: int = 5, fold: int = 0, by: By = "user", seed: int = 0) -> tuple[LogStore, LogStore]:
    """Write the stores OUT/rest and OUT/test. All of OUT appears, or nothing."""
    target = Path(out).absolute()
    if target.exists():
        raise InputError(f"{target} exists already. Choose another name for the parts.")
    marked = held_out_rows(read_log(store), folds=folds, fold=fold, by=by, seed=seed)
    if marked.all() or not marked.any():
        raise InputError(f"Fold {fold} of {folds} leaves one part empty: this log has {store.info.users} users. Use fewer folds or another seed.")
    partial = target.with_name(f"{target.name}.partial-split")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        for name, rows in (("rest", ~marked), ("test", marked)):
            write_rows(store, rows, partial / name)
        partial.rename(target)
    except OSError as error:
        raise InputError(f"The parts could not be written to {target}: {error.strerror}. Make room or choose another place.") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return _open(target / "rest"), _open(target / "test")


def write_rows(store: LogStore, rows: Bools, out: Path) -> LogStore:
    """A store of some rows: as text into a file beside the new store, imported as any log is, and the file removed."""
    out.parent.mkdir(parents=True, exist_ok=True)
    events = pq.read_table(store.events(), columns=["user", "query", "time", "rank", "url"]).filter(pa.array(rows))
    named = {"user": store.users(), "query": store.queries(), "url": store.urls()}
    texts = {column: pq.read_table(path)["text"].combine_chunks() for column, path in named.items()}
    columns = {column: texts[column].take(events[column]) if column in texts else events[column] for column in events.column_names}
    source = out.with_suffix(".rows.parquet")
    pq.write_table(pa.table(columns), source)
    part = import_log(source, out, format="parquet", merge_next_page=store.info.merge_next_page, keep_dash=True)
    source.unlink()
    return part


def _open(path: Path) -> LogStore:
    from crowdlog.log.store import LogStore

    return LogStore.open(path)
