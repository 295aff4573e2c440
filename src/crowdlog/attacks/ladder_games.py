"""Membership games of a ladder: the log is read once, and every run climbs and counts anew without the people
whom a coin left out.

A run is exact: it is what the ladder does with the rows of the others. As with the mechanisms of
`weighted_games` many people play in each run, and whole runs are what is independent.

A ladder scales people down and divides by the share that this leaves on average: the count of one query lies
above or below its people by more than one person. The attacker, who knows everybody's queries, has run the
ladder himself before and knows by how much.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import numpy as np

from crowdlog.engine.holdings import Holdings, holdings
from crowdlog.engine.searches import LogRows
from crowdlog.log.store import LogStore
from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.privacy.randomness import Randomness
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.types import Bools, Floats, Ints

ROWS = 22_000_000  # that all runs together may read: about 20 CPU seconds
CLIMBING = 200_000  # rows that take as long as what a run does whatever the log is
OWN_RUNS = 20  # of the attacker
FEWEST, MOST = 20, 1_000  # runs, however large or small the log is


Choose = Callable[[], Ints]


@dataclass(frozen=True)
class ShownCounts:
    """Of every query of a log: its published count, NaN where it is not shown, and the noise in that."""

    count: Floats
    noise: Floats


class LadderGames:
    """What everybody did, for a `with`: texts are looked up while games are played."""

    def __init__(self, ladder: Ladder, log: LogStore) -> None:
        self._ladder, self._log, self._open = ladder, log, ExitStack()

    def __enter__(self) -> LadderGames:
        self._source = self._open.enter_context(self._ladder.open(self._log))
        self._held = holdings(self._source, self._ladder.setting.session_minutes)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def __repr__(self) -> str:
        return f"LadderGames({self._ladder!r})"

    def affordable(self) -> int:
        """Runs."""
        return min(MOST, max(FEWEST, ROWS // (self._log.info.rows + CLIMBING)))

    def shown_without(self, absent: Ints, find: Callable[[Any], Ints], randomness: Randomness) -> ShownCounts:
        """The queries of one release of the log without these people. `find`: ids of texts, −1 where the log
        has none.
        """
        people = self._log.info.users - len(absent)
        made = self._ladder.of_holdings(self._source, without(self._held, absent), people, randomness)
        count, noise = np.full((2, self._log.info.queries + 1), np.nan)
        if "queries" in made.tables:
            table = made.tables["queries"]
            ids = find(table["query"])
            count[ids], noise[ids] = table["count"].to_numpy(), table["noise"].to_numpy()
        return ShownCounts(count[:-1], noise[:-1])


def learnt_factors(games: LadderGames, truth: Impressions, choose: Choose, randomness: Randomness) -> Floats:
    """By how much the count of each query lies above its people, as the attacker's own runs show it; 1 where
    none of them shows the query. `choose`: who is left out of such a run.
    """
    asked = truth.profile.astype(bool).astype(float).tocsr()
    counts, people = np.zeros((2, truth.queries))
    everybody = np.asarray(asked.sum(axis=0)).ravel()
    for _run in range(OWN_RUNS):
        absent = choose()
        found = games.shown_without(absent, truth.texts.find, randomness).count
        there = np.isfinite(found)
        counts[there] += found[there]
        people[there] += (everybody - np.asarray(asked[absent].sum(axis=0)).ravel())[there]
    known = (people > 0) & (counts > 0)
    return np.where(known, counts / np.where(known, people, 1.0), 1.0)


def without(held: Holdings, absent: Ints) -> Holdings:
    """The same numbering of people, queries and addresses; these people did nothing."""
    there = np.ones(held.rows.users, bool)
    there[absent] = False
    return replace(held, rows=_rows(held.rows, there), queries=_items(held.queries, there))


def _rows(rows: LogRows, there: Bools) -> LogRows:
    searches, clicks = np.diff(rows.starts), np.diff(rows.click_starts)
    kept, clicked = np.repeat(there, searches), np.repeat(there, clicks)
    number = np.cumsum(kept) - 1  # of a search among those that are left
    return LogRows(
        _starts(searches, there),
        rows.query[kept],
        rows.hour[kept],
        rows.follows[kept],
        _starts(clicks, there),
        rows.click_query[clicked],
        rows.click_url[clicked],
        number[rows.click_search[clicked]].astype(rows.click_search.dtype),
    )


def _items(held: Incidence, there: Bools) -> Incidence:
    each = np.diff(held.offsets)
    return Incidence(_starts(each, there), held.items[np.repeat(there, each)], held.size)


def _starts(each: Any, there: Bools) -> Ints:
    return np.concatenate([[0], np.cumsum(np.where(there, each, 0))])
