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
    # Loaded here: numba takes a second.
    from crowdlog.artifacts.numbered_slices import SliceNumbers, most_words, split, text_bytes

    sizes, pieces, known = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], SliceNumbers()
    room = np.empty(
        (2, 0), np.int32
    )  # one for all batches: memory given back is asked for again, page by page
    for texts in batches:
        data, offsets = text_bytes(texts)
        if (most := most_words(offsets)) > room.shape[1]:
            room = np.empty((2, 2 * most), np.int32)
        sizes.append(np.empty(len(texts), np.int64))
        words = split(data, offsets, sizes[-1], *room)
        pieces.append(known.number(data, *room[:, :words]))
    # int32: there may be tens of millions
    return Words(np.cumsum(np.concatenate(sizes)), np.concatenate(pieces), known.texts())


def sites_of(batches: Iterable[Any]) -> Sites:
    """The site of each URL."""
    from crowdlog.artifacts.hosts import hosts
    from crowdlog.artifacts.numbered_slices import SliceNumbers, text_bytes

    pieces, known = [np.zeros(0, np.int32)], SliceNumbers()
    for urls in batches:
        data, offsets = text_bytes(urls)
        lower, begins, ends, unsure = hosts(data, offsets)
        if len(unsure):
            lower, begins, ends = _with_others(lower, begins, ends, unsure, urls)
        pieces.append(known.number(lower, begins, ends))
    return Sites(np.concatenate(pieces), known.texts())


def _with_others(lower: Any, begins: Any, ends: Any, unsure: Any, urls: Any) -> tuple[Any, Any, Any]:
    """Hosts of the URLs that the compiled loop leaves to the pattern, behind the bytes of the others."""
    from crowdlog.artifacts.numbered_slices import text_bytes

    own = urls.take(pa.array(unsure))
    found = pc.struct_field(pc.extract_regex(own, _HOST), "site")
    data, offsets = text_bytes(pc.utf8_lower(pc.coalesce(found, own)))
    begins[unsure] = len(lower) + offsets[:-1].astype(np.int64)
    ends[unsure] = len(lower) + offsets[1:].astype(np.int64)
    return np.concatenate([lower, data]), begins, ends
