"""JSON: one object per line, an array of objects, or what a search engine's `_search` answers; fields inside
fields by their path (`a.b`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, cast

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch
from crowdlog.log.formats.extractor import Extractor, FirstFields
from crowdlog.log.formats.field_names import LOOK, Path, is_technical, look, paths
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.formats.records import JsonRecords, as_object, bare_lines, paths_of, records
from crowdlog.log.formats.roles import guess_roles
from crowdlog.log.formats.table_roles import TableRead, table_roles
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, options: ReadOptions) -> TableRead:
    """A field that only later records have may be named; one that no record has is refused at the end."""
    _refuse_wrapped(source, said=options.columns is not None)
    fields = look(source)
    if options.columns is None:
        roles = table_roles(source, options, fields.shown, hidden=fields.hidden)
    else:
        said = [name for name in options.columns.values() if paths_of(name)]
        roles = table_roles(source, options, [*fields.shown, *said])
    first = FirstFields(fields, options.columns is not None)
    return TableRead(source, roles, partial(extracted, source, roles.columns, first, options.tell))


def _refuse_wrapped(source: SourceFile, *, said: bool) -> None:
    """Records with searches in a list inside them: all but those around them would be lost. Of several
    records only lists of whole searches are meant, for a search may come with suggestions; and who named the
    columns (`said`) knows what is left out.
    """
    part = next(records(source), JsonRecords([], []))
    alone = len(part) == 1
    if said and not alone:
        return
    needed = {"query"} if alone else {"query", "time"}
    found: Counter[Path] = Counter()
    for raw in part.raw[:LOOK]:
        for path, inner in _lists(as_object(raw) or {}):
            found[path] += sum(
                isinstance(each, dict) and needed <= set(guess_roles(list(each))) for each in inner
            )
    for path, searches in found.items():
        name = ".".join(path) if all(map(is_technical, path)) else "one of its fields"
        if searches and alone:
            raise InputError(
                f"{source.name} is a single record, and {name} holds a list of {searches:,} others that look "
                "like searches, which would be lost. Export that list alone, or one record per line."
            )
        if searches:
            raise InputError(
                f"Records of {source.name} hold lists of others that look like searches ({searches:,} in "
                f"{name} of the first {min(len(part), LOOK):,}), which would be lost. Export one record per "
                "search; if these are something else, name the columns with --columns user=…,query=…,time=…"
            )


def _lists(value: Mapping[str, Any]) -> Iterator[tuple[Path, list[Any]]]:
    """The lists in a record, and in objects inside it."""
    for path, is_leaf in paths(value):
        inner: Any = reduce(lambda held, step: held[step], path, cast(Any, value))
        if is_leaf and isinstance(inner, list):
            yield path, inner


def extracted(
    source: SourceFile,
    roles: Mapping[str, str],
    first: FirstFields,
    tell: Callable[[str], None],
    advance: Advance,
) -> Iterator[Batch]:
    """Later records without a field are set aside; a field that none has is refused."""
    extractor = Extractor(roles, source.name, first, tell)
    for part in records(source, advance):
        yield extractor.batch(part)
    extractor.check_all_seen(list(roles))


@dataclass(frozen=True)
class LinesOfJson:
    """Takes lines of JSON apart anywhere: the database that does it is opened where it is used."""

    roles: dict[str, str]
    file: str
    first: FirstFields
    tell: Callable[[str], None]

    @classmethod
    def of(cls, read: TableRead) -> LinesOfJson | None:
        """For a file of lines each of which is a record. Not where the first have not every field that was
        named: whether any has, is known only to who reads them all.
        """
        whole: Any = read.batches
        source, roles, first, tell = whole.args
        lines = bare_lines(source)
        if lines is None:
            return None
        extractor = Extractor(roles, source.name, first)
        extractor.batch(lines)
        return cls(roles, source.name, first, tell) if extractor.has_seen_all() else None

    def __call__(self, data: bytes, first: int) -> Batch:
        """The rows of whole lines, of which the first has this number."""
        lines = (line.removesuffix(b"\r") for line in data.removesuffix(b"\n").split(b"\n"))
        numbered = [(number, line) for number, line in enumerate(lines, first) if line.strip()]
        part = JsonRecords([number for number, _line in numbered], [line for _number, line in numbered])
        return Extractor(self.roles, self.file, self.first, self.tell).batch(part)
