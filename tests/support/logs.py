"""Small logs for tests, through the real importer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.release.publish import open_ledger

# user, query, seconds after an arbitrary start, url or None
Row = tuple[str, str, int, str | None]
LARGE = (1000.0, 1.0)  # a budget that nothing exceeds
START = 1_141_171_200  # 2006-03-01 00:00:00 UTC


def make_log(
    folder: Path, rows: Iterable[Row], name: str = "log", budget: tuple[float, float] | None = LARGE
) -> LogStore:
    """Write the rows as an AOL log and import it; a first release needs a budget, here a large one."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.tsv"
    lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
    for user, query, second, url in rows:
        when = datetime.fromtimestamp(START + second, UTC).strftime("%Y-%m-%d %H:%M:%S")
        lines.append(f"{user}\t{query}\t{when}\t{1 if url else ''}\t{url or ''}")
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return with_budget(import_log([source], folder / f"{name}-store"), budget)


def with_budget(log: LogStore, budget: tuple[float, float] | None = LARGE) -> LogStore:
    """The log, with a budget in its ledger."""
    if budget is not None:
        with open_ledger(log) as ledger:
            ledger.set_budget(*budget)
    return log


def crowd_rows(users: int, queries: Iterable[str], start: int = 0) -> list[Row]:
    """Every user asks every query once and clicks one page for it."""
    return [
        (f"u{user}", query, start + 60 * i, f"http://{query.replace(' ', '')}.example")
        for user in range(users)
        for i, query in enumerate(queries)
    ]


def few_and_many() -> list[Row]:
    """Rows of 300 people: queries of many, which some ask up to seven times, of two, and of one; clicks."""
    rows: list[Row] = []
    for user in range(300):
        asked = [f"common {user % 5}", f"common {(user + 1) % 5}", f"own {user}", f"few {user // 2}"]
        for number, query in enumerate(asked + [asked[0]] * (user % 7)):
            rows.append((f"u{user:03}", query, 60 * number, f"http://{query.replace(' ', '')}.example"))
    return rows
