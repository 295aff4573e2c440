"""The release folder: tables as Parquet, the label as JSON and Markdown, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crowdlog.errors import InputError
from crowdlog.files.whole import new_folder
from crowdlog.json_safe import strict_json
from crowdlog.release.contract import CONTRACT, check_tables, keeps_contract
from crowdlog.release.label import Label
from crowdlog.release.seal import check_seal, sealed

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.release.assemble import Draft

LABEL = "label.json"


@dataclass(frozen=True, repr=False)
class Release:
    """A published release."""

    path: Path
    label: Label

    def _repr_html_(self) -> str:
        """What a notebook shows: released data alone."""
        from crowdlog.pages.in_notebook import fields_in_notebook
        from crowdlog.release.meaning import meaning_for_one_person

        label = self.label
        told = {"made by": " and ".join(label.mechanisms), "date": label.date}
        return fields_in_notebook(
            f"Release {self.path.name}",
            {"meaning": meaning_for_one_person(label.promise.guarantee)} | told | dict(label.tables),
        )

    @classmethod
    def open(cls, path: str | Path) -> Release:
        folder = Path(path)
        stored = _stored(folder)
        Label.check_version(stored, of=str(folder))  # of another version nobody knows what its seal covers
        check_seal(stored, str(folder))  # before anything is computed with its numbers
        return cls(folder, Label.read(stored, of=str(folder)))

    def signed_by(self) -> str | None:
        """The public key of who signed it, in hexadecimal; None without a signature."""
        return check_seal(self.stored(), str(self.path))

    def stored(self) -> Any:
        """The label as its file has it, with the seal."""
        return _stored(self.path)

    def check(self) -> None:
        """Every table and page that the label names is there with its hash, and no other table."""
        there = {name for name in CONTRACT if (self.path / f"{name}.parquet").exists()}
        named, hashed = set(self.label.tables), set(self.label.hashes)
        pages = {name for name in hashed if Path(name).suffix}
        if there != named or hashed - pages != named:
            raise InputError(f"The tables of {self.path} are not those of its label: do not trust them.")
        for name, rows in self.label.tables.items():
            table = self.table(name)
            if table is None or table.num_rows != rows:
                raise InputError(f"Table {name} of {self.path} has not the rows that its label says.")
        for name in sorted(pages):
            if _digest(self.path / name) != self.label.hashes[name]:
                raise InputError(
                    f"{self.path / name} was changed after it was written: do not trust it. "
                    f"'crowdlog label {self.path}' shows what the label says."
                )

    def unnamed(self) -> list[str]:
        """Files in the folder that the label does not name: nobody vouches for them."""
        hashed = self.label.hashes
        named = {LABEL, *(name if Path(name).suffix else f"{name}.parquet" for name in hashed)}
        return sorted({path.name for path in self.path.iterdir()} - named)

    @property
    def tables(self) -> list[str]:
        """The names of the tables in this release: what its label does not name is none of them."""
        return [name for name in CONTRACT if name in self.label.tables]

    def table(self, name: str) -> pa.Table | None:
        """A table by name, or None when this release has none of that name."""
        import pyarrow.parquet as pq

        if name not in self.tables:
            return None
        path = self.path / f"{name}.parquet"
        expected = self.label.hashes.get(name)
        if expected is not None and _digest(path) != expected:
            raise InputError(f"{path} is not the table that the label was written for: do not trust it.")
        try:
            table = pq.read_table(path)
        except (OSError, ValueError):
            raise InputError(f"{path} cannot be read as Parquet: the release is damaged.") from None
        if not keeps_contract(name, table):  # its hash fits: whoever changed it made the label anew
            raise InputError(f"{path} has not the columns of such a table: do not trust it.")
        return table

    def queries(self) -> pa.Table | None:
        return self.table("queries")

    def clicks(self) -> pa.Table | None:
        return self.table("clicks")

    def pairs(self) -> pa.Table | None:
        return self.table("pairs")

    def sessions(self) -> pa.Table | None:
        return self.table("sessions")

    def __repr__(self) -> str:
        return f"Release({str(self.path)!r}, {' and '.join(self.label.mechanisms)})"


def _stored(folder: Path) -> Any:
    """What label.json says. A name that stands twice in it is refused: readers would not agree on it."""
    try:
        return strict_json((folder / LABEL).read_bytes())
    except FileNotFoundError:
        raise InputError(
            f"{folder} is not a release: it has no {LABEL}. Give the folder that 'crowdlog release' wrote."
        ) from None
    except ValueError:
        raise InputError(
            f"The label of {folder} cannot be read: {LABEL} is not valid JSON, or says one thing twice."
        ) from None
    except OSError as error:
        raise InputError(f"The label of {folder} cannot be read: {error.strerror}.") from None


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None


def fill_folder(folder: Path, draft: Draft, key: Any = None) -> None:
    """Write all files of a release into this folder."""
    import pyarrow.parquet as pq

    check_tables(draft.tables)
    for name, table in draft.tables.items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    for name, text in draft.pages.items():
        (folder / name).write_text(text, encoding="utf-8")
    hashes = {name: _digest(folder / f"{name}.parquet") for name in draft.tables}
    hashes |= {name: _digest(folder / name) for name in draft.pages}
    stored = sealed(replace(draft.label, hashes=hashes).to_json(), key)
    label = json.dumps(stored, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / LABEL).write_text(label + "\n", encoding="utf-8")


def folder_hash(folder: Path) -> str | None:
    """SHA-256 of the names and contents of a folder of plain files; None if it is not such a folder."""
    whole = hashlib.sha256()
    try:
        for path in sorted(folder.iterdir()):
            if not stat.S_ISREG(path.lstat().st_mode):
                return None
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").digest()
            name = os.fsencode(path.name)
            whole.update(len(name).to_bytes(8, "big") + name + content)
    except OSError:
        return None
    return whole.hexdigest()


def write_folder(out: Path, draft: Draft) -> Release:
    """Write a release that no ledger knows of. On failure nothing is left."""
    try:
        with new_folder(out) as folder:
            fill_folder(folder, draft)
    except OSError as error:
        advice = "Make room or choose another place."
        raise InputError(f"The release could not be written to {out}: {error.strerror}. {advice}") from None
    return Release(out, draft.label)
