"""An independent check of a release of histories: clusters of k … 2k − 1 equal records, one for each user,
allowed texts and sites.

Nothing of the partition is trusted or made again: records are compared row by row, and the people behind a
text, a word or a site are counted by SQL over the log's events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from crowdlog.artifacts.semantic.proper_nouns import person_names
from crowdlog.artifacts.semantic.word_rule import WordRule
from crowdlog.log.parts import batches
from crowdlog.progress import progress_bar
from crowdlog.release.people_per_key import HeldKeys

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from crowdlog.log.store import LogStore

_EMPTY = "users whose record is empty"  # a note of the label
_ROW = ("query", "time", "rank", "url")


@dataclass(frozen=True)
class ClusterVerdict:
    """What the check found; numbers only."""

    records: int  # pseudonyms with rows
    users: int  # of the log
    clusters: int  # of those that have rows
    smallest: int  # how many users have the same record, at the least
    largest: int  # how many users a cluster has, at the most
    lonely: int  # records with fewer than k equals
    unequal: int  # clusters whose users have different records
    too_large: int  # clusters of 2k users or more
    too_many: int  # records beyond the number of users
    missing: int  # users who have no record, beyond those whose record the label calls empty
    few_empty: int  # users who have no record, where these are fewer than k
    unknown: int  # texts that are not in the log
    rare: int  # texts that the rule of words forbids
    rare_sites: int  # sites that fewer users clicked than the rule asks for

    def faults(self) -> dict[str, int]:
        """What is wrong, and how often."""
        found = {
            "records have fewer than k equals": self.lonely,
            "clusters have different records": self.unequal,
            "clusters have more than 2k − 1 users": self.too_large,
            "records are more than there are users": self.too_many,
            "users have no record, and the label does not call it empty": self.missing,
            "users have no record, which are fewer than k": self.few_empty,
            "texts are not in the log": self.unknown,
            "texts hold a word that too few people typed, or a name": self.rare,
            "sites were clicked by too few people": self.rare_sites,
        }
        return {words: number for words, number in found.items() if number}

    @property
    def holds(self) -> bool:
        return not self.faults()


def verify_clusters(
    log: LogStore, events: pa.Table, k: int, rule: WordRule, notes: Mapping[str, Any] | None = None
) -> ClusterVerdict:
    """Check the rows of a release against the log it was made from.

    Of the label's `notes` only one is needed: how many users have an empty record, which no row can tell.
    """
    equal: Counter[tuple[bytes, bytes]] = Counter(_records(events))
    members: Counter[bytes] = Counter()
    for (cluster, _rows), number in equal.items():
        members[cluster] += number
    users, records = log.info.users, equal.total()
    without = max(0, users - records)
    unknown, rare = _texts(log, _different(events["query"]), rule)
    return ClusterVerdict(
        records=records,
        users=users,
        clusters=len(members),
        smallest=min(equal.values(), default=0),
        largest=max(members.values(), default=0),
        lonely=sum(number for number in equal.values() if number < k),
        unequal=sum(number > 1 for number in Counter(cluster for cluster, _rows in equal).values()),
        too_large=sum(number >= 2 * k for number in members.values()),
        too_many=max(0, records - users),
        missing=max(0, without - (notes or {}).get(_EMPTY, users)),
        few_empty=without if without < k else 0,
        unknown=unknown,
        rare=rare,
        rare_sites=_sites(log, _different(events["url"]), rule.users),
    )


def _records(events: pa.Table) -> Iterator[tuple[bytes, bytes]]:
    """The clusters and the rows of each pseudonym, as numbers that are equal where the values are; one that
    is in two clusters has both.
    """
    user = _numbers(events["user"])
    order = np.argsort(user, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(user[order], prepend=-1)), len(user)).tolist()
    cluster = _numbers(events["cluster"])[order]
    rows = np.stack([_numbers(events[name])[order] for name in _ROW], axis=1)
    with progress_bar("Comparing records", len(bounds) - 1, unit="users") as advance:
        for begin, end in pairwise(bounds):
            yield np.unique(cluster[begin:end]).tobytes(), rows[begin:end].tobytes()
            advance(1)


def _numbers(column: Any) -> Any:
    """A number for each value of a column, the same for the same; −1 for none."""
    encoded = column.dictionary_encode().unify_dictionaries()
    none = np.zeros(0, np.int32)
    return np.concatenate([none, *(chunk.indices.fill_null(-1).to_numpy() for chunk in encoded.chunks)])


def _different(column: Any) -> dict[str, int]:
    """The different texts of a column, numbered."""
    return {text: number for number, text in enumerate(column.unique().drop_null().to_pylist())}


def _texts(log: LogStore, shown: dict[str, int], rule: WordRule) -> tuple[int, int]:
    """How many texts are not in the log, and how many the rule forbids."""
    typed, found = HeldKeys(), np.zeros(len(shown), bool)
    for query, text in enumerate(_lines(log.queries(), log.info.queries, "Looking up texts")):
        if text in shown:
            typed.add(query, shown[text])
            found[shown[text]] = True
    enough = typed.people(log, "query", len(shown), "Counting people of texts") >= rule.users
    doubtful = [text for text, number in shown.items() if not enough[number]]
    rare = _rare_words(log, {word for text in doubtful for word in text.split()}, rule)
    return int((~found).sum()), sum(any(word in rare for word in text.split()) for text in doubtful)


def _rare_words(log: LogStore, words: Iterable[str], rule: WordRule) -> set[str]:
    """Those that too few people typed in any text, and names of persons if they are blocked."""
    number = {word: i for i, word in enumerate(words)}
    held = HeldKeys()
    if number:
        for query, text in enumerate(_lines(log.queries(), log.info.queries, "Looking up words")):
            for word in text.split():
                if word in number:
                    held.add(query, number[word])
    people = held.people(log, "query", len(number), "Counting people of words")
    names = person_names() if rule.names == "block" else frozenset()
    return {word for word, i in number.items() if people[i] < rule.users or word in names}


def _sites(log: LogStore, shown: dict[str, int], least: int) -> int:
    """How many shown sites fewer users clicked, they themselves or a site whose name ends in theirs."""
    held = HeldKeys()
    for url, text in enumerate(_lines(log.urls(), log.info.urls, "Looking up sites")):
        host = _host(text)
        while host:
            if host in shown:
                held.add(url, shown[host])
            host = host.partition(".")[2]
    return int((held.people(log, "url", len(shown), "Counting people of sites") < least).sum())


def _host(url: str) -> str:
    try:
        return (urlsplit(url if "//" in url else f"//{url}").hostname or "").lower()
    except ValueError:
        return ""


def _lines(path: Path, number: int, title: str) -> Iterator[str]:
    """The texts of a table of the log in the order of their ids."""
    with progress_bar(title, number, unit="texts") as advance:
        for batch in batches(path, ["text"]):
            yield from batch["text"].to_pylist()
            advance(len(batch))
