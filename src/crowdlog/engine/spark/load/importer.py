"""`crowdlog import --engine spark`: a store of folders, written by tasks, with the same contents as one
machine's.

Tasks send each other arrays of numbers and packed texts, which Spark moves, keeps and sends again without
looking into them. Every task gives the same when it is done again.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from crowdlog.engine.spark.exchange import Packed, exchange, gathered, received, sent, unpack
from crowdlog.engine.spark.failures import told_plainly
from crowdlog.engine.spark.load import read as reading
from crowdlog.engine.spark.load.dictionary import (
    FirstSeen,
    Holders,
    Numbered,
    OrderedTexts,
    PieceSize,
    TextSteps,
    texts_of_share,
)
from crowdlog.engine.spark.load.events import FINE, Ranges, make_ranges, renumbered, whole_range
from crowdlog.engine.spark.load.pieces import (
    NAMES,
    ROLES,
    USER,
    PieceEvents,
    PieceTexts,
    Read,
    Reject,
    Sent,
)
from crowdlog.engine.spark.load.rejected import counted, keep_rejects
from crowdlog.engine.spark.load.sources import Inputs, Share, find_inputs, make_shares
from crowdlog.engine.spark.load.write import Written, WrittenTexts, write_events, write_texts
from crowdlog.engine.spark.session import start
from crowdlog.errors import InputError
from crowdlog.files.address import Address, local_path
from crowdlog.files.private import no_core_dumps
from crowdlog.log.building import REJECTS, building
from crowdlog.log.formats import ReadOptions
from crowdlog.log.formats.options import Reading
from crowdlog.log.normalise import NORMALISATION
from crowdlog.log.pass2_write import Origin, check_enough, record
from crowdlog.log.people import SIZE
from crowdlog.log.shared_ledger import shared_ledger
from crowdlog.log.store import LogStore, StoreInfo
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.progress import Advance, progress_bar

ROWS_PER_RANGE = 1 << 20  # sorted and written by one task, as one file
BYTES_PER_SHARE = 1 << 26  # of the input, read by one task
DAEMON = "crowdlog.engine.spark.load.daemon"
_STEPS = 4


def import_there(
    sources: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    master: str = "local[*]",
    strict: bool = False,
    merge_next_page: bool = False,
    keep_dash: bool = False,
    ledger: str | Path | None = None,
    new_ledger: bool = False,
    tables: str | None = None,
    before: Callable[[StoreInfo], None] | None = None,
    context: Any = None,
    **said: Unpack[Reading],
) -> LogStore:
    """Read logs into a new store at `out`, which all machines of the cluster must see at this path; or only
    the address `tables`, if that is to hold the tables: then each import has a folder of its own there.

    The options are those of `crowdlog.log.importer.import_log`. `context`: of a Spark that runs already.
    """
    no_core_dumps()
    paths = [sources] if isinstance(sources, str | Path) else sources
    shared = shared_ledger(ledger, out, new=new_ledger)
    options = ReadOptions(**said)
    inputs = find_inputs(paths, options)
    shares = make_shares(inputs, BYTES_PER_SHARE)
    there = None if tables is None else Address.of(tables) / SystemRandomness().bytes(8).hex()
    origin = Origin(list(inputs.formats), [] if options.format else list(inputs.formats), shared)
    with ExitStack() as stack:
        if there is not None:
            stack.enter_context(_removed_on_failure(there))
        # A name that is taken is told before Spark is started.
        folder = stack.enter_context(building(local_path(out)))
        if context is None:
            context, scratch = start(master, {"spark.python.daemon.module": DAEMON}, len(shares))
            stack.callback(scratch.cleanup)
            stack.callback(context.stop)
        advance = stack.enter_context(progress_bar("Importing on Spark", _STEPS, unit="steps"))
        stack.enter_context(told_plainly("The import", "Nothing was left behind."))
        load = _Load(context, inputs, shares, folder, there, advance)
        found = load.run(origin, strict=strict, keep_dash=keep_dash, merge_next_page=merge_next_page)
        record(folder, found, before, new_ledger=new_ledger)
    return LogStore.open(out)


class _Load:
    """The steps of one import. An exchange sends messages to tasks by their numbers."""

    def __init__(
        self,
        context: Any,
        inputs: Inputs,
        shares: tuple[Share, ...],
        folder: Path,
        tables: Address | None,
        advance: Advance,
    ) -> None:
        self._context, self._inputs, self._folder, self._advance = context, inputs, folder.absolute(), advance
        self._tables, self._shares = tables, shares
        self._steps = TextSteps(np.array([share.first for share in self._shares], np.int64))

    def run(self, origin: Origin, *, strict: bool, keep_dash: bool, merge_next_page: bool) -> StoreInfo:
        pieces = self._pieces(keep_dash=keep_dash)
        told = received(pieces, PieceTexts, Read).mapPartitionsWithIndex(self._steps.distinct)
        texts = sent(told, len(self._shares))
        read, counts = self._counted(texts)
        for sentence in dict.fromkeys(sentence for each in read for sentence in each.told):
            self._inputs.told(sentence)
        rows, scrubbed = sum(each.rows for each in read), sum(each.scrubbed for each in read)
        rejected = counted(read)
        if rejected:
            bad = received(pieces, Reject).mapPartitions(_rejects).toLocalIterator()
            keep_rejects(bad, read, self._inputs, self._folder / REJECTS, strict=strict)
        check_enough(rows, rejected, scrubbed, guessed=bool(origin.guessed))
        self._advance(1)
        bases = [[0, *accumulate(counts[role])] for role in ROLES]
        numbered, written, ranges = self._write_texts(texts, bases, rows)
        self._advance(1)
        written += self._write_events(pieces, numbered, ranges, merge_next_page=merge_next_page)
        self._advance(1)
        if sum(each.rows for each in written if each.table == "events.parquet") != rows:
            raise RuntimeError("events were lost or doubled between two steps of the import")
        info = self._info(origin, written, [base[-1] for base in bases], rejected, scrubbed, merge_next_page)
        self._check_files(info)
        self._advance(1)
        return info

    def _pieces(self, *, keep_dash: bool) -> Any:
        """All files as messages of pieces: nothing runs yet."""
        reader = reading.ShareReader(self._inputs, self._shares, keep_dash, reading.PIECE_ROWS)
        numbers = self._context.parallelize(range(len(self._shares)), len(self._shares))
        return sent(numbers.mapPartitions(reader.read), len(self._shares))

    def _counted(self, texts: Any) -> tuple[list[Read], list[list[int]]]:
        """What was read, and how many texts of each role first stood in each share."""

        def count(share: int, messages: Iterator[Sent]) -> Iterator[Any]:
            amounts, read = [0 for _ in ROLES], []
            for _share, message in messages:
                if isinstance(message, Read):
                    read.append(message)
                else:
                    amounts[message.role] += message.texts
            yield share, amounts, read

        each_share = sorted(received(texts, PieceSize, Read).mapPartitionsWithIndex(count).collect())
        read = [each for _share, _counts, found in each_share for each in found]
        return read, [[counts[role] for _share, counts, _read in each_share] for role in ROLES]

    def _write_texts(
        self, texts: Any, bases: list[list[int]], rows: int
    ) -> tuple[Any, list[Written], Ranges]:
        """The ids of all texts as messages, the files of texts, and the ranges of users."""
        folder, users = self._tables or self._folder, bases[USER][-1]
        wanted = max(1, -(-rows // ROWS_PER_RANGE))
        width = max(1, users // (FINE * wanted))

        def write(share: int, messages: Iterator[tuple[int, Packed]]) -> Iterator[tuple[int, Any]]:
            texts = []
            for _share, message in messages:
                if message.kind is FirstSeen:
                    texts.append(unpack(message))
                elif message.kind is Holders:
                    yield share, message
            written: list[Written] = []
            for role, found in enumerate(texts_of_share(texts)):
                ordered = OrderedTexts(found, bases[role][share])
                if len(ordered) or share == 0:
                    table = f"{NAMES[role]}.parquet"
                    written.append(write_texts(folder, table, share, ordered.texts(), ordered.base))
                if role == USER:
                    first = ordered.base // width
                    group = (ordered.base + np.arange(len(ordered))) // width - first
                    counts = np.bincount(group, ordered.rows()).astype(np.int64)
                yield from ordered.numbered(role, share)
            yield share, WrittenTexts(written, first, counts)

        numbered = sent(texts.mapPartitionsWithIndex(write), len(self._shares))
        rows_of = np.zeros(-(-users // width), np.int64)
        files: list[Written] = []
        for made in received(numbered, WrittenTexts).values().collect():
            files += made.files
            rows_of[made.first : made.first + len(made.rows)] += made.rows
        return numbered, files, make_ranges(rows_of, width, ROWS_PER_RANGE)

    def _write_events(
        self, pieces: Any, numbered: Any, ranges: Ranges, *, merge_next_page: bool
    ) -> list[Written]:
        folder, shares = self._tables or self._folder, len(self._shares)

        def write(which: int, messages: Iterator[Sent]) -> Iterator[Written]:
            events = whole_range(messages, merge_next_page=merge_next_page)
            if events is not None:
                yield write_events(folder, which, events, int(ranges.first_row[which]))

        mapping = exchange(received(numbered, Numbered, Holders).mapPartitions(self._steps.mapped), shares)
        both = gathered(received(pieces, PieceEvents)).zip(gathered(mapping))
        ranged = both.flatMap(lambda pair: renumbered(pair[0], pair[1], ranges))
        found: list[Written] = exchange(ranged, len(ranges)).mapPartitionsWithIndex(write).collect()
        return found

    def _info(
        self,
        origin: Origin,
        written: list[Written],
        counts: list[int],
        rejected: dict[str, int],
        scrubbed: int,
        merge_next_page: bool,
    ) -> StoreInfo:
        events = [each for each in written if each.table == "events.parquet"]
        written.sort(key=lambda each: (each.table, each.name))
        names = dict(zip(NAMES, counts, strict=True))
        return StoreInfo(
            id=SystemRandomness().bytes(16).hex(),
            impressions=sum(each.figures["impressions"] for each in events),
            clicks=sum(each.figures["clicks"] for each in events),
            first_time=min(each.figures["first_time"] for each in events),
            last_time=max(each.figures["last_time"] for each in events),
            rows=sum(each.rows for each in events),
            users=names["users"],
            queries=names["queries"],
            urls=names["urls"],
            content_hash=_content_hash(written),
            formats=origin.formats,
            guessed=origin.guessed,
            ledger=origin.ledger,
            normalisation=NORMALISATION,
            merge_next_page=merge_next_page,
            scrubbed=scrubbed,
            rejected=rejected,
            files={f"{each.table}/{each.name}": each.size for each in written},
            hashes={f"{each.table}/{each.name}": each.hash for each in written},
            people=heapq.nsmallest(SIZE, (name for each in written for name in each.people)),
            tables=None if self._tables is None else str(self._tables),
        )

    def _check_files(self, info: StoreInfo) -> None:
        sizes = LogStore(self._folder, info).sizes()
        if any(sizes.get(name) != size for name, size in info.files.items()):
            raise InputError(
                f"The workers of Spark did not write to {self._tables or self._folder}: all machines must "
                "see it there."
            )


@contextmanager
def _removed_on_failure(tables: Address) -> Iterator[None]:
    try:
        yield
    except BaseException:
        with suppress(InputError):  # what failed first is told
            tables.remove()
        raise


def _rejects(messages: Iterator[Sent]) -> Iterator[Reject]:
    yield from sorted(message for _share, message in messages if isinstance(message, Reject))


def _content_hash(written: list[Written]) -> str:
    """The same for the same log, whatever the partitions. Another number than one machine's, which hashes
    rows in their order.
    """
    parts = []
    for table in sorted({each.table for each in written}):
        found = [each for each in written if each.table == table]
        sums = (sum(column) % 2**64 for column in zip(*(each.sums for each in found), strict=True))
        parts.append(f"{table}={sum(each.rows for each in found)},{','.join(map(str, sums))};")
    return hashlib.sha256("".join(parts).encode()).hexdigest()
