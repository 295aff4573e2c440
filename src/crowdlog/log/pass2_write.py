"""The second pass of an import: sort the events part by part, derive their columns, and write the store's
files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crowdlog.errors import InputError
from crowdlog.log.in_order import in_order
from crowdlog.log.normalise import NORMALISATION
from crowdlog.log.pass1_encode import Intake
from crowdlog.log.people import sketch
from crowdlog.log.sort_events import derive, sort_events
from crowdlog.log.spill import Events
from crowdlog.log.store import FILES, StoreInfo, write_info
from crowdlog.log.write import EVENTS, ContentHash, HashedFile, as_rows, events_to, hash_events, write_texts
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_head import HEAD
from crowdlog.privacy.ledger_place import LEDGER
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.progress import Advance
from crowdlog.types import Ints

_PART = 1 << 20  # rows sorted and written at once; a user with more rows makes a larger part


def _parts(rows_of_user: Ints) -> Ints:
    """First user of each part, and the number of users: as many whole users as fit into _PART rows, at least
    one.
    """
    ends = np.cumsum(rows_of_user)
    firsts = [0]
    while firsts[-1] < len(ends):
        done = ends[firsts[-1] - 1] if firsts[-1] else 0
        firsts.append(max(int(np.searchsorted(ends, done + _PART, side="right")), firsts[-1] + 1))
    return np.array(firsts, np.int64)


@dataclass(frozen=True)
class Origin:
    """Where a store comes from: its formats, those of them that were guessed, the ledger it shares with
    others (None: its own) and the store that it is a part of.
    """

    formats: list[str]
    guessed: list[str]
    ledger: str | None = None
    part_of: str | None = None


def assemble(
    folder: Path,
    intake: Intake,
    origin: Origin,
    *,
    before: Callable[[StoreInfo], None] | None = None,
    merge_next_page: bool,
    advance: Advance,
    new_ledger: bool = False,
) -> None:
    """Write all files of the store into the folder and remove the spilled events."""
    intake.rejects.close()
    check_enough(
        intake.events.rows, intake.rejects.counts, intake.rejects.scrubbed, guessed=bool(origin.guessed)
    )
    content = ContentHash()
    # Texts are written beside the events; columns are hashed each for itself, so any order will do.
    with ThreadPoolExecutor(1, "texts") as beside:
        texts = beside.submit(_write_texts, folder, intake, content)
        people = beside.submit(sketch, intake.users)
        figures, events_hash = _write_events(
            folder, intake, content, merge_next_page=merge_next_page, advance=advance
        )
        hashes = {**texts.result(), "events.parquet": events_hash}
    intake.events.remove()
    info = StoreInfo(
        id=SystemRandomness().bytes(16).hex(),
        **figures,
        rows=intake.events.rows,
        users=len(intake.users),
        queries=len(intake.queries),
        urls=len(intake.urls),
        content_hash=content.hexdigest(),
        **asdict(origin),
        normalisation=NORMALISATION,
        merge_next_page=merge_next_page,
        scrubbed=intake.rejects.scrubbed,
        rejected=dict(sorted(intake.rejects.counts.items())),
        files={name: (folder / name).stat().st_size for name in FILES},
        hashes={name: hashes[name] for name in FILES},
        people=people.result(),
    )
    record(folder, info, before, new_ledger=new_ledger)


def record(
    folder: Path, info: StoreInfo, before: Callable[[StoreInfo], None] | None, *, new_ledger: bool = False
) -> None:
    """Write what the store says of itself, and note it in its ledger, which is begun if it is its own."""
    if before is not None:
        before(info)
    write_info(folder / "store.json", info)
    # Here and nowhere else: begun at the first release, it could land in a store that replaced this one.
    Ledger.create(
        info.ledger or folder / LEDGER,
        source=info.content_hash,
        store=info.id,
        head=folder / HEAD,
        begin=new_ledger or info.ledger is None,
    )


def check_enough(rows: int, rejected: Mapping[str, int], scrubbed: int, *, guessed: bool) -> None:
    """Raise InputError when nothing, or in a format that was guessed too little, could be read."""
    if rows == 0:
        raise InputError("Not one row could be imported. " + _what_was_wrong(rejected, scrubbed))
    if guessed and sum(rejected.values()) > rows:
        raise InputError(
            "More than half of the rows cannot be read in the format that the first lines look like. "
            + _what_was_wrong(rejected, scrubbed)
        )


def _write_texts(folder: Path, intake: Intake, content: ContentHash) -> dict[str, str]:
    """The three dictionaries. Returns the hashes of their files."""
    of = {"queries.parquet": intake.queries, "urls.parquet": intake.urls, "users.parquet": intake.users}
    return {name: write_texts(folder / name, texts, content) for name, texts in of.items()}


def _write_events(
    folder: Path, intake: Intake, content: ContentHash, *, merge_next_page: bool, advance: Advance
) -> tuple[dict[str, Any], str]:
    """Bring each user's rows together if they are not, then sort, derive and write part by part.

    Returns what was counted on the way, and the hash of the file.
    """
    rows_of_user = intake.rows_of_user[: len(intake.users)]
    firsts = _parts(rows_of_user)
    bounds = np.concatenate([[0], np.cumsum(rows_of_user)])[firsts]
    if not intake.grouped:
        part_of_user = np.repeat(np.arange(len(firsts) - 1, dtype=np.int32), np.diff(firsts))
        intake.events = intake.events.grouped(part_of_user, bounds[:-1])
    figures: dict[str, Any] = {"impressions": 0, "clicks": 0, "first_time": 2**62, "last_time": -(2**62)}

    def prepared(bounds: tuple[int, int]) -> tuple[Events, pa.RecordBatch]:
        part = derive(sort_events(intake.events.read(*bounds)), merge_next_page=merge_next_page)
        return part, as_rows(part, bounds[0])

    with (
        HashedFile(folder / "events.parquet") as file,
        events_to(file, EVENTS) as writer,
        ThreadPoolExecutor(1, "hash") as hashing,
    ):
        for part, rows in in_order(intake.pool, prepared, pairwise(bounds.tolist()), intake.threads):
            hashed = hashing.submit(hash_events, part, content)
            writer.write_batch(rows, row_group_size=rows.num_rows)
            hashed.result()
            figures["impressions"] += int(part["impression"].sum())
            figures["clicks"] += int((part["url"] >= 0).sum())
            figures["first_time"] = min(figures["first_time"], int(part["time"].min()))
            figures["last_time"] = max(figures["last_time"], int(part["time"].max()))
            advance(rows.num_rows)
    return figures, file.hexdigest()


def _what_was_wrong(rejected: Mapping[str, int], scrubbed: int) -> str:
    most = sorted(rejected.items(), key=lambda each: -each[1])
    reasons = ", ".join(f"{count:,} × {reason}" for reason, count in most)
    if reasons:
        return f"Rejected: {reasons}. Is the format right? Say it with --format."
    return "The files hold no rows." if not scrubbed else "All queries were scrubbed ('-')."
