"""Releases that were once thought safe: pseudonyms, hashed words, split sessions. They promise nothing and exist to be attacked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from crowdlog.artifacts.kinds import SESSION_MINUTES
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.parameters import parameter
from crowdlog.privacy.guarantee import NO_GUARANTEE
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    import pyarrow as pa

    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness

Ints = npt.NDArray[np.int64]
COLUMNS = ["user", "query", "time", "rank", "url", "gap", "impression"]


def _promise(step: Step, *weak: str) -> Promise:
    return Promise(NO_GUARANTEE, (step,), counts="", unprotected=weak, proof="proofs/unsafe.md")


@dataclass(frozen=True, repr=False)
class Pseudonyms(Mechanism):
    """Publish every row, with a random number in the place of the user's name."""

    title: ClassVar[str] = "All rows, with random numbers in the place of names"
    source: ClassVar[str] = "AOL 2006; broken by Barbaro and Zeller, New York Times, 9 August 2006"
    unsafe: ClassVar[bool] = True

    def promise(self) -> Promise:
        step = Step("Pseudonyms", "Publish every row as it is; a random number stands for the user.")
        return _promise(step, "Everything a person searched for stands together: a few queries she is known for give away all others.")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        events = _read(log)
        return Protected({"events": _publish(log, events, events["user"].to_numpy().astype(np.int64), randomness)})


@dataclass(frozen=True, repr=False)
class HashedTokens(Mechanism):
    """Publish every row under a pseudonym, with a keyed hash in the place of each word."""

    title: ClassVar[str] = "All rows under pseudonyms, each word replaced by a keyed hash"
    source: ClassVar[str] = "Kumar, Novak, Pang, Tomkins: On anonymizing query logs via token-based hashing, WWW 2007"
    unsafe: ClassVar[bool] = True

    def promise(self) -> Promise:
        step = Step("Hashed words", "Publish every row under a pseudonym; each word of a query is replaced by a keyed hash, the key is thrown away.")
        return _promise(step, "How often a word occurs, and beside which others, tells which word it is.", "URLs are published as they are.")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        events = _read(log)
        table = _publish(log, events, events["user"].to_numpy().astype(np.int64), randomness)
        return Protected({"events": table.set_column(1, "query", _hashed(table["query"], randomness.bytes(32)))})


@dataclass(frozen=True, repr=False)
class SplitSessions(Mechanism):
    """Publish every row, with a new random number for each session of a user."""

    title: ClassVar[str] = "All rows, each session of a user under a pseudonym of its own"
    source: ClassVar[str] = "Adar: User 4XXXXX9: anonymizing query logs, WWW 2007 workshop"
    unsafe: ClassVar[bool] = True

    session_minutes: int = parameter("a longer pause starts a new session", default=SESSION_MINUTES, least=1, unit="minutes")

    def promise(self) -> Promise:
        step = Step("Split sessions", f"Publish every row; a pause of more than {self.session_minutes} minutes starts a new pseudonym.")
        return _promise(step, "One session can name a person, and rare queries or words connect sessions again.")

    def protect(self, log: LogStore, randomness: Randomness) -> Protected:
        events = _read(log)
        user = events["user"].to_numpy()
        paused = events["impression"].to_numpy() & (events["gap"].fill_null(0).to_numpy() > 60 * self.session_minutes)
        starts = paused | (np.diff(user, prepend=-1) != 0)
        return Protected({"events": _publish(log, events, np.cumsum(starts) - 1, randomness)})


def _read(log: LogStore) -> Any:
    import pyarrow.parquet as pq

    return pq.read_table(log.events(), columns=COLUMNS)


def _publish(log: LogStore, events: Any, who: Ints, randomness: Randomness) -> pa.Table:
    """The rows under pseudonyms 1, 2, …: a random order of `who`, so that they tell neither names nor the order of the log."""
    import pyarrow as pa

    people = int(who.max(initial=-1)) + 1
    number = np.empty(people, np.int64)
    number[np.argsort(np.frombuffer(randomness.bytes(8 * people), np.uint64), kind="stable")] = 1 + np.arange(people)
    order = np.argsort(number[who], kind="stable")
    rows = events.take(pa.array(order))
    clicked = rows["url"].is_valid().to_numpy()
    place = np.cumsum(clicked) - 1
    urls = log.url_texts(rows["url"].drop_null().to_numpy())
    columns = {
        "user": number[who][order],
        "query": log.query_texts(rows["query"].to_numpy()),
        "time": rows["time"],
        "rank": rows["rank"],
        "url": urls.take(pa.array(place, pa.int64(), mask=~clicked)),
    }
    return pa.table(columns)


def _hashed(texts: Any, key: bytes) -> Any:
    """The texts with every word replaced by 16 hexadecimal digits. The same word has the same digits everywhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = texts.combine_chunks().dictionary_encode()
    split: Any = pc.split_pattern(distinct.dictionary, " ")
    words = split.flatten().dictionary_encode()
    digests = pa.array([hashlib.blake2b(word.encode(), key=key, digest_size=8).hexdigest() for word in words.dictionary.to_pylist()], pa.string())
    hashed: Any = pa.ListArray.from_arrays(split.offsets, digests.take(words.indices))
    joined: Any = pc.binary_join(hashed, " ")
    return joined.take(distinct.indices)
