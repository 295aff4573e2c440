"""The second pass of an import: sort the events part by part, derive their columns, and write the store's
files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.errors import InputError
from crowdlog.log.normalise import NORMALISATION
from crowdlog.log.pass1_encode import Intake
from crowdlog.log.people import sketch
from crowdlog.log.sort_events import derive, sort_events
from crowdlog.log.store import FILES, LEDGER, StoreInfo, write_info
from crowdlog.log.write import ContentHash, event_writer, write_events, write_texts
from crowdlog.privacy.ledger import Ledger
from crowdlog.privacy.ledger_head import HEAD
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
) -> None:
    """Write all files of the store into the folder and remove the spilled events."""
    intake.rejects.close()
    if intake.events.rows == 0:
        raise InputError("Not one row could be imported. " + _what_was_wrong(intake))
    if origin.guessed and sum(intake.rejects.counts.values()) > intake.events.rows:
        raise InputError(
            "More than half of the rows cannot be read in the format that the first lines look like. "
            + _what_was_wrong(intake)
        )
    content = ContentHash()
    figures: dict[str, Any] = _write_events(
        folder, intake, content, merge_next_page=merge_next_page, advance=advance
    )
    intake.events.remove()
    for name, texts in (("queries", intake.queries), ("urls", intake.urls), ("users", intake.users)):
        write_texts(folder / f"{name}.parquet", texts, content)
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
        hashes={name: _digest(folder / name) for name in FILES},
        people=sketch(intake.users),
    )
    if before is not None:
        before(info)
    write_info(folder / "store.json", info)
    # Here and nowhere else: begun at the first release, it could land in a store that replaced this one.
    Ledger.create(
        origin.ledger or folder / LEDGER, source=info.content_hash, store=info.id, head=folder / HEAD
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_events(
    folder: Path, intake: Intake, content: ContentHash, *, merge_next_page: bool, advance: Advance
) -> dict[str, Any]:
    """Bring each user's rows together if they are not, then sort, derive and write part by part.

    Returns what was counted on the way.
    """
    rows_of_user = intake.rows_of_user[: len(intake.users)]
    firsts = _parts(rows_of_user)
    bounds = np.concatenate([[0], np.cumsum(rows_of_user)])[firsts]
    if not intake.grouped:
        part_of_user = np.repeat(np.arange(len(firsts) - 1, dtype=np.int32), np.diff(firsts))
        intake.events = intake.events.grouped(part_of_user, bounds[:-1])
    figures = {"impressions": 0, "clicks": 0, "first_time": 2**62, "last_time": -(2**62)}
    with event_writer(folder / "events.parquet") as writer:
        for low, high in pairwise(bounds.tolist()):
            part = derive(sort_events(intake.events.read(low, high)), merge_next_page=merge_next_page)
            write_events(writer, part, low, content)
            figures["impressions"] += int(part["impression"].sum())
            figures["clicks"] += int((part["url"] >= 0).sum())
            figures["first_time"] = min(figures["first_time"], int(part["time"].min()))
            figures["last_time"] = max(figures["last_time"], int(part["time"].max()))
            advance(high - low)
    return figures


def _what_was_wrong(intake: Intake) -> str:
    reasons = ", ".join(f"{count:,} × {reason}" for reason, count in intake.rejects.counts.most_common())
    if reasons:
        return f"Rejected: {reasons}. Is the format right? Say it with --format."
    return "The files hold no rows." if not intake.rejects.scrubbed else "All queries were scrubbed ('-')."
