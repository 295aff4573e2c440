"""Each table of the ladder that is chosen, sampled in many small worlds of one log: a cell that so many
people hold against one that one person more holds. And the same with the noise of one step seeded too small.

The other audits look at keys that stand by themselves; a cell of a grid is there only where its words,
queries and sites are shown, so those have crowds here. A world is one cell: its people hold nothing else of
its tables.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from crowdlog.audit.bounds import lower, upper
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.rungs import climb
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.logs import make_log

pytestmark = pytest.mark.slow

EPSILON, DELTA = 1.0, 0.1
NAMES = tuple(f"{first}{second}" for first in "bcdfgh" for second in ("acc", "edd", "iff", "ogg", "ull"))
CROWDS = 7  # cells of 0 … 6 people
RUNS = 50
ALARM = 1e-4  # chance of a false alarm, of each comparison
Row = tuple[str, str, int, str | None]


def two_words(user: str, one: str, other: str) -> list[Row]:
    return [(user, f"{one} {other}", 0, None)]


def site_of_two(user: str, one: str, other: str) -> list[Row]:
    return [(user, one, 0, f"http://{one}{other}.com/"), (user, other, 7200, None)]


def click(user: str, one: str, other: str) -> list[Row]:
    return [(user, one, 0, f"http://{other}.com/")]


def reformulation(user: str, one: str, other: str) -> list[Row]:
    return [(user, one, 0, None), (user, other, 60, None)]


@dataclasses.dataclass(frozen=True)
class Step:
    """What the people of a cell do; where the cell is seen, with the columns of its two names; and the weight
    that gives its step most of the privacy.
    """

    does: Callable[[str, str, str], list[Row]]
    tables: dict[str, Callable[[dict[str, str]], tuple[str, str]]]
    weight: str


def pair(first: str, second: str) -> Callable[[dict[str, str]], tuple[str, str]]:
    return lambda row: (row[first], row[second].removesuffix(".com"))


def halves(column: str) -> Callable[[dict[str, str]], tuple[str, str]]:
    """Names have four letters: of two in one text."""

    def found(row: dict[str, str]) -> tuple[str, str]:
        text = row[column].replace(" ", "").removesuffix(".com")
        return text[:4], text[4:]

    return found


STEPS = {
    "queries, word_pairs": Step(
        two_words,
        {"queries": halves("query"), "word_pairs": pair("word", "next_word")},
        "weight_named=20",
    ),
    "sites": Step(site_of_two, {"sites": halves("site")}, "weight_named=20"),
    "query_sites, word_sites": Step(
        click, {"query_sites": pair("query", "site"), "word_sites": pair("word", "site")}, "weight_clicks=40"
    ),
    "pairs": Step(reformulation, {"pairs": pair("query", "next_query")}, "weight_pairs=40"),
}


def cells() -> Iterator[tuple[int, tuple[str, str]]]:
    """Two different names, and how many people hold the cell."""
    return ((place % CROWDS, two) for place, two in enumerate(itertools.permutations(NAMES, 2)))


def outcomes(step: Step, folder, seed: int) -> list[np.ndarray]:
    """By the number of its people: for each world which of its tables show it, as bits."""
    words = folder / "words.txt"
    words.write_text("\n".join(NAMES) + "\n", encoding="utf-8")
    rows = [
        row
        for crowd, (one, other) in cells()
        for person in range(crowd)
        for row in step.does(f"{one}{other}{person}", one, other)
    ]
    log = make_log(folder, rows)
    ladder = parse(
        f"Ladder(epsilon={EPSILON}, delta={DELTA}, people=1000, words='{words}', topics=None, least_rows=0, "
        f"weight_shares=0, {step.weight})"
    )
    found: list[list[int]] = [[] for _ in range(CROWDS)]
    for run in range(RUNS):
        tables = ladder.protect(log, SeededRandomness(1000 * seed + run)).tables
        assert len(set(tables["words"]["word"].to_pylist()) & set(NAMES)) > 0.8 * len(NAMES)
        shown = [{of(row) for row in tables[table].to_pylist()} for table, of in step.tables.items()]
        for crowd, cell in cells():
            found[crowd].append(sum((cell in seen) << bit for bit, seen in enumerate(shown)))
    return [np.array(each) for each in found]


def needed_delta(found: list[np.ndarray]) -> float:
    """The largest δ that is surely needed at ε between any two neighbours: learnt on one half of the runs."""
    surely = 0.0
    kinds = range(int(max(each.max() for each in found)) + 1)
    events = [list(event) for n in range(1, len(kinds)) for event in itertools.combinations(kinds, n)]
    for few, more in itertools.pairwise(found):
        for likely, unlikely in ((few, more), (more, few)):
            a, b = len(likely) // 2, len(unlikely) // 2

            def gain(event, likely=likely[:a], unlikely=unlikely[:b]):
                return np.isin(likely, event).mean() - math.exp(EPSILON) * np.isin(unlikely, event).mean()

            best = max(events, key=gain)
            p = lower(np.array([np.isin(likely[a:], best).sum()]), len(likely) - a, ALARM)[0]
            q = upper(np.array([np.isin(unlikely[b:], best).sum()]), len(unlikely) - b, ALARM)[0]
            surely = max(surely, float(p - math.exp(EPSILON) * q))
    return surely


@pytest.mark.parametrize("name", STEPS)
def test_worlds_keep_the_promise(name, tmp_path):
    assert needed_delta(outcomes(STEPS[name], tmp_path, 1)) <= DELTA


@pytest.mark.parametrize("name", STEPS)
def test_a_step_with_a_third_of_its_noise_is_found(name, tmp_path, monkeypatch):
    right, tables = climb.choose, set(STEPS[name].tables)

    def wrong(graded, columns, bar, randomness):
        if tables & {column.table for column in columns}:
            graded = dataclasses.replace(graded, mu=3 * graded.mu)
        return right(graded, columns, bar, randomness)

    monkeypatch.setattr(climb, "choose", wrong)
    assert needed_delta(outcomes(STEPS[name], tmp_path, 2)) > DELTA
