"""How a ladder divides its privacy, and which tables it publishes: from its parameters and a public number of
people alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from crowdlog.log.sessions import SESSION_MINUTES
from crowdlog.mechanisms.shared import ROUNDING_ROOM
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian

INVENTED_WORDS = 3.0  # words that noise alone shows, on average, at most
# of other tables: this part of the number of released words, within limits
INVENTED_SHARE, INVENTED_LEAST, INVENTED_MOST = 0.002, 0.3, 10.0
STEP_TAIL = 0.15  # of δ for open keys, in each of two steps
# Shares of μ² for 1,000 people and for 60,000; between them by the logarithm of the number.
SMALL = {"words": 0.26, "named": 0.42, "edges": 0.06, "pairs": 0.0, "counts": 0.20}
LARGE = {"words": 0.24, "named": 0.42, "edges": 0.10, "pairs": 0.0, "counts": 0.18}
PAIRS_SHARE = 0.08  # taken from words and what they name, where pairs are published
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
# logs (docs/ladder.md); those of 657,000 people are extrapolated.
PEOPLE = (1_000, 5_000, 20_000, 60_000, 657_000)
EXPECTED: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "words": ((25, 212, 1013, 2522, 9000), (83, 593, 2244, 4610, 16000)),
    "queries": ((2, 18, 86, 432, 3500), (8, 40, 356, 880, 7200)),
    "word_pairs": ((4, 19, 111, 460, 3800), (5, 52, 335, 1370, 11000)),
    "sites": ((4, 40, 109, 212, 1700), (16, 80, 178, 750, 6000)),
    "query_sites": ((1, 13, 41, 182, 1500), (5, 22, 143, 410, 3300)),
    "word_sites": ((1, 14, 58, 294, 2400), (5, 30, 222, 960, 7800)),
    "pairs": ((0.01, 0.1, 1, 23, 190), (0.05, 1, 8, 60, 490)),
}
PAIRS_FROM = 50_000  # people: what next queries cost below is worth more elsewhere
AT = (1.0, 2.3)  # the ε of the two columns


def expected_rows(table: str, people: int, epsilon: float) -> float:
    """About so many rows: straight lines between measured points, in logarithms."""
    low, high = (_at(people, rows) for rows in EXPECTED[table])
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
    invented_words: float = INVENTED_WORDS
    session_minutes: int = SESSION_MINUTES

    @property
    def named(self) -> bool:
        return any(STEP_OF[table] == "named" for table in self.tables)

    @property
    def edges(self) -> bool:
        return "query_sites" in self.tables or "word_sites" in self.tables

    def invented(self, words: int) -> float:
        """Rows that noise alone may show in each table but that of words, on average, at most."""
        return min(max(INVENTED_SHARE * words, INVENTED_LEAST), INVENTED_MOST)


def choose_tables(
    people: int, epsilon: float, least_rows: float, wanted: Mapping[str, bool]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that are worth their privacy, and those that are not. What rests on a table goes with it."""
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


def shares(people: int, tables: tuple[str, ...], weights: Mapping[str, float]) -> dict[str, float]:
    """The part of μ² of each step; they add up to 1 at most."""
    place = min(max(math.log(max(people, 1) / 1000) / math.log(60), 0.0), 1.0)
    parts = {step: SMALL[step] + place * (LARGE[step] - SMALL[step]) for step in SMALL}
    parts["pairs"] = PAIRS_SHARE
    used = {STEP_OF[table] for table in tables} | {"counts"}
    wanted = {step: parts[step] * weights.get(step, 1.0) if step in used else 0.0 for step in parts}
    whole = sum(wanted.values()) / ROUNDING_ROOM
    return {step: part / whole for step, part in wanted.items()}


def open_bars(
    mu: Mapping[str, float], delta: float, epsilon: float, most: Mapping[str, int]
) -> tuple[dict[str, float], dict[str, float]]:
    """The bar of open keys in each step that has some, and its part of δ. `most`: keys of one person."""
    tail = STEP_TAIL * delta * ROUNDING_ROOM
    bars = {
        step: AdaptiveGaussian(items_per_user=most[step]).threshold(mu[step], tail, epsilon)
        for step in most
        if mu[step] > 0
    }
    return bars, dict.fromkeys(bars, tail)
