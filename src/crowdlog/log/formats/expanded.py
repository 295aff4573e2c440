"""For formats whose records hold several events each: rows made record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch, batch_of_rows
from crowdlog.log.formats.records import objects, records
from crowdlog.log.rejects import GOOD, RECORD
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

Values = tuple[object, object, object, object, object]  # in the order of ROLES; None is no text


def expanded(
    source: SourceFile,
    rows_of: Callable[[dict[str, Any]], Iterator[Values]],
    tell: Callable[[str], None],
    advance: Advance,
) -> Iterator[Batch]:
    """The rows of each record; what is no object, or says something twice, is set aside; records without a
    search are told.
    """
    idle = total = 0
    for part in records(source, advance):
        rows, lines, reasons, raws = [], [], [], []
        raw_of = dict(zip(part.line, part.raw, strict=True))
        for line, value in objects(part):
            total += 1
            made = [tuple(map(_bytes, row)) for row in rows_of(value)]
            idle += not made
            rows += made
            lines += [line] * len(made)
            reasons += [GOOD] * len(made)
            raws += [raw_of[line]] * len(made)
            del raw_of[line]
        for line, raw in raw_of.items():  # no objects, or not to be trusted
            total += 1
            rows.append((b"",) * 5)
            lines.append(line)
            reasons.append(RECORD)
            raws.append(raw)
        if rows:
            yield batch_of_rows(rows, lines, reasons, raws)
    if idle == total:
        raise InputError(f"None of the {total:,} records of {source.name} is a search.")
    if idle:
        tell(f"{idle:,} of the {total:,} records of {source.name} are no searches and were passed over.")


def _bytes(value: object) -> bytes:
    return b"" if value is None else str(value).encode("utf-8", "surrogatepass")
