"""`crowdlog import`: one pass over the files, one pass over the numbers, and a store that appears all at once
or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Unpack

from crowdlog.files.address import local_path
from crowdlog.files.private import no_core_dumps
from crowdlog.log.building import building
from crowdlog.log.formats import Reader, ReadOptions, readers
from crowdlog.log.formats.options import Reading
from crowdlog.log.formats.store_rows import rows_of
from crowdlog.log.pass1_encode import Intake
from crowdlog.log.pass2_write import Origin, assemble
from crowdlog.log.shared_ledger import shared_ledger
from crowdlog.log.size import parse_size
from crowdlog.log.sources import find_sources
from crowdlog.log.store import LogStore, StoreInfo
from crowdlog.progress import progress_bar

_COPIES = "copies.partial"  # of sources that can be read only once; removed before the store is there


def import_log(
    sources: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    merge_next_page: bool = False,
    keep_dash: bool = False,
    ledger: str | Path | None = None,
    new_ledger: bool = False,
    append_to: LogStore | None = None,
    part_of: str | None = None,
    before: Callable[[StoreInfo], None] | None = None,
    **said: Unpack[Reading],
) -> LogStore:
    """Read logs into a new store at `out`.

    Rows that cannot be read go to `OUT.rejects.tsv`, or stop the import if `strict`.

    `memory` bounds what the import holds; a log with more distinct text is refused. `threads` parse, as many
    as cores if it is not said; the store is the same for every number. With `merge_next_page` the same query
    again without a click is no new impression. `keep_dash` keeps AOL's scrubbed queries '-'. `ledger`: a file
    or a postgresql:// address that several stores of the same people share; it must be there, or is begun
    with `new_ledger`. `append_to`: its rows come first, and the new store goes on with its ledger. `before`
    is told what is in the log, and may raise, before the store is noted in its ledger.
    Of the files themselves may be said: format, columns, date, quoted_lines, encoding, time_format,
    query_parameter, trails, confirm, tell (`crowdlog.log.formats.options.Reading`).
    """
    no_core_dumps()
    places = [sources] if isinstance(sources, str | Path) else list(sources)
    options = ReadOptions(**said)
    options = replace(options, tell=_once(options.tell))
    limit = parse_size(memory) if memory is not None else None
    if append_to is not None:
        append_to.check()
        ledger = append_to.ledger()
    shared = shared_ledger(ledger, out, new=new_ledger)
    with (
        building(local_path(out)) as folder,
        closing(Intake(folder, strict=strict, memory=limit, keep_dash=keep_dash, threads=threads)) as intake,
    ):
        formats = _read(places, folder / _COPIES, options, append_to, intake)
        origin = Origin(formats, [] if options.format else formats, shared, part_of)
        with progress_bar("Sorting and writing", intake.events.rows) as advance:
            assemble(
                folder,
                intake,
                origin,
                before=before,
                merge_next_page=merge_next_page,
                advance=advance,
                new_ledger=new_ledger,
            )
    return LogStore.open(out)


def _read(
    places: Sequence[str | Path],
    copies: Path,
    options: ReadOptions,
    append_to: LogStore | None,
    intake: Intake,
) -> list[str]:
    """Read the older store and all files into the intake; return the names of their formats."""
    files = find_sources(places, copies)
    found = readers(files, options)
    if append_to is not None:
        found.insert(0, Reader(append_to.path.name, "store", rows_of(append_to)))
    total = sum(source.size for source in files)
    with progress_bar("Reading", total, unit="bytes") as advance:
        for reader in found:
            intake.read(reader.read(advance), reader.name)
    shutil.rmtree(copies, ignore_errors=True)
    return sorted({reader.format for reader in found})


def _once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Many files of one kind say the same: it is told once."""
    said: set[str] = set()

    def first_time(sentence: str) -> None:
        if sentence not in said:
            said.add(sentence)
            tell(sentence)

    return first_time
