"""`crowdlog import`: one pass over the files, one pass over the numbers, and a store that appears all at once
or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.files.private import no_core_dumps
from crowdlog.log.building import building
from crowdlog.log.formats import ReadOptions, reader
from crowdlog.log.pass1_encode import Intake
from crowdlog.log.pass2_write import Origin, assemble
from crowdlog.log.size import parse_size
from crowdlog.log.sources import find_sources
from crowdlog.log.store import LogStore, StoreInfo
from crowdlog.privacy.ledger import is_postgres
from crowdlog.progress import progress_bar


def import_log(
    sources: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the command line's word
    columns: Mapping[str, str] | None = None,
    date: str | None = None,
    quoted_lines: bool = False,
    strict: bool = False,
    memory: int | str | None = None,
    merge_next_page: bool = False,
    keep_dash: bool = False,
    ledger: str | Path | None = None,
    part_of: str | None = None,
    before: Callable[[StoreInfo], None] | None = None,
) -> LogStore:
    """Read logs into a new store at `out`.

    Rows that cannot be read go to `OUT.rejects.tsv`, or stop the import if `strict`.

    `date` (YYYY-MM-DD) is the day of logs that tell the time of day only. `quoted_lines`: quoted texts of a
    CSV file may have several lines; else one stray quotation mark is refused. `memory` bounds what the import
    holds; a log with more distinct text is refused. With `merge_next_page` the same query again without a
    click is no new impression. `keep_dash` keeps AOL's scrubbed queries '-'. `ledger`: a file or a
    postgresql:// address that several stores of the same people share; begun if it is not there. `before` is
    told what is in the log, and may raise, before the store is noted in its ledger.
    """
    no_core_dumps()
    files = find_sources([sources] if isinstance(sources, str | Path) else sources)
    options = ReadOptions(format, columns, date, quoted_lines)
    readers = [(source, reader(source, options)) for source in files]
    limit = parse_size(memory) if memory is not None else None
    with (
        building(Path(out)) as folder,
        closing(Intake(folder, strict=strict, memory=limit, keep_dash=keep_dash)) as intake,
    ):
        with progress_bar(
            "Reading", sum(source.path.stat().st_size for source in files), unit="bytes"
        ) as advance:
            for source, found in readers:
                intake.read(found.read(advance), source.name)
        with progress_bar("Sorting and writing", intake.events.rows) as advance:
            assemble(
                folder,
                intake,
                Origin(
                    sorted({found.format for _source, found in readers}),
                    [] if format else sorted({found.format for _source, found in readers}),
                    _address(ledger),
                    part_of,
                ),
                before=before,
                merge_next_page=merge_next_page,
                advance=advance,
            )
    return LogStore.open(out)


def _address(ledger: str | Path | None) -> str | None:
    """As a store keeps it: absolute, so that it is found from everywhere."""
    if ledger is None or is_postgres(ledger):
        return None if ledger is None else str(ledger)
    path = Path(ledger).absolute()
    if not path.parent.is_dir():
        raise InputError(
            f"There is no folder {path.parent} for the ledger. Make it, or choose another place."
        )
    return str(path)
