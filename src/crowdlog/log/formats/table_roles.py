"""How a general table is read: which columns play the roles, and what stands for those it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from crowdlog.errors import InputError
from crowdlog.log.columns import ROLES, Batch
from crowdlog.log.formats.arrow_text import same_text
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.roles import about_the_rest, about_unsaid, about_users, choose_roles
from crowdlog.log.formats.times import reads_natively, translated
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

_NO_TIME = b"0"  # a log without times stands at one moment, 1970-01-01 00:00:00


@dataclass(frozen=True)
class TableRoles:
    """`columns`: role → column of the file. `constants`: role → the same text in every row."""

    columns: dict[str, str]
    constants: dict[str, bytes]
    time_format: str | None
    file: str

    def complete(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The batches with all five roles, and times that the import reads."""
        filled = map(self._fill, batches) if self.constants else batches
        if self.constants.get("time") == _NO_TIME:
            return iter(filled)
        return translated(iter(filled), self.time_format, self.file)

    def _fill(self, batch: Batch) -> Batch:
        columns = list(batch.columns)
        for role, text in self.constants.items():
            columns[ROLES.index(role)] = same_text(text, len(batch))
        return replace(batch, columns=tuple(columns))


@dataclass(frozen=True)
class TableRead:
    """The reader of a general table. `batches` gives its rows as the file has them."""

    source: SourceFile
    roles: TableRoles
    batches: Callable[[Advance], Iterator[Batch]]

    def __call__(self, advance: Advance) -> Iterator[Batch]:
        return self.roles.complete(self.batches(advance))

    def is_plain(self) -> bool:
        """Whether texts and times are as the import's kernels take them: then any part can be read alone."""
        first = next(self.batches(lambda _amount: None), None)
        plain = not self.roles.constants and self.roles.time_format is None and self.source.encoding is None
        return plain and (first is None or reads_natively(first))


def table_roles(
    source: SourceFile, options: ReadOptions, names: Sequence[str], *, hidden: int = 0
) -> TableRoles:
    """By what the caller said, our own names, or a guess that somebody agreed to. `hidden`: how many columns
    there are besides whose names must not be shown.

    A column that is said but not there is refused: without it rows or clicks would be lost in silence.
    """
    parts = source.partitions
    there = [*names, *parts]
    roles = choose_roles(source.name, there, options.columns, options.confirm, hidden)
    said = options.columns is not None
    unread = about_unsaid(there, roles) if said else about_the_rest(there, roles, hidden)
    for sentence in (*about_users(roles), *unread):
        options.tell(sentence)
    columns: dict[str, str] = {}
    constants: dict[str, bytes] = {}
    for role, name in roles.items():
        found = _spelled(names, name)
        if found is not None:
            columns[role] = found
        elif name in parts:
            constants[role] = parts[name].encode()
        else:
            raise InputError(
                f"{source.name} has no column {name!r}. Name the columns with --columns user=…,query=…,time=…"
            )
    if "time" not in roles:
        constants["time"] = _NO_TIME
    return TableRoles(columns, constants, options.time_format, source.name)


def refuse_twice(source: SourceFile, names: Sequence[str], roles: TableRoles) -> None:
    """Which of two columns of one name is meant, nobody can tell."""
    for name in roles.columns.values():
        if names.count(name) > 1:
            raise InputError(
                f"{source.name} has several columns called {name!r}. Rename all but one of them."
            )


def _spelled(names: Sequence[str], wanted: str) -> str | None:
    """The column of this name; capitals and blanks around it do not count where nothing else differs."""
    if wanted in names:
        return wanted
    alike = [name for name in names if name.strip().lower() == wanted.strip().lower()]
    return alike[0] if len(alike) == 1 else None
