"""Everything the kernels draw from, as arrays: built once, the same every time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from crowdlog.log.synth import language, tables
from crowdlog.log.synth.arrays import F64, I32, I64, U8
from crowdlog.log.synth.lists import read_list
from crowdlog.log.synth.phrases import Phrases, content_words, grown_heads
from crowdlog.log.synth.pool import TokenPool
from crowdlog.log.synth.topics import SubTopic, load_sites, load_topics

_HOST_ENDS = (
    "",
    "online",
    "guide",
    "world",
    "info",
    "central",
    "now",
    "zone",
    "source",
    "web",
    "direct",
    "club",
    "today",
    "network",
    "place",
)
_HOST_STARTS = ("", "my", "all", "the", "about", "e", "best", "us")
_DOMAINS = (
    ".com",
    ".com",
    ".com",
    ".org",
    ".com",
    ".net",
    ".com",
    ".com",
    ".org",
    ".com",
    ".net",
    ".gov",
    ".com",
    ".edu",
)
_SITES_PER_SUBTOPIC = 400
# Sub-topics that are not in topics.txt and follow its last, and whether they are sensitive.
SITES, PEOPLE, SECRETS = 0, 1, 2
# How people type a site: name, name.com, www.name.com, http://www.name.com, name .com, www.name; ordered as
# in AOL's most frequent queries.
TYPED = (0.46, 0.24, 0.15, 0.08, 0.03, 0.04)
EXTRA_SUBTOPICS = (("web/sites", False), ("people/names", True), ("people/secrets", True))


class World(NamedTuple):
    """Three arrays and where things stand in them: kernels compile and run faster with few arrays.

    A plain name is where a list begins in `ints` and its plural how long it is; `x_cum` is where its weights
    begin in `cum`, rising to 1; `ints[x_from + i] … ints[x_from + i + 1]` are the numbers of the items that
    belong to sub-topic i.
    """

    text: U8
    ints: I64
    cum: F64
    start: int  # per token: where its text begins in `text`
    words: int  # per token: how many words it has
    follow_from: int  # per token: which words may come next
    follow_to: int
    follow: int
    # phrases are runs of tokens and slots: first all heads by sub-topic, then all refinements, then the
    # prefixes
    phrase_from: int
    phrase: int
    prefix: int
    prefixes: int
    subtopics: int
    subtopic_cum: int
    topic_name: int  # tokens, also of the extra sub-topics
    sensitive: int
    head_from: int
    head_cum: int
    refinement_from: int
    topic_word_from: int
    topic_word: int
    host_from: int
    host: int
    site: int
    sites: int
    portal: int  # the ways of typing well-known sites, most frequent first
    portals: int
    city: int
    cities: int
    city_cum: int
    state: int
    states: int
    first_name: int
    first_names: int
    first_name_cum: int
    last_name: int
    last_names: int
    last_name_cum: int
    rare: int
    rares: int
    common: int
    commons: int
    day: int  # tokens of the dates
    volume: int  # quantiles of the tables
    volumes: int
    gap: int
    gaps: int
    page_gap: int
    page_gaps: int
    second: int
    seconds: int
    rank: int
    ranks: int


def _rising(weights: Sequence[float] | F64) -> F64:
    total = np.cumsum(np.asarray(weights, np.float64))
    return np.asarray(total / total[-1])


def _zipf(n: int) -> F64:
    return _rising(np.asarray(1.0 / (np.arange(n) + 1.5), np.float64))


def _portals(sites: int) -> I64:
    """Well-known sites as people type them, the most frequent first: number = site · ways + way."""
    weight = np.outer((np.arange(sites) + 1.0) ** -0.9, TYPED)
    return np.argsort(-weight.ravel(), kind="stable")


def _bounds(lists: Sequence[Sequence[object]], base: int = 0) -> I64:
    return base + np.concatenate([[0], np.cumsum([len(part) for part in lists])]).astype(np.int64)


def _hosts(words: list[str]) -> list[str]:
    """Host names of a sub-topic, the most visited first."""
    ways = [(start, word, end) for end in _HOST_ENDS for start in _HOST_STARTS for word in words][
        :_SITES_PER_SUBTOPIC
    ]
    order = np.random.default_rng(len(words)).permutation(len(ways))
    return [f"{ways[i][0]}{ways[i][1]}{ways[i][2]}{_DOMAINS[n % len(_DOMAINS)]}" for n, i in enumerate(order)]


def _following(texts: list[str], after: dict[str, list[str]], pool: TokenPool) -> tuple[I64, list[int]]:
    """For each token which part of the list of following words belongs to its last word."""
    flat: list[int] = []
    span: dict[str, tuple[int, int]] = {}
    for word, nexts in after.items():
        span[word] = (len(flat), len(flat) + len(nexts))
        flat.extend(pool.token(following) for following in nexts)
    return np.array([span.get(text.rpartition(" ")[2], (0, 0)) for text in texts], np.int64), flat


@cache
def subtopics() -> list[SubTopic]:
    """The sub-topics by number."""
    return load_topics()


class _Builder:
    """Puts lists one behind the other and remembers where each begins."""

    def __init__(self) -> None:
        self.pool = TokenPool()
        self._ints: list[I64] = []
        self._cum: list[F64] = []
        self._sizes = [0, 0]
        self.places: dict[str, int] = {}

    def ints(self, name: str, values: Sequence[int] | I32 | I64, count: str = "") -> None:
        """Add a list of numbers; `count` names its length."""
        self.places[name] = self._sizes[0]
        self._sizes[0] += len(values)
        self._ints.append(np.asarray(values, np.int64))
        if count:
            self.places[count] = len(values)

    def cum(self, name: str, values: F64) -> None:
        """Add rising weights."""
        self.places[name] = self._sizes[1]
        self._sizes[1] += len(values)
        self._cum.append(values)

    def texts(self, name: str, texts: Sequence[str], count: str = "", weights: F64 | None = None) -> None:
        """Add a list of texts as tokens."""
        self.ints(name, [self.pool.token(text) for text in texts], count)
        if weights is not None:
            self.cum(f"{name}_cum", weights)

    def parts(self, name: str, parts: Sequence[Sequence[str]]) -> None:
        """Add lists of texts by sub-topic."""
        self.ints(f"{name}_from", _bounds(parts))
        self.texts(name, [text for part in parts for text in part])

    def world(self) -> World:
        """The finished arrays."""
        text, start = self.pool.arrays()
        self.ints("start", start)
        return World(text=text, ints=np.concatenate(self._ints), cum=np.concatenate(self._cum), **self.places)


def _add_topics(build: _Builder, pairs: list[tuple[str, str, int]]) -> None:
    """Sub-topics with their heads, refinements, words and hosts."""
    topics = subtopics()
    words = content_words(topics)
    heads = [
        [*topic.heads, *grown] for topic, grown in zip(topics, grown_heads(topics, words, pairs), strict=True)
    ]
    refinements = [topic.refinements for topic in topics]
    phrases = Phrases(build.pool)
    prefixes = read_list("prefixes.txt", ",")
    for part in (*heads, *refinements, prefixes):
        phrases.extend(part)
    build.ints("phrase", phrases.codes())
    build.ints("phrase_from", phrases.starts())
    head_count, refinement_count = sum(map(len, heads)), sum(map(len, refinements))
    build.places |= {
        "prefix": head_count + refinement_count,
        "prefixes": len(prefixes),
        "subtopics": len(topics),
    }
    build.cum("subtopic_cum", _rising([topic.weight for topic in topics]))
    build.ints("head_from", _bounds(heads))
    build.cum("head_cum", np.concatenate([_zipf(len(part)) for part in heads]))
    build.ints("refinement_from", _bounds(refinements, head_count))
    build.parts("topic_word", words)
    build.parts("host", [_hosts(part) for part in words])
    build.texts(
        "topic_name", [*(topic.name for topic in topics), *(name for name, _sensitive in EXTRA_SUBTOPICS)]
    )
    build.ints(
        "sensitive",
        [*(topic.sensitive for topic in topics), *(sensitive for _name, sensitive in EXTRA_SUBTOPICS)],
    )


def _add_names(build: _Builder) -> None:
    """Sites, places and people with how often each is meant."""
    sites, (cities, inhabitants) = load_sites(), language.cities()
    first, last = language.first_names(), language.last_names()
    build.texts("site", sites, "sites")
    build.ints("portal", _portals(len(sites)), "portals")
    build.texts("city", cities, "cities", _rising(inhabitants))
    build.texts("state", language.states(), "states")
    build.texts("first_name", first[0], "first_names", _rising(first[1]))
    build.texts("last_name", last[0], "last_names", _rising(last[1]))
    build.texts("rare", language.rare_words(), "rares")


def _add_tables(build: _Builder) -> None:
    build.texts("day", tables.days())
    build.ints("volume", tables.queries_per_user(), "volumes")
    build.ints("gap", tables.gaps(tables.SEARCH_GAP), "gaps")
    build.ints("page_gap", tables.gaps(tables.PAGE_GAP), "page_gaps")
    build.ints("second", tables.seconds_of_day(), "seconds")
    build.ints("rank", tables.ranks(), "ranks")


@cache
def build_world() -> World:
    """Collect all lists (a few seconds)."""
    build = _Builder()
    pairs = language.two_word_phrases()
    _add_topics(build, pairs)
    _add_names(build)
    _add_tables(build)
    build.texts(
        "common",
        list(dict.fromkeys(word for first, second, _count in pairs for word in (first, second))),
        "commons",
    )
    spans, follow = _following(build.pool.texts(), language.followers(pairs), build.pool)
    build.ints("follow_from", spans[:, 0])
    build.ints("follow_to", spans[:, 1])
    build.ints("follow", follow)
    build.ints("words", [text.count(" ") + 1 for text in build.pool.texts()])
    return build.world()
