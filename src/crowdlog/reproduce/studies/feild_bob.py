"""The log of Table 3.1: a person who searches vastly more than anybody else."""

from __future__ import annotations

from pathlib import Path

from crowdlog.log.store import LogStore
from crowdlog.reproduce.bench import Bench

# Table 3.1: how often Bob asks each; the others ask each once. The published count of the last is theirs
# alone.
ASKED = {"netflix": 6_000, "bob": 5_000, "westminster, md": 5_000, "humane society": 0}
OTHERS = 500


def bobs_log(bench: Bench) -> LogStore:
    """Imported once, as any log is."""

    def write(source: Path) -> None:
        lines = ["AnonID\tQuery\tQueryTime\tItemRank\tClickURL"]
        lines += [
            f"{user}\t{query}\t2006-03-01 12:0{i}:00\t\t"
            for user in range(1, OTHERS + 1)
            for i, query in enumerate(ASKED)
        ]
        bobs = [query for query, times in ASKED.items() for _ in range(times)]
        lines += [
            f"{OTHERS + 1}\t{query}\t2006-03-{1 + i // 1440:02d} {i // 60 % 24:02d}:{i % 60:02d}:00\t\t"
            for i, query in enumerate(bobs)
        ]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")

    return bench.imported("bob", write)
