"""Searches drawn from the chances of a release, a block of sessions at a time, no loop over searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as _pc

from crowdlog.release.synthesize.chances import Chances
from crowdlog.release.synthesize.figures import SEARCHES_PER_SESSION, SearchFigures
from crowdlog.types import Bools, Ints

pc: Any = _pc  # its stubs know fewer types than it takes
_array: Any = pa.array
GOES_ON = 1 - 1 / SEARCHES_PER_SESSION
FOLLOWS = 0.5  # how often the next search of a session is one that the table of pairs names
# Of searches that no released query covers: those that name a released site (of clicks on a site called like
# the query real logs have .20 to .41, docs/synthetic.md), and how they write it.
NAMES, NAME_ALONE, SITE_ALONE = 0.2, 0.5, 0.3
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

    def __init__(
        self,
        chances: Chances,
        figures: SearchFigures,
        random: np.random.Generator,
        listed: tuple[str, ...] = (),
    ) -> None:
        self._chances = chances
        self._figures = figures
        self._random = random
        self._listed = _array(listed, pa.string())

    def block(self, sessions: int) -> SampledBlock:
        """So many sessions."""
        length = np.minimum(self._random.geometric(1.0 - GOES_ON, sessions), _LONGEST)
        session = np.repeat(np.arange(sessions), length)
        place = np.arange(len(session)) - np.repeat(np.cumsum(length) - length, length)
        query = self._queries(place, int(length.max(initial=0)))
        url, rank = self._clicks(query)
        texts = self._chances.queries.take(_array(query, mask=query < 0))
        invented = query < 0
        if invented.any():
            made, last = self._invent(int(invented.sum()))
            clicks = self._clicks_of_words(last)
            made, clicks = self._name_sites(made, clicks)
            texts = pc.replace_with_mask(texts, _array(invented), made)
            url[invented] = clicks
            known: Any = pc.is_in(texts, value_set=self._chances.queries)  # made, and yet a released query
            rank = np.where(invented, 1, rank)
            invented &= ~known.to_numpy(zero_copy_only=False)
        clicked = _array(url < 0)
        addresses = self._chances.urls.take(_array(url, mask=url < 0))
        ranks = pc.if_else(clicked, pa.scalar(None, pa.int64()), _array(rank))
        return SampledBlock(session, texts, invented, addresses, ranks)

    def _queries(self, place: Ints, longest: int) -> Ints:
        """A released query for each search, −1 for one to invent."""
        chances, random = self._chances, self._random
        drawn = np.full(len(place), -1, np.int64)
        known = random.random(len(place)) < self._covered()
        drawn[known] = chances.query.draw(random, int(known.sum()))
        for step in range(1, longest):
            here = np.flatnonzero(place == step)
            before = drawn[here - 1]
            goes = (before >= 0) & (random.random(len(here)) < FOLLOWS)
            goes[goes] = chances.follows.has(before[goes])
            drawn[here[goes]] = chances.follows.draw(random, before[goes])[0]
        return drawn

    def _covered(self) -> float:
        """The share of searches that are released queries: none or all where only the others can be drawn."""
        if not self._chances.query.total:
            return 0.0
        if not self._chances.word.total:
            return 1.0
        told = self._figures.covered
        return self._chances.covered if told is None else told

    def _clicks(self, query: Ints) -> tuple[Ints, Ints]:
        """An address for each search of a released query, or −1; and its rank: its place among the clicks."""
        url = np.full(len(query), -1, np.int64)
        rank = np.ones(len(query), np.int64)
        clicks = (query >= 0) & (self._random.random(len(query)) < self._figures.clicked)
        clicks[clicks] = self._chances.clicked.has(query[clicks])
        url[clicks], place = self._chances.clicked.draw(self._random, query[clicks])
        rank[clicks] = place + 1
        return url, rank

    def _clicks_of_words(self, word: Ints) -> Ints:
        """An address for each invented query by its last word, or by everybody's sites."""
        chances, random = self._chances, self._random
        url = np.full(len(word), -1, np.int64)
        clicks = random.random(len(word)) < self._figures.clicked
        known = clicks & (word >= 0)
        known[known] = chances.word_url.has(word[known])
        url[known] = chances.word_url.draw(random, word[known])[0]
        rest = clicks & ~known
        if chances.any_url.total:
            url[rest] = chances.any_url.draw(random, int(rest.sum()))
        return url

    def _name_sites(self, texts: Any, url: Ints) -> tuple[Any, Ints]:
        """Some invented searches name a released site instead, and go there if they click."""
        chances, random = self._chances, self._random
        names = random.random(len(texts)) < (NAMES if chances.any_url.total else 0.0)
        site = chances.any_url.draw(random, int(names.sum()))
        whole = pc.replace_substring_regex(chances.urls.take(_array(site)), r"^http://www\.", "")
        way = random.random(len(site))
        bare = pc.replace_substring_regex(whole, r"\.[^.]*$", "")
        addressed = pc.binary_join_element_wise("www.", whole, "")
        written = pc.if_else(_array(way < NAME_ALONE + SITE_ALONE), whole, addressed)
        written = pc.if_else(_array(way < NAME_ALONE), bare, written)
        clicks = url[names] >= 0
        url[np.flatnonzero(names)[clicks]] = site[clicks]
        return pc.replace_with_mask(texts, _array(names), written), url

    def _invent(self, n: int) -> tuple[Any, Ints]:
        """Texts as chains of words, and the last released word of each, −1 for none."""
        chances, random = self._chances, self._random
        lengths = self._figures.lengths
        length = 1 + np.searchsorted(lengths, random.random(n) * lengths[-1], side="right")
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
