"""How many rows a release will show, told before anything is charged and without looking at the log.

From what a mechanism knows of its tables, or for tables of queries from a public table: in synthetic logs of
so many people, how many queries were asked by at least so many of them (`crowdlog synth --users N --seed 1`;
docs/synthetic.md). A real log may share more or less.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.mechanisms.base import Mechanism
from crowdlog.number_format import amount, number
from crowdlog.plan.selections import AtLeast, NoisyThreshold, SampledThreshold
from crowdlog.plan.table import TablePlan

# What the rows of a table are, where its name does not say it to a stranger.
_IN_WORDS = {
    "word_pairs": "pairs of words",
    "query_sites": "sites clicked for a query",
    "word_sites": "sites clicked for a word",
    "pairs": "next queries",
}
# People behind a query, and for each number of people in a log how many queries have at least so many.
BEHIND = (2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500)
SHARED = {
    300: (101, 33, 15, 10, 7, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    1_000: (432, 184, 38, 23, 15, 14, 9, 5, 2, 0, 0, 0, 0, 0, 0),
    3_000: (1_313, 627, 306, 178, 78, 34, 22, 14, 10, 7, 4, 2, 1, 0, 0),
    10_000: (5_358, 2_042, 1_018, 706, 503, 302, 198, 84, 33, 17, 15, 14, 9, 4, 1),
    30_000: (22_014, 7_258, 2_889, 1_862, 1_319, 910, 674, 488, 246, 131, 61, 28, 18, 15, 13),
}
# A person divides her weight among her queries, so more people than weight are needed. Crowd(2.3, 1e-6) kept
# 5 queries of 1,000 synthetic people and 15 of 3,000: those of 30 people, at a threshold of 17.3.
PEOPLE_PER_WEIGHT = 1.7
# No word was typed by more of the people of these logs: .443 of 300, .439 of 1,000, .435 of 3,000.
WORD_OF_ALL = 0.45
_OF_WORDS = ("word", "word-pair", "word-site")


def people_needed(plan: TablePlan) -> float | None:
    """About how many people must ask a query for it to be shown; None where that cannot be told."""
    return None if plan.artifact != Artifact("query") else _people_of_a_key(plan)


def _people_of_a_key(plan: TablePlan) -> float | None:
    selection = plan.selection
    if selection is None:
        return None
    if isinstance(selection, AtLeast):
        return float(selection.k)
    centre = selection.crossing.centre
    by_counts = isinstance(selection, NoisyThreshold | SampledThreshold)
    return centre if by_counts else PEOPLE_PER_WEIGHT * centre


def expected_queries(behind: float, users: int) -> float:
    """Queries of at least so many people in a log of so many users: read from the table, between its lines by
    logarithms.
    """
    sizes = list(SHARED)
    lines = [float(np.interp(np.log(max(behind, 2)), np.log(BEHIND), SHARED[size])) for size in sizes]
    found = np.interp(np.log(min(max(users, 1), sizes[-1])), np.log([1, *sizes]), np.log1p([0.0, *lines]))
    return float(np.expm1(found)) * max(1.0, users / sizes[-1])


def expectation(mechanism: Mechanism, users: int) -> tuple[str, bool] | None:
    """A sentence for the owner, and whether she has to expect a release without a row."""
    if tables := mechanism.rows_to_expect(users):
        return _of_tables(tables, users)
    plan = next((plan for plan in mechanism.plan if plan.name == "queries"), None)
    behind = None if plan is None else people_needed(plan)
    if behind is None:
        return _nothing_so_shared(mechanism, users)
    rows = expected_queries(behind, users)
    about = _about(users)
    why = f"a query needs about {number(_rounded(behind))} of them to be shown"
    if rows < 1:
        return f"{about} an empty release: {why}, and in synthetic logs of this size none has so many.", True
    shown = amount(_rounded(rows), "query", "queries")
    return f"{about} about {shown}, as synthetic logs share them: {why}.", False


def _nothing_so_shared(mechanism: Mechanism, users: int) -> tuple[str, bool] | None:
    """Where every table needs more people than share anything of its kind: the sentence for that."""
    of_words = mechanism.people_of_a_word()
    if of_words is not None:
        needed = [float(of_words) if of_words > WORD_OF_ALL * users else None]
    else:
        needed = [_more_than_share(plan, users) for plan in mechanism.plan]
    known = [people for people in needed if people is not None]
    if not known or len(known) < len(needed):
        return None
    why = f"what is shown needs about {number(_rounded(min(known)))} of them"
    none = "in synthetic logs of this size none has so many."
    return f"{_about(users)} an empty release: {why}, and {none}", True


def _more_than_share(plan: TablePlan, users: int) -> float | None:
    """How many people a row of this table needs, if in synthetic logs none has so many; else None. What holds
    a whole query has no more people than the query.
    """
    people = _people_of_a_key(plan)
    if people is None or not isinstance(plan.artifact, Artifact) or plan.artifact.kind == "site":
        return None
    of_words = plan.artifact.kind in _OF_WORDS
    most_shared = people > WORD_OF_ALL * users if of_words else expected_queries(people, users) < 1
    return people if most_shared else None


def _of_tables(tables: Mapping[str, float], users: int) -> tuple[str, bool]:
    shown = {name: rows for name, rows in tables.items() if rows >= 1}
    if not shown:
        why = "in synthetic logs of this size too few share a word"
        return f"{_about(users)} nothing that people share, at most some rows of noise: {why}.", True
    rows = ", ".join(f"{number(_rounded(rows))} {_IN_WORDS.get(name, name)}" for name, rows in shown.items())
    return f"{_about(users)} about {rows}, as synthetic logs share them.", False


def _about(users: int) -> str:
    return f"With about {number(_rounded(users))} people expect"


def _rounded(value: float) -> int:
    """To one digit: more is not known, and the owner's own number of people is not told exactly."""
    unit: int = 10 ** int(np.log10(max(value, 1)))
    return max(round(value / unit), 1) * unit
