"""One numbering of query and URL texts for all that is compared: the log, a release of it, held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from crowdlog.types import Ints

compute: Any = pa.compute  # pyarrow makes its functions at run time; their types cannot be checked


class TextIds:
    """Texts in the order of their ids: those of the log first, then those only the others have."""

    def __init__(self, known: Any) -> None:
        self._parts = [_one(known)]
        self._size = len(known)

    def __len__(self) -> int:
        return self._size

    def find(self, column: Any) -> Ints:
        """The id of each text, −1 for a text without one."""
        distinct, codes = _encoded(column)
        return self._known(distinct)[codes]

    def ids(self, column: Any) -> Ints:
        """The id of each text. Unseen texts are added."""
        distinct, codes = _encoded(column)
        ids = self._known(distinct)
        unseen = ids < 0
        if unseen.any():
            ids[unseen] = self._size + np.arange(unseen.sum())
            self._parts.append(distinct.filter(pa.array(unseen)))
            self._size += int(unseen.sum())
        return ids[codes]

    def _known(self, distinct: Any) -> Ints:
        ids = np.full(len(distinct), -1, np.int64)
        start = 0
        for part in self._parts:
            found = compute.index_in(distinct, part)
            there = compute.is_valid(found).to_numpy(zero_copy_only=False)
            ids[there] = start + compute.drop_null(found).to_numpy()
            start += len(part)
        return ids

    def all(self) -> Any:
        """Every text, in the order of the ids."""
        return pa.concat_arrays(self._parts)


class Vocabulary:
    """The texts of queries and of URLs."""

    def __init__(self, queries: Any, urls: Any) -> None:
        self.queries = TextIds(queries)
        self.urls = TextIds(urls)

    def copy(self) -> Vocabulary:
        """The same numbers so far; what is added to one is not added to the other."""
        return Vocabulary(self.queries.all(), self.urls.all())

    def __repr__(self) -> str:
        return f"Vocabulary({len(self.queries)} queries, {len(self.urls)} urls)"


def _one(column: Any) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return array.cast(pa.string())


def _encoded(column: Any) -> tuple[Any, Ints]:
    """The different texts of a column, and for each entry the place of its text."""
    encoded = _one(column).dictionary_encode()
    return encoded.dictionary, encoded.indices.to_numpy()
