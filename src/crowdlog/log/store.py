"""The log store: a folder with the encoded log, made once by an import and read by everything else."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crowdlog.errors import InputError

VERSION = 1
FILES = ("events.parquet", "queries.parquet", "urls.parquet", "users.parquet")
LEDGER = "ledger.sqlite"


@dataclass(frozen=True)
class StoreInfo:
    """What store.json says.

    Counts only; `rejected` maps a reason to its number of rows; `files` to bytes, to notice a damaged store.
    """

    id: str  # random: names this store in labels, where the content hash would tell too much
    rows: int
    users: int
    queries: int
    urls: int
    clicks: int
    impressions: int
    first_time: int
    last_time: int
    content_hash: str
    formats: list[str]
    normalisation: str
    merge_next_page: bool
    scrubbed: int
    rejected: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    version: int = VERSION


@dataclass(frozen=True)
class LogStore:
    """An opened store. Its files are never changed; only the ledger beside them is."""

    path: Path
    info: StoreInfo

    @classmethod
    def open(cls, path: str | Path) -> LogStore:
        """Open a store, or say clearly why that is none."""
        folder = Path(path)
        if not folder.exists():
            raise InputError(
                f"There is no log store {folder}. Make one with: crowdlog import LOG -o {folder}"
            )
        if not (folder / "store.json").is_file():
            raise InputError(
                f"{folder} is not a log store: it has no store.json. Make one with: crowdlog import LOG -o STORE"
            )
        store = cls(folder, _read_info(folder / "store.json"))
        for name, size in store.info.files.items():
            if not (folder / name).is_file() or (folder / name).stat().st_size != size:
                raise InputError(
                    f"The log store {folder} is damaged: {name} is missing or changed. Import the log again."
                )
        return store

    def is_still_there(self) -> bool:
        """Whether the path still holds this very store: another one may have been moved to its place."""
        try:
            return _read_info(self.path / "store.json") == self.info
        except (OSError, InputError):
            return False

    def events(self) -> Path:
        return self.path / "events.parquet"

    def queries(self) -> Path:
        return self.path / "queries.parquet"

    def urls(self) -> Path:
        return self.path / "urls.parquet"

    def users(self) -> Path:
        return self.path / "users.parquet"

    def ledger(self) -> Path:
        return self.path / LEDGER

    def query_texts(self, ids: Sequence[int] | NDArray[Any]) -> pa.StringArray:
        """The texts of these query ids, in this order."""
        return _texts(self.queries(), ids, self.info.queries)

    def url_texts(self, ids: Sequence[int] | NDArray[Any]) -> pa.StringArray:
        """The texts of these url ids, in this order."""
        return _texts(self.urls(), ids, self.info.urls)


def write_info(path: Path, info: StoreInfo) -> None:
    path.write_text(json.dumps(asdict(info), indent=2) + "\n", encoding="utf-8")


def _read_info(path: Path) -> StoreInfo:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        version = values["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"The log store {path.parent} is damaged: its store.json cannot be read. Import the log again."
        ) from error
    if version != VERSION or set(values) != {f.name for f in fields(StoreInfo)}:
        raise InputError(
            f"The log store {path.parent} was made by another version of crowdlog. Import the log again."
        )
    return StoreInfo(**values)


def _texts(path: Path, ids: Sequence[int] | NDArray[Any], count: int) -> pa.StringArray:
    """Read only the row groups that hold an asked id; the rows of a file are its ids in order."""
    import pyarrow.parquet as pq

    asked = np.asarray(ids, dtype=np.int64)
    if len(asked) and (asked.min() < 0 or asked.max() >= count):
        raise IndexError(f"ids must be from 0 to {count - 1}")
    file = pq.ParquetFile(path)
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
    order = np.argsort(asked, kind="stable")
    bounds = np.searchsorted(asked[order], np.cumsum([0, *sizes]))
    pieces: list[Any] = [pa.array([], pa.string())]
    for i, first in enumerate(np.cumsum([0, *sizes])[:-1]):
        mine = asked[order[bounds[i] : bounds[i + 1]]]
        if len(mine):
            pieces.append(
                file.read_row_group(i, columns=["text"])
                .column("text")
                .combine_chunks()
                .take(pa.array(mine - first))
            )
    back = np.empty(len(asked), np.int64)
    back[order] = np.arange(len(asked))
    texts: pa.StringArray = pa.concat_arrays(pieces).take(pa.array(back, pa.int64()))
    return texts
