"""The log store: a folder with the encoded log, made once by an import and read by everything else."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crowdlog.errors import InputError
from crowdlog.files.address import Address, local_path
from crowdlog.files.private import no_core_dumps
from crowdlog.privacy.ledger_head import HEAD
from crowdlog.privacy.ledger_place import LEDGER, is_postgres, without_password

VERSION = 2
INFO = "store.json"
FILES = ("events.parquet", "queries.parquet", "urls.parquet", "users.parquet")
OPENED: set[Path] = set()  # by this process: when something cannot be understood, they are checked


@dataclass(frozen=True)
class StoreInfo:
    """What store.json says.

    Counts only; `rejected` maps a reason to its number of rows; `files` each file to its bytes and `hashes`
    to its SHA-256, to notice a damaged store. `guessed`: formats that were recognised, not said.
    `ledger`: where it is, if it is shared with other stores. `part_of`: the store it was split from.
    `tables`: the address of the folder that holds the tables, if they do not lie in the store.
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
    tables: str | None = None
    version: int = VERSION

    @property
    def has_times(self) -> bool:
        """A log that was imported without times stands at one moment, the beginning of 1970."""
        return (self.first_time, self.last_time) != (0, 0)


@dataclass(frozen=True, repr=False)
class LogStore:
    """An opened store. Its files are never changed; only the ledger beside them is."""

    path: Path
    info: StoreInfo

    def __repr__(self) -> str:
        return f"LogStore({str(self.path)!r}: {self.info.users:,} users, {self.info.rows:,} rows)"

    def _repr_html_(self) -> str:
        """What a notebook shows: counts, never a text."""
        from crowdlog.pages.in_notebook import fields_in_notebook

        info = self.info
        counts = {"people": info.users, "rows": info.rows, "distinct queries": info.queries}
        return fields_in_notebook(f"Log store {self.path.name}", counts | {"clicks": info.clicks})

    @classmethod
    def open(cls, path: str | Path) -> LogStore:
        """Open a store, or say clearly why that is none."""
        folder = local_path(path)
        _refuse_closed(folder)
        if not folder.exists():
            raise InputError(
                f"There is no log store {folder}. Make one with: crowdlog import LOG -o {folder}"
            )
        if not (folder / INFO).is_file():
            raise InputError(
                f"{folder} is not a log store: it has no store.json. "
                "Make one with: crowdlog import LOG -o STORE"
            )
        no_core_dumps()
        store = cls(folder, read_info(folder))
        sizes = store.sizes()
        for name, size in store.info.files.items():
            if sizes.get(name) != size:
                raise _damaged(folder, name, store.info)
        OPENED.add(folder.absolute())
        return store

    def check(self) -> None:
        """Read every file and compare it with its hash: InputError when a byte differs since the import."""
        for name, expected in self.info.hashes.items():
            try:
                with self._opened(name) as file:
                    found = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise _damaged(self.path, name, self.info) from None
            if found != expected:
                raise _damaged(self.path, name, self.info)

    def sizes(self) -> dict[str, int]:
        """The files of the tables that are there, with their bytes."""
        if self.info.tables is None:
            paths = ((name, self.path / name) for name in self.info.files)
            return {name: path.stat().st_size for name, path in paths if path.is_file()}
        root = Address(self.info.tables)
        return {str(part.relative_to(root)): size for part, size in root.files().items()}

    def _opened(self, name: str) -> Any:
        return (self.path / name).open("rb") if self.info.tables is None else self.there(name).open()

    def is_still_there(self) -> bool:
        """Whether the path still holds this very store: another one may have been moved to its place."""
        try:
            return read_info(self.path) == self.info
        except (OSError, InputError):
            return False

    def there(self, table: str) -> Any:
        """Where the engine reads a table, or a file of it, from whatever folder its tasks run in: a path in
        the store, or an address.
        """
        return self.path.absolute() / table if self.info.tables is None else Address(self.info.tables) / table

    def here(self, table: str) -> Path:
        """A table on this machine. One that lies elsewhere is fetched once, into the store."""
        path = self.path / table
        if self.info.tables is not None and not path.exists():
            from crowdlog.log.fetch import fetch_table

            fetch_table(Address(self.info.tables), table, path, self.info.hashes)
        return path

    def events(self) -> Path:
        return self.here("events.parquet")

    def queries(self) -> Path:
        return self.here("queries.parquet")

    def urls(self) -> Path:
        return self.here("urls.parquet")

    def users(self) -> Path:
        return self.here("users.parquet")

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
        return _texts(self.there("queries.parquet"), ids, self.info.queries)

    def url_texts(self, ids: Sequence[int] | NDArray[Any]) -> pa.StringArray:
        """The texts of these url ids, in this order."""
        return _texts(self.there("urls.parquet"), ids, self.info.urls)


