"""Lengths, hours, activity, released shares and topics: every person divided among the values of a public
list, with noise for every value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    """Of each query: whether it is released, and whether all its words are; of each site: whether it is."""

    query: Bools
    words: Bools
    site: Bools

    @classmethod
    def of(cls, climbed: Climb) -> ReleasedMarks:
        words = climbed.holdings.words
        known = all_released(words, climbed.word_place)
        query, site = np.zeros(len(known), bool), np.zeros(len(climbed.holdings.sites.texts), bool)
        if "queries" in climbed.shown:
            query = climbed.query_place >= 0
        if "sites" in climbed.shown:
            site = climbed.site_place >= 0
        return cls(query, known, site)

    def bands(self, climbed: Climb, bands: Ints) -> Ints:
        """The band of each query of the log; −1 if the query is not released."""
        if not self.query.any():
            return np.full(len(self.query), -1)
        return np.where(self.query, np.append(bands, -1)[climbed.query_place], -1)


@dataclass(frozen=True)
class MarkedSearches:
    """All searches; of each its user, and whether it ended on a released site; and the bands of
    queries.
    """

    rows: LogRows
    user: Any
    on_site: Bools
    band: Ints  # of each query, −1 if it is not shown

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
    vectors = [vector for each in wanted for vector in _vectors(each, climbed.source, searches, marks)]
    drawn = iter(noisy_cells(vectors, setting.mu["shares"], randomness))
    sd = noise_sd(len(vectors), setting.mu["shares"])
    return {
        each.table: _published(each, np.concatenate([next(drawn) for _ in range(each.vectors)]), sd)
        for each in wanted
    }


def _vectors(of: Breakdown, source: LogSource, searches: MarkedSearches, marks: ReleasedMarks) -> list[Ints]:
    """Sums to which a person adds a length of one unit at most, each."""
    user, rows, size = searches.user, searches.rows, len(of.values)
    match of.kind:
        case "length":
            words = (np.clip(np.diff(source.parts.words.offsets), 1, len(LENGTHS)) - 1).astype(np.int8)
            return [divided(user, words[rows.query], size)]
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
            topic = _topics(source, of).astype(np.int32)[rows.query]
            cells = topic if of.kind == "topic" else topic * len(HOURS) + rows.hour
            return [divided(user, cells, size)]


def _topics(source: LogSource, of: Breakdown) -> Ints:
    """The number of each query's topic: by the owner's file, or that of its first word that has one."""
    if of.topics is None:
        raise TypeError("a breakdown by topics needs a list of topics")
    names = topic_names(of.topics, of.representation)
    number = {name: place for place, name in enumerate(names)}
    if of.topics != TOPIC_WORDS:
        texts, topic, topics = read_features(of.topics, of.representation)
        mine = np.array([number[name] for name in (*topics, OTHER)])
        named: Ints = mine[np.append(topic, len(topics))[source.places(texts)]]
        return named
    words = source.parts.words
    known = word_topics()
    place = pc.index_in(words.texts, value_set=pa.array(known, pa.string())).fill_null(len(known)).to_numpy()
    topic = np.array([number[name] for name in (*known.values(), OTHER)], np.int64)[place]
    return first_mark(words, topic, number[OTHER])


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
