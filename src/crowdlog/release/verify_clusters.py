"""An independent check of a release of histories: k equals of every record, one for each user, allowed texts.

Nothing of the partition is trusted or made again: records are compared as Python tuples, and the people
behind a word are counted with Python sets.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from crowdlog.artifacts.semantic.proper_nouns import person_names
from crowdlog.artifacts.semantic.word_rule import WordRule

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore


@dataclass(frozen=True)
class ClusterVerdict:
    """What the check found; numbers only."""

    records: int  # pseudonyms with rows
    users: int  # of the log
    smallest: int  # how many records are equal, at the least
    lonely: int  # records with fewer than k equals
    too_many: int  # records beyond the number of users
    unknown: int  # texts that are not in the log
    rare: int  # texts that the rule of words forbids

    def faults(self) -> dict[str, int]:
        """What is wrong, and how often."""
        found = {
            "records have fewer than k equals": self.lonely,
            "records are more than there are users": self.too_many,
            "texts are not in the log": self.unknown,
            "texts hold a word that too few people typed, or a name": self.rare,
        }
        return {words: number for words, number in found.items() if number}

    @property
    def holds(self) -> bool:
        return not self.faults()


def verify_clusters(log: LogStore, events: pa.Table, k: int, rule: WordRule) -> ClusterVerdict:
    """Check the rows of a release against the log it was made from."""
    equal = Counter(_records(events))
    lonely = sum(number for number in equal.values() if number < k)
    records = equal.total()
    unknown, rare = _texts(log, set(events["query"].to_pylist()), rule)
    return ClusterVerdict(
        records,
        log.info.users,
        min(equal.values(), default=0),
        lonely,
        max(0, records - log.info.users),
        unknown,
        rare,
    )


def _records(events: pa.Table) -> list[tuple[Any, ...]]:
    rows: dict[Any, list[Any]] = defaultdict(list)
    columns = [events[name].to_pylist() for name in ("user", "query", "time", "rank", "url")]
    for user, *row in zip(*columns, strict=True):
        rows[user].append(tuple(row))
    return [tuple(record) for record in rows.values()]


def _texts(log: LogStore, shown: set[Any], rule: WordRule) -> tuple[int, int]:
    """How many texts are not in the log, and how many the rule forbids."""
    texts: Any = pq.read_table(log.queries(), columns=["text"])["text"].to_pylist()
    table: Any = pq.read_table(log.events(), columns=["user", "query"])
    typed: dict[str, set[int]] = defaultdict(set)
    pairs: Any = zip(table["user"].to_pylist(), table["query"].to_pylist(), strict=True)
    for user, query in set(pairs):
        typed[texts[query]].add(user)
    people: dict[str, set[int]] = defaultdict(set)
    for text, users in typed.items():
        for word in text.split():
            people[word] |= users
    names = person_names() if rule.names == "block" else frozenset()
    rare = 0
    for text in shown:
        alone = any(len(people[word]) < rule.users or word in names for word in text.split())
        rare += alone and len(typed[text]) < rule.users
    return len(shown - set(texts)), rare