def write_info(path: Path, info: StoreInfo) -> None:
    values = asdict(info)
    if info.tables is None:  # stores of before there was such a thing are read, too
        del values["tables"]
    path.write_text(json.dumps({**values, "checksum": _checksum(values)}, indent=2) + "\n", encoding="utf-8")


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def read_info(folder: Path) -> StoreInfo:
    """What the store in this folder says of itself; its tables are not looked at. InputError for what it
    cannot have said.
    """
    try:
        values = json.loads((folder / INFO).read_text(encoding="utf-8"))
        version, checksum = values.pop("version"), values.pop("checksum", None)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"The log store {folder} is damaged: its {INFO} cannot be read. {import_again(folder)}"
        ) from error
    known = {f.name for f in fields(StoreInfo)} - {"version", "tables"}
    if version != VERSION or set(values) - {"tables"} != known:
        raise InputError(
            f"The log store {folder} was made by another version of crowdlog. {import_again(folder)}"
        )
    if checksum != _checksum({**values, "version": version}):
        raise _damaged(folder, INFO)
    return StoreInfo(**values)


def import_again(folder: Path, info: StoreInfo | None = None) -> str:
    """What to do about a store that cannot be used any more. The new one must not forget what was spent:
    its ledger is that of the old one, wherever that lies (`info`, if the store can still say it).
    """
    if info is None and not (folder / LEDGER).exists():
        return "Import the log again with --ledger, naming the ledger that it shared: what was spent counts."
    ledger = folder / LEDGER if info is None or info.ledger is None else info.ledger
    named = shlex.quote(without_password(ledger))
    return f"Import the log again with --ledger {named}: what was spent still counts."


def _damaged(folder: Path, name: str, info: StoreInfo | None = None) -> InputError:
    again = import_again(folder, info)
    return InputError(f"The log store {folder} is damaged: {name} is missing or changed. {again}")


def _refuse_closed(folder: Path) -> None:
    """Somebody else's folder, or a name that is too long."""
    try:
        if folder.exists():
            next(folder.iterdir(), None)
    except NotADirectoryError:
        return
    except OSError as error:
        raise InputError(f"The log store {str(folder)[:200]} cannot be opened: {error.strerror}.") from None


def _texts(table: Any, ids: Sequence[int] | NDArray[Any], count: int) -> pa.StringArray:
    """Read only the row groups that hold an asked id; the rows of a table are its ids in order."""
    from crowdlog.log.parts import opened_part, part_files

    asked = np.asarray(ids, dtype=np.int64)
    if len(asked) and (asked.min() < 0 or asked.max() >= count):
        raise IndexError(f"ids must be from 0 to {count - 1}")
    order = np.argsort(asked, kind="stable")
    rising = asked[order]
    pieces: list[Any] = [pa.array([], pa.string())]
    first = 0
    for part in part_files(table):
        with opened_part(part) as file:
            for i in range(file.metadata.num_row_groups):
                last = first + file.metadata.row_group(i).num_rows
                mine = rising[slice(*np.searchsorted(rising, [first, last]))]
                if len(mine):
                    texts = file.read_row_group(i, columns=["text"]).column("text").combine_chunks()
                    pieces.append(texts.take(pa.array(mine - first, pa.int64())))
                first = last
    back = np.empty(len(asked), np.int64)
    back[order] = np.arange(len(asked))
    found: pa.StringArray = pa.concat_arrays(pieces).take(pa.array(back, pa.int64()))
    return found
