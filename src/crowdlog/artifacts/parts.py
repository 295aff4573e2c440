"""Parts of texts: the words of a query, the site of a URL. They depend on the text alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crowdlog.types import Ints

# The host without user name, www. and port; what has no host stands for itself.
_HOST = r"^(?:[a-zA-Z][a-zA-Z0-9+.-]*://)?(?:[^/?#@]*@)?(?:[wW]{3}\.)?(?P<site>[^/?#:]+)"


@dataclass(frozen=True)
class Words:
    """The words of texts, in order: those of text t are `word[offsets[t]:offsets[t + 1]]`, numbers of
    `texts`.
    """

    offsets: Ints
    word: Ints
    texts: pa.StringArray

    def __repr__(self) -> str:
        return f"Words({len(self.word)} words of {len(self.offsets) - 1} texts)"

    def table(self) -> pa.Table:
        """query, place (0, 1, … in its text), word."""
        sizes = np.diff(self.offsets)
        place = np.arange(len(self.word)) - np.repeat(self.offsets[:-1], sizes)
        query = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        return pa.table({"query": query, "place": place, "word": self.word})

    def pairs(self) -> pa.Table:
        """query, place (of the first), word, next_word."""
        whole = self.table()
        query: Ints = whole["query"].to_numpy()
        inside: Ints = np.flatnonzero(query[1:] == query[:-1])
        return whole.take(inside).append_column("next_word", pa.array(self.word[inside + 1]))


@dataclass(frozen=True)
class Sites:
    """The number of each URL's site, and the sites."""

    site: Ints
    texts: pa.StringArray

    def __repr__(self) -> str:
        return f"Sites({len(self.texts)} of {len(self.site)} URLs)"

    def table(self) -> pa.Table:
        """url, site."""
        return pa.table({"url": np.arange(len(self.site), dtype=np.int32), "site": self.site})


def words_of(batches: Iterable[Any]) -> Words:
    """Texts split at blanks; batches keep millions of texts out of one piece of memory."""
    sizes, pieces = [np.zeros(1, np.int64)], list[Any]()
    for texts in batches:
        split = pc.split_pattern(texts, " ")
        flat, length = split.flatten(), np.diff(split.offsets.to_numpy())
        real = pc.not_equal(flat, pa.scalar("")).to_numpy(zero_copy_only=False)
        row = np.repeat(np.arange(len(length)), length)[real]
        sizes.append(np.bincount(row, minlength=len(length)))
        pieces.append(flat.filter(pa.array(real)).dictionary_encode())
    word, texts = _numbered(pieces)
    return Words(np.cumsum(np.concatenate(sizes)), word, texts)


def sites_of(batches: Iterable[Any]) -> Sites:
    """The site of each URL."""
    pieces = []
    for urls in batches:
        found = pc.struct_field(pc.extract_regex(urls, _HOST), "site")
        pieces.append(pc.utf8_lower(pc.coalesce(found, urls)).dictionary_encode())
    return Sites(*_numbered(pieces))


def _numbered(pieces: list[Any]) -> tuple[Ints, Any]:
    """Dictionary-encoded pieces as one array of numbers and one of texts."""
    if not pieces:
        return np.zeros(0, np.int64), pa.array([], pa.string())
    encoded: Any = pa.chunked_array(pieces).unify_dictionaries()
    numbers = np.concatenate([chunk.indices.to_numpy() for chunk in encoded.chunks]).astype(np.int64)
    return numbers, encoded.chunk(0).dictionary.cast(pa.string())
