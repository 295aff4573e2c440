"""Rows that tasks could not read: counted there, and kept in the same private file as on one machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from crowdlog.engine.spark.load.pieces import Read, Reject
from crowdlog.engine.spark.load.sources import Inputs
from crowdlog.errors import InputError
from crowdlog.log.rejects import RejectsFile


def counted(read: Sequence[Read]) -> dict[str, int]:
    """How many rows were rejected for each reason."""
    total: Counter[str] = Counter()
    for each in read:
        total.update(each.rejected)
    return dict(sorted(total.items()))


def keep_rejects(
    rejects: Iterable[Reject], read: Sequence[Read], inputs: Inputs, path: Path, *, strict: bool
) -> None:
    """Write the bad rows, which come in the order of reading; or tell the first one, if `strict`."""
    before = _lines_before(read)
    with RejectsFile(path) as file:
        for row in rejects:
            name = inputs.files[row.file].name
            line = row.line + before[row.file, row.span]
            if strict:
                raise InputError(
                    f"Line {line} of {name} cannot be read: {row.reason}. "
                    "Correct it, or import without --strict to set such rows aside."
                )
            file.keep(name, line, row.reason, row.raw)


def _lines_before(read: Sequence[Read]) -> dict[tuple[int, int], int]:
    """How many lines of its file come before each span of it; a file read whole counts them itself."""
    before: dict[tuple[int, int], int] = {}
    seen: dict[int, int] = defaultdict(int)
    for each in sorted(read, key=lambda one: (one.file, one.span)):
        before[each.file, each.span] = seen[each.file]
        seen[each.file] += each.lines
    return before
