"""Small logs for tests, through the real importer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore

# user, query, seconds after an arbitrary start, url or None
Row = tuple[str, str, int, str | None]
START = 1_141_171_200  # 2006-03-01 00:00:00 UTC


def make_log(folder: Path, rows: Iterable[Row], name: str = "log") -> LogStore:
    """Write the rows as an AOL log and import it."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.tsv"
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user, query, second, url in rows:
        when = datetime.fromtimestamp(START + second, UTC).strftime("%Y-%m-%d %H:%M:%S")
        lines.append(f"{user}\t{query}\t{when}\t{1 if url else ''}\t{url or ''}")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return import_log([source], folder / f"{name}-store")


def crowd_rows(users: int, queries: Iterable[str], start: int = 0) -> list[Row]:
    """Every user asks every query once and clicks one page for it."""
    return [
        (f"u{user}", query, start + 60 * i, f"http://{query.replace(' ', '')}.example")
        for user in range(users)
        for i, query in enumerate(queries)
    ]
