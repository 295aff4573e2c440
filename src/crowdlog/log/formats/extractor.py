"""Takes the texts of the roles out of records, and notices fields that only later records have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch
from crowdlog.log.formats.arrow_text import from_arrow, no_texts
from crowdlog.log.formats.field_names import LOOK, FieldNames, Path, paths
from crowdlog.log.formats.records import JsonRecords, connection, text_of, twice, type_of
from crowdlog.log.formats.roles import TOLD, guess_roles
from crowdlog.log.rejects import GOOD, RECORD, TWICE

_NO_TEXT = ["OBJECT", "ARRAY", "BOOLEAN"]
_JSON = "CASE WHEN json_valid(raw) THEN raw::JSON END"
_MIXED = "JSON"  # how DuckDB calls a field that is an object here and none there
_MAY_COME_LATE = ("rank", "url")  # records before the first that has one lose nothing


@dataclass(frozen=True)
class FirstFields:
    """What was known when the roles were chosen. `said`: by the caller, who knows what is left out."""

    fields: FieldNames
    said: bool


class Extractor:
    """Takes the roles out of records; remembers which fields were there at all."""

    def __init__(
        self,
        roles: Mapping[str, str],
        file: str,
        first: FirstFields,
        tell: Callable[[str], None] = lambda _sentence: None,
    ) -> None:
        self._roles = dict(roles)
        self._file = file
        self._first = first
        self._tell = tell
        self._known = set(first.fields.names)
        self._seen: set[str] = set()
        self._db = connection()

    def batch(self, part: JsonRecords) -> Batch:
        """The five texts of each record."""
        texts = [raw.decode("utf-8", "replace") for raw in part.raw]
        table = {"raw": pa.array(texts, pa.large_string()), "n": pa.array(range(len(texts)), pa.int64())}
        self._db.register("part", pa.table(table))
        self._notice_late_fields()
        found = self._db.sql(self._statement()).to_arrow_table().combine_chunks()
        reason = np.where(
            found.column("fine").fill_null(False).to_numpy(zero_copy_only=False), GOOD, RECORD
        ).astype(np.uint8)
        columns = []
        for role in ROLES:
            if role not in self._roles:
                columns.append(no_texts(len(part)))
                continue
            kind = found.column(f"{role}_type").to_pylist()
            if any(kind):
                self._seen.add(role)
            reason[np.isin(np.array(kind, object), _NO_TEXT)] = RECORD
            columns.append(from_arrow(found.column(role).combine_chunks()))
        reason[found.column("twice").to_numpy(zero_copy_only=False)] = TWICE
        return Batch(tuple(columns), np.array(part.line, np.int64), reason, part.raw.__getitem__)

    def has_seen_all(self) -> bool:
        """Whether no field is left that may not exist."""
        return self._seen >= set(self._roles)

    def check_all_seen(self, needed: Sequence[str]) -> None:
        """A field that no record has was misspelt; without it rows or clicks would be lost in silence."""
        for role in needed:
            if role in self._roles and role not in self._seen:
                raise InputError(
                    f"No record of {self._file} has a field {self._roles[role]!r}. "
                    "Name the fields with --columns user=…,query=…,time=…"
                )

    def _statement(self) -> str:
        taken = ", ".join(
            f"{text_of(name)} AS {role}, {type_of(name)} AS {role}_type" for role, name in self._roles.items()
        )
        return (
            f"SELECT json_type(json) = 'OBJECT' AS fine, {twice(self._roles.values())} AS twice, {taken} "
            f"FROM (SELECT {_JSON} AS json, n FROM part) ORDER BY n"
        )

    def _notice_late_fields(self) -> None:
        """A field of a role that nobody plays yet is read from here on, or asked about; others are told."""
        nameless = False
        for path in self._paths():
            name = ".".join(path)
            if name in self._known or name in self._roles.values():
                continue
            if not self._first.fields.may_be_shown_late(path):
                nameless = True
                continue
            role = next(iter(guess_roles([name])), None)
            if role is None:
                nameless = True
            else:
                self._play(role, name)
        if nameless and not self._first.said:
            self._tell(
                f"Later records of {self._file} have fields that its first {LOOK} have not, whose names are "
                "not shown; they were not read. --columns says otherwise."
            )

    def _play(self, role: str, name: str) -> None:
        """A late field that looks like a role's."""
        free = role not in self._roles
        if free and not self._first.said:
            if role not in _MAY_COME_LATE or name != role:
                spelled = ",".join(f"{r}={n}" for r, n in {**self._roles, role: name}.items())
                raise InputError(
                    f"{self._file} has a field {name!r}, which looks like the {role}, but its first {LOOK} "
                    f"records have it not. If it is the {role}, name it with --columns {spelled}; if not, "
                    "leave it out there."
                )
            self._roles[role] = name
        elif not self._first.said or (free and role in TOLD):
            self._tell(f"Not read, though it looks like the {role}: {name}. --columns says otherwise.")

    def _paths(self) -> Iterator[Path]:
        """All fields of the records at hand."""
        for merged in self._structures(f"SELECT json_group_structure({_JSON})"):
            found = list(paths(merged)) if isinstance(merged, dict) else []
            if isinstance(merged, dict) and _MIXED not in json.dumps(merged):
                yield from (path for path, is_leaf in found if is_leaf)
                return
        each = {
            path
            for one in self._structures(f"SELECT DISTINCT json_structure({_JSON})")
            if isinstance(one, dict)
            for path, is_leaf in paths(one)
            if is_leaf
        }
        yield from sorted(each)

    def _structures(self, select: str) -> Iterator[object]:
        for (text,) in self._db.execute(f"{select}::VARCHAR FROM part").fetchall():
            yield json.loads(text) if text else None
