"""Searches drawn from the chances of a release, a block of sessions at a time, no loop over searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from crowdlog.release.synthesize.chances import Chances
from crowdlog.types import Bools, Ints

pc: Any = _pc  # its stubs know fewer types than it takes
_array: Any = pa.array
# What no table of a release says is taken from published figures of AOL's log (docs/synthetic.md).
GOES_ON = 0.5  # two searches a session on average
CLICKED = 0.6
FOLLOWS = 0.5  # how often the next search of a session is one that the table of pairs names
LENGTHS = np.cumsum([0.27, 0.20, 0.21, 0.14, 0.10, 0.08])  # words of an invented query: 1, 2, …
PUBLIC = 0.2  # of an invented query's words: one of the public list, if there is one
_LONGEST = 40  # searches of one session


@dataclass(frozen=True)
class SampledBlock:
    """Searches in order. `session` rises from 0; an address of None is no click."""

    session: Ints
    query: pa.StringArray
    invented: Bools
    url: pa.StringArray
    rank: pa.Int64Array


class Sampler:
    """Draws blocks of sessions. `listed`: public words for what the release does not cover."""

    def __init__(self, chances: Chances, random: np.random.Generator, listed: tuple[str, ...] = ()) -> None:
        self._chances = chances
        self._random = random
        self._listed = _array(listed, pa.string())

    def block(self, sessions: int) -> SampledBlock:
        """So many sessions."""
        length = np.minimum(self._random.geometric(1.0 - GOES_ON, sessions), _LONGEST)
        session = np.repeat(np.arange(sessions), length)
        place = np.arange(len(session)) - np.repeat(np.cumsum(length) - length, length)
        query = self._queries(place, int(length.max(initial=0)))
        url, rank = self._clicks(query)
        texts = self._chances.queries.take(_array(np.maximum(query, 0)))
        invented = query < 0
        if invented.any():
            made, last = self._invent(int(invented.sum()))
            texts = pc.replace_with_mask(texts, _array(invented), made)
            url[invented] = self._clicks_of_words(last)
        clicked = _array(url < 0)
        addresses = self._chances.urls.take(_array(url, mask=url < 0))
        ranks = pc.if_else(clicked, pa.scalar(None, pa.int64()), _array(np.where(invented, 1, rank)))
        return SampledBlock(session, texts, invented, addresses, ranks)

    def _queries(self, place: Ints, longest: int) -> Ints:
        """A released query for each search, −1 for one to invent."""
        chances, random = self._chances, self._random
        drawn = np.full(len(place), -1, np.int64)
        known = random.random(len(place)) < chances.covered
        drawn[known] = chances.query.draw(random, int(known.sum()))
        for step in range(1, longest):
            here = np.flatnonzero(place == step)
            before = drawn[here - 1]
            goes = (before >= 0) & (random.random(len(here)) < FOLLOWS)
            goes[goes] = chances.follows.has(before[goes])
            drawn[here[goes]] = chances.follows.draw(random, before[goes])[0]
        return drawn

    def _clicks(self, query: Ints) -> tuple[Ints, Ints]:
        """An address for each search of a released query, or −1; and its rank: its place among the clicks."""
        url = np.full(len(query), -1, np.int64)
        rank = np.ones(len(query), np.int64)
        clicks = (query >= 0) & (self._random.random(len(query)) < CLICKED)
        clicks[clicks] = self._chances.clicked.has(query[clicks])
        url[clicks], place = self._chances.clicked.draw(self._random, query[clicks])
        rank[clicks] = place + 1
        return url, rank

    def _clicks_of_words(self, word: Ints) -> Ints:
        """An address for each invented query by its last word, or by everybody's sites."""
        chances, random = self._chances, self._random
        url = np.full(len(word), -1, np.int64)
        clicks = random.random(len(word)) < CLICKED
        known = clicks & (word >= 0)
        known[known] = chances.word_url.has(word[known])
        url[known] = chances.word_url.draw(random, word[known])[0]
        rest = clicks & ~known
        if chances.any_url.total:
            url[rest] = chances.any_url.draw(random, int(rest.sum()))
        return url

    def _invent(self, n: int) -> tuple[Any, Ints]:
        """Texts as chains of words, and the last released word of each, −1 for none."""
        chances, random = self._chances, self._random
        length = 1 + np.searchsorted(LENGTHS, random.random(n) * LENGTHS[-1], side="right")
        text = pa.nulls(n, pa.string())
        last = np.full(n, -1, np.int64)
        for step in range(int(length.max(initial=0))):
            public = np.asarray(random.random(n) < (PUBLIC if len(self._listed) else 0.0))
            word = chances.word.draw(random, n)
            goes = last >= 0
            goes[goes] = chances.next_word.has(last[goes])
            word[goes] = chances.next_word.draw(random, last[goes])[0]
            here = chances.words.take(_array(word))
            here = pc.if_else(_array(public), self._public_words(n), here)
            longer = _array(step < length)
            joined = here if step == 0 else pc.binary_join_element_wise(text, here, " ")
            text = pc.if_else(longer, joined, text)
            last = np.where(step < length, np.where(public, -1, word), last)
        return text, last

    def _public_words(self, n: int) -> Any:
        """Public words, whose frequency falls as one over their rank (Zipf's law)."""
        size = len(self._listed)
        if not size:
            return pa.nulls(n, pa.string())
        rank = np.exp(self._random.random(n) * np.log(size + 1.0)).astype(np.int64) - 1
        return self._listed.take(_array(np.minimum(rank, size - 1)))
