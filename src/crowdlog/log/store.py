"""The log store: a folder with the encoded log, made once by an import and read by everything else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.files.private import no_core_dumps
from crowdlog.privacy.ledger import is_postgres
from crowdlog.privacy.ledger_head import HEAD

VERSION = 2
FILES = ("events.parquet", "queries.parquet", "urls.parquet", "users.parquet")
LEDGER = "ledger.sqlite"
OPENED: set[Path] = set()  # by this process: when something cannot be understood, they are checked


@dataclass(frozen=True)
class StoreInfo:
    """What store.json says.

    Counts only; `rejected` maps a reason to its number of rows; `files` each file to its bytes and `hashes`
    to its SHA-256, to notice a damaged store. `guessed`: formats that were recognised, not said.
    `ledger`: where it is, if it is shared with other stores. `part_of`: the store it was split from.
    `people`: a sketch of the user names (people.py).
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
    hashes: dict[str, str] = field(default_factory=dict)
    guessed: list[str] = field(default_factory=list)
    ledger: str | None = None
    part_of: str | None = None
    people: list[str] = field(default_factory=list)
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
        _refuse_closed(folder)
        if not folder.exists():
            raise InputError(
                f"There is no log store {folder}. Make one with: crowdlog import LOG -o {folder}"
            )
        if not (folder / "store.json").is_file():
            raise InputError(
                f"{folder} is not a log store: it has no store.json. "
                "Make one with: crowdlog import LOG -o STORE"
            )
        no_core_dumps()
        store = cls(folder, _read_info(folder / "store.json"))
        for name, size in store.info.files.items():
            if not (folder / name).is_file() or (folder / name).stat().st_size != size:
                raise _damaged(folder, name)
        OPENED.add(folder.absolute())
        return store

    def check(self) -> None:
        """Read every file and compare it with its hash: InputError when a byte differs since the import."""
        for name, expected in self.info.hashes.items():
            try:
                with (self.path / name).open("rb") as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise _damaged(self.path, name) from None
            if found != expected:
                raise _damaged(self.path, name)

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

    def ledger(self) -> Path | str:
        """Where the ledger is: in the store, or where the import was told; a path or a PostgreSQL address."""
        if self.info.ledger is None:
            return self.path / LEDGER
        return self.info.ledger if is_postgres(self.info.ledger) else Path(self.info.ledger)

    def ledger_head(self) -> Path:
        """The file in which this store keeps the last line of the ledger that it saw."""
        return self.path / HEAD

    def query_texts(self, ids: Sequence[int] | NDArray[Any]) -> pa.StringArray:
        """The texts of these query ids, in this order."""
        return _texts(self.queries(), ids, self.info.queries)

    def url_texts(self, ids: Sequence[int] | NDArray[Any]) -> pa.StringArray:
        """The texts of these url ids, in this order."""
        return _texts(self.urls(), ids, self.info.urls)


def write_info(path: Path, info: StoreInfo) -> None:
    values = asdict(info)
    path.write_text(json.dumps({**values, "checksum": _checksum(values)}, indent=2) + "\n", encoding="utf-8")


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def _read_info(path: Path) -> StoreInfo:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        version, checksum = values.pop("version"), values.pop("checksum", None)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"The log store {path.parent} is damaged: its store.json cannot be read. Import the log again."
        ) from error
    if version != VERSION or set(values) != {f.name for f in fields(StoreInfo)} - {"version"}:
        raise InputError(
            f"The log store {path.parent} was made by another version of crowdlog. Import the log again."
        )
    if checksum != _checksum({**values, "version": version}):
        raise _damaged(path.parent, path.name)
    return StoreInfo(**values)


def _damaged(folder: Path, name: str) -> InputError:
    return InputError(
        f"The log store {folder} is damaged: {name} is missing or changed. Import the log again."
    )


def _refuse_closed(folder: Path) -> None:
    """Somebody else's folder, or a name that no folder can have."""
    try:
        if folder.exists():
            next(folder.iterdir(), None)
    except NotADirectoryError:
        return
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no folder can have this name"
        raise InputError(f"The log store {str(folder)[:200]} cannot be opened: {why}.") from None


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
