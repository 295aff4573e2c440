"""Hashed tokens: every row under a pseudonym, each word replaced by a keyed hash (Kumar et al. 2007)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.rows import publish_rows, read_rows, row_promise
from crowdlog.release.promise import Promise, Protected, Step

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.privacy.randomness import Randomness


@dataclass(frozen=True, repr=False)
class HashedTokens(Mechanism):
    """Publish every row under a pseudonym, with a keyed hash in the place of each word."""

    title: ClassVar[str] = "All rows under pseudonyms, each word replaced by a keyed hash"
    example: ClassVar[str] = "HashedTokens()"
    source: ClassVar[str] = (
        "Kumar, Novak, Pang, Tomkins: On anonymizing query logs via token-based hashing, WWW 2007"
    )
    formula: ClassVar[str] = "word → HMAC(secret key, word), in every row"
    unsafe: ClassVar[bool] = True
    hashed_words: ClassVar[bool] = True

    def promise(self) -> Promise:
        step = Step(
            "Hashed words",
            "Publish every row under a pseudonym; each word of a query is replaced by a keyed hash, the key "
            "is thrown away.",
        )
        return row_promise(
            step,
            "How often a word occurs, and beside which others, tells which word it is.",
            "URLs are published as they are.",
        )

    def protect(self, log: LogStore, randomness: Randomness, **_options: Any) -> Protected:
        events = read_rows(log)
        table = publish_rows(log, events, events["user"].to_numpy().astype(np.int64), randomness)
        return Protected(
            {"events": table.set_column(1, "query", _hashed(table["query"], randomness.bytes(32)))}
        )


def _hashed(texts: Any, key: bytes) -> Any:
    """The texts with every word replaced by 16 hexadecimal digits.

    The same word has the same digits everywhere.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    distinct = texts.combine_chunks().dictionary_encode()
    split: Any = pc.split_pattern(distinct.dictionary, " ")
    words = split.flatten().dictionary_encode()
    digests = pa.array(
        [
            hashlib.blake2b(word.encode(), key=key, digest_size=8).hexdigest()
            for word in words.dictionary.to_pylist()
        ],
        pa.string(),
    )
    hashed: Any = pa.ListArray.from_arrays(split.offsets, digests.take(words.indices))
    joined: Any = pc.binary_join(hashed, " ")
    return joined.take(distinct.indices)
