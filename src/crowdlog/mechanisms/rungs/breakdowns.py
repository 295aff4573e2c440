"""Lengths, hours, activity, released shares and topics: every person divided among the values of a public
list, with noise for every value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crowdlog.artifacts.breakdowns import BINS, BREAKDOWN_TABLES, CAP, HOURS, LENGTHS, REPEAT_CAPS, Breakdown
from crowdlog.artifacts.public_lists import read_features
from crowdlog.artifacts.topics import OTHER, TOPIC_WORDS, topic_names, word_topics
from crowdlog.engine.log_source import LogSource
from crowdlog.engine.searches import LogRows
from crowdlog.mechanisms.rungs.climb import Climb
from crowdlog.mechanisms.rungs.setting import Setting
from crowdlog.mechanisms.rungs.word_cells import all_released, first_mark
from crowdlog.privacy.divided import divided, noise_sd, noisy_cells, summed
from crowdlog.privacy.randomness import Randomness
from crowdlog.types import Bools, Floats, Ints

SURE = 1.96  # standard deviations of an interval that holds the truth in 95 of 100 cases


@dataclass(frozen=True)
class ReleasedMarks:
    """Of each query: whether it is released, whether all its words are, and the place of its length among
    LENGTHS; of each site: whether it is released.
    """

    query: Bools
    words: Bools
    site: Bools
    length: NDArray[np.int8]

    @classmethod
    def of(cls, climbed: Climb) -> ReleasedMarks:
        words = climbed.holdings.words
        known = all_released(words, climbed.word_place)
        query, site = np.zeros(len(known), bool), np.zeros(len(climbed.holdings.sites.texts), bool)
        if "queries" in climbed.shown:
            query = climbed.query_place >= 0
        if "sites" in climbed.shown:
            site = climbed.site_place >= 0
        length = np.clip(np.diff(words.offsets), 1, len(LENGTHS)) - 1
        return cls(query, known, site, length.astype(np.int8))

    def bands(self, climbed: Climb, bands: Ints) -> NDArray[np.int8]:
        """The band of each query of the log; −1 if the query is not released."""
        if not self.query.any():
            return np.full(len(self.query), -1, np.int8)
        shown = np.append(bands, -1).astype(np.int8)  # the last serves −1
        found: NDArray[np.int8] = shown[climbed.query_place]
        return found


@dataclass(frozen=True)
class MarkedSearches:
    """All searches; of each its user, and whether it ended on a released site; and the bands of
    queries.
    """

    rows: LogRows
    user: Any
    on_site: Bools
    band: NDArray[np.int8]  # of each query, −1 if it is not shown

    def __repr__(self) -> str:
        return f"MarkedSearches({self.rows!r})"


def breakdown_tables(
    setting: Setting, climbed: Climb, bands: Ints, randomness: Randomness
) -> dict[str, pa.Table]:
    """The tables of the setting. What is released is public by now; noise comes from its own part of μ².
    `bands`: of each shown query.
    """
    if not setting.breakdowns:
        return {}
    marks = ReleasedMarks.of(climbed)
    people = climbed.holdings
    on_site = people.rows.clicked(marks.site[people.sites.site])
    searches = MarkedSearches(people.rows, people.rows.user, on_site, marks.bands(climbed, bands))
    wanted = [
        Breakdown(BREAKDOWN_TABLES[table], setting.representation, setting.topics_of(table))
        for table in setting.breakdowns
    ]
    topics = cache(lambda named: _topics(climbed.source, named, setting.representation))
    vectors = [vector for each in wanted for vector in _vectors(each, searches, marks, topics)]
    drawn = iter(noisy_cells(vectors, setting.mu["shares"], randomness))
    sd = noise_sd(len(vectors), setting.mu["shares"])
    return {
        each.table: _published(each, np.concatenate([next(drawn) for _ in range(each.vectors)]), sd)
        for each in wanted
    }


def _vectors(
    of: Breakdown, searches: MarkedSearches, marks: ReleasedMarks, topics: Callable[[str | None], Any]
) -> list[Ints]:
    """Sums to which a person adds a length of one unit at most, each. `topics`: of each query, by the name of
    their list.
    """
    user, rows, size = searches.user, searches.rows, len(of.values)
    match of.kind:
        case "length":
            return [divided(user, marks.length[rows.query], size)]
        case "hour":
            return [divided(user, rows.hour, size)]
        case "activity":
            each = rows.per_person()
            bins = np.minimum(np.log2(np.maximum(each, 1)).astype(np.int64), BINS - 1)
            return [divided(np.arange(len(each)), bins, size)]
        case "share":
            released, known = marks.query[rows.query], marks.words[rows.query]
            parts = [
                divided(user, (~part).view(np.int8), 2)[:1]
                for part in (released, known, rows.clicked(), searches.on_site)
            ]
            return [*parts, summed(rows.per_person(), CAP)]
        case "repeat":
            band = searches.band[rows.query]
            return [
                summed(np.bincount(user[band == place], minlength=rows.users), most)
                for place, most in enumerate(REPEAT_CAPS)
            ]
        case _:
            topic = topics(of.topics)[rows.query]
            cells = topic if of.kind == "topic" else topic * len(HOURS) + rows.hour
            return [divided(user, cells, size)]


def _topics(source: LogSource, named: str | None, representation: str) -> NDArray[np.int32]:
    """The number of each query's topic: by the owner's file, or that of its first word that has one."""
    if named is None:
        raise TypeError("a breakdown by topics needs a list of topics")
    names = topic_names(named, representation)
    number = {name: place for place, name in enumerate(names)}
    if named != TOPIC_WORDS:
        texts, topic, topics = read_features(named, representation)
        mine = np.array([number[name] for name in (*topics, OTHER)], np.int32)
        found: NDArray[np.int32] = mine[np.append(topic, len(topics))[source.places(texts)]]
        return found
    words = source.parts.words
    known = word_topics()
    place = pc.index_in(words.texts, value_set=pa.array(known, pa.string())).fill_null(len(known)).to_numpy()
    topic = np.array([number[name] for name in (*known.values(), OTHER)], np.int64)[place]
    return first_mark(words, topic, number[OTHER]).astype(np.int32)


def _published(of: Breakdown, people: Floats, sd: float) -> pa.Table:
    """In the order of the values. Nobody can be fewer than none: what lies below 0 is raised to it."""
    texts = dict(zip(of.columns, zip(*of.values, strict=True), strict=True))
    return pa.table(
        {
            **{name: pa.array(column, pa.string()) for name, column in texts.items()},
            "count": np.maximum(np.rint(people), 0).astype(np.int64),
            "noise": np.full(len(people), sd),
            "low": np.maximum(np.floor(people - SURE * sd), 0).astype(np.int64),
            "high": np.maximum(np.ceil(people + SURE * sd), 0).astype(np.int64),
        }
    )
