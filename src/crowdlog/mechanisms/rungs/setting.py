"""How a ladder divides its privacy, and which tables it publishes: from its parameters and a public number of
people alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.privacy.rounding_room import ROOM_BELOW
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian

INVENTED_WORDS = 3.0  # words that noise alone shows, on average, at most
# of other tables: this part of the number of released words, within limits
INVENTED_SHARE, INVENTED_LEAST, INVENTED_MOST = 0.002, 0.3, 10.0
STEP_TAIL = 0.15  # of δ for open keys, in each of two steps
# Shares of μ² for 1,000 people and for 60,000 or more; between them by the logarithm of the number. That of
# pairs is taken from all others where pairs are published: a tenth of μ².
SMALL = {"words": 0.26, "named": 0.42, "edges": 0.06, "pairs": 0.108, "counts": 0.20, "shares": 0.04}
LARGE = {"words": 0.24, "named": 0.42, "edges": 0.10, "pairs": 0.108, "counts": 0.18, "shares": 0.04}
# From so many people on words are plenty (five times Crowd's) and queries were too few (.90 times): a third
# of the words' share goes to what they name. At 250,000 people: 13 % fewer words, 11 % more queries and word
# pairs, 14 % more sites (docs/ladder.md).
MANY_FROM = 200_000
MANY = LARGE | {"words": 0.16, "named": 0.50, "pairs": 0.08}
TABLES = ("words", "queries", "word_pairs", "sites", "query_sites", "word_sites", "pairs")
STEP_OF = {
    "words": "words",
    "queries": "named",
    "word_pairs": "named",
    "sites": "named",
    "query_sites": "edges",
    "word_sites": "edges",
    "pairs": "pairs",
}
# Rows to expect at ε = 1 (δ = 10⁻⁶) and at ε = 2.3 (δ = 10⁻⁵), by number of people, as measured on synthetic
# logs (docs/ladder.md); those of 657,000 people in a few runs.
PEOPLE = (1_000, 5_000, 20_000, 60_000, 657_000)
EXPECTED: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "words": ((25, 212, 1013, 2522, 11000), (83, 593, 2244, 4610, 17900)),
    "queries": ((2, 18, 86, 432, 3450), (8, 40, 356, 880, 9450)),
    "word_pairs": ((4, 19, 111, 460, 7180), (5, 52, 335, 1370, 16000)),
    "sites": ((4, 40, 109, 212, 7300), (16, 80, 178, 750, 19100)),
    "query_sites": ((1, 13, 41, 182, 780), (5, 22, 143, 410, 1180)),
    "word_sites": ((1, 14, 58, 294, 5430), (5, 30, 222, 960, 15800)),
    "pairs": ((0.01, 0.1, 1, 39, 270), (0.05, 1, 8, 94, 762)),
}
# People from whom on a breakdown says more than its noise (one cell in a hundred, or one in 400).
BREAKDOWNS_FROM = {
    "lengths": 1_000,
    "hours": 5_000,
    "activity": 1_000,
    "shares": 1_000,
    "repeats": 20_000,
    "topics": 1_000,
    "topic_hours": 20_000,
}
PAIRS_FROM = 50_000  # people: what next queries cost below is worth more elsewhere
TOPIC_TABLES = ("topics", "topic_hours")
AT = (1.0, 2.3)  # the ε of the two columns
# Where people are so many there are fewer rounds: 24 instead of 40 showed 1 % fewer of 42,700 queries, word
# pairs and sites at 657,000 people, in three quarters of the time.
FEWER_ROUNDS = 24


def rounds_for(people: int) -> int:
    """Of each selection: where there are many people, fewer rounds show as much, in less time."""
    return FEWER_ROUNDS if people >= MANY_FROM else AdaptiveGaussian().rounds


def expected_rows(table: str, people: int, epsilon: float) -> float:
    """About so many rows: straight lines between measured points, in logarithms."""
    low, high = (_at(people, rows) for rows in EXPECTED[table])
    low = min(low, high)  # far below the measured sizes the lines cross: less ε never shows more
    steps = (math.log(epsilon) - math.log(AT[0])) / (math.log(AT[1]) - math.log(AT[0]))
    return float(low * (high / low) ** steps)


def _at(people: int, rows: tuple[float, ...]) -> float:
    at = min(max(sum(people >= known for known in PEOPLE), 1), len(PEOPLE) - 1)
    near, far = PEOPLE[at - 1], PEOPLE[at]
    slope = math.log(rows[at] / rows[at - 1]) / math.log(far / near)
    return float(rows[at - 1] * (max(people, 1) / near) ** slope)


@dataclass(frozen=True)
class Setting:
    """What a run needs to know; public."""

    people: int
    representation: str
    words: str  # the public list
    items: int
    tables: tuple[str, ...]
    left_out: tuple[str, ...]
    mu: Mapping[str, float]  # of each step
    open_bar: Mapping[str, float]
    tails: Mapping[str, float]
    items_named: int
    breakdowns: tuple[str, ...] = ()
    topics: str | None = None
    invented_words: float = INVENTED_WORDS
    session_minutes: int = SESSION_MINUTES

    def method(self, step: str) -> AdaptiveGaussian:
        """The rounds of a step."""
        items = self.items_named if step == "named" else self.items
        return AdaptiveGaussian(items_per_user=items, rounds=rounds_for(self.people))

    @property
    def named(self) -> bool:
        return any(STEP_OF[table] == "named" for table in self.tables)

    @property
    def edges(self) -> bool:
        return "query_sites" in self.tables or "word_sites" in self.tables

    def topics_of(self, breakdown: str) -> str | None:
        """Where the topics of this table come from, if it has any."""
        return self.topics if breakdown in TOPIC_TABLES else None

    def invented(self, words: int) -> float:
        """Rows that noise alone may show in each table but that of words, on average, at most."""
        return min(max(INVENTED_SHARE * words, INVENTED_LEAST), INVENTED_MOST)


def choose_tables(
    people: int, epsilon: float, least_rows: float, wanted: Mapping[str, bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(tables to publish, tables left out): a table is left out if too few rows are expected, or if a table
    that it needs is left out.
    """
    enough = [table for table in TABLES if expected_rows(table, people, epsilon) >= least_rows]
    if people < PAIRS_FROM and least_rows > 0:
        enough = [table for table in enough if table != "pairs"]
    kept = [
        table
        for table in TABLES
        if wanted.get(STEP_OF[table], True) and (table in enough or table == "words")
    ]
    needs = {"query_sites": {"queries", "sites"}, "word_sites": {"sites"}, "pairs": {"queries"}}
    tables = tuple(table for table in kept if needs.get(table, set()) <= set(kept))
    return tables, tuple(table for table in TABLES if table not in tables)


