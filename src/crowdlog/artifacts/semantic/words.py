"""The words of every query as numbers, and the distinct users of every query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdlog.artifacts.semantic.vectors import Ints, Longs


@dataclass(frozen=True, repr=False)
class QueryWords:
    """Query q is the words `word[start[q]:start[q+1]]`; `text` spells each word number."""

    start: Longs
    word: Ints
    text: Any  # an arrow array of strings

    @property
    def query(self) -> Longs:
        """The query that each word stands in."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))


@dataclass(frozen=True, repr=False)
class QueryUsers:
    """The distinct users of query q are `user[start[q]:start[q+1]]`."""

    start: Longs
    user: Ints
    users: int


def split_words(texts: Any) -> QueryWords:
    """A word is what stands between blanks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lists: Any = pc.utf8_split_whitespace(pc.cast(texts, pa.large_string()))
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    words: Any = pc.dictionary_encode(pc.list_flatten(lists))
    lengths = np.asarray(pc.list_value_length(lists), np.int64)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    return QueryWords(start, np.asarray(words.indices, np.int32), words.dictionary)