def choose_breakdowns(people: int, least_rows: float, topics: bool, wanted: bool) -> tuple[str, ...]:
    """The breakdowns that are worth publishing for so many people; all where nothing is left out."""
    return tuple(
        table
        for table, least in BREAKDOWNS_FROM.items()
        if wanted and (people >= least or least_rows <= 0) and (topics or table not in TOPIC_TABLES)
    )


def shares(
    people: int, tables: tuple[str, ...], weights: Mapping[str, float], breakdowns: tuple[str, ...] = ()
) -> dict[str, float]:
    """The part of μ² of each step; they add up to 1 at most."""
    place = min(max(math.log(max(people, 1) / 1000) / math.log(60), 0.0), 1.0)
    parts = {step: SMALL[step] + place * (LARGE[step] - SMALL[step]) for step in SMALL}
    if people >= MANY_FROM:
        parts = dict(MANY)
    used = {STEP_OF[table] for table in tables} | {"counts"} | ({"shares"} if breakdowns else set())
    wanted = {step: parts[step] * weights.get(step, 1.0) if step in used else 0.0 for step in parts}
    whole = sum(wanted.values()) / ROOM_BELOW
    return {step: part / whole for step, part in wanted.items()}


def open_bars(
    mu: Mapping[str, float], delta: float, epsilon: float, most: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float]]:
    """The bar of open keys in each step that has some, and its part of δ. `most`: keys of one person."""
    tail = STEP_TAIL * delta * ROOM_BELOW
    bars = {
        step: AdaptiveGaussian(items_per_user=most[step]).threshold(mu[step], tail, epsilon)
        for step in most
        if mu[step] > 0
    }
    return bars, dict.fromkeys(bars, tail)
