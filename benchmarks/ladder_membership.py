"""Membership games of whole ladders on all tables of keys: words, queries, word pairs, sites, and what was
clicked or asked next. `python -m benchmarks.ladder_membership --runs 700`

`crowdlog attack` looks at the queries of a ladder alone. Here the attacker sees every row with a count, knows
who holds which of its keys, whom of the others a coin left out, and from runs of his own by how much the
count of each key lies above its people. A tenth of the people play in each run, those with most shown keys;
whole runs are independent. `--loud 10` counts people with a tenth of the noise: it must be heard.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from scipy.sparse import csr_matrix
from scipy.special import ndtr

from crowdlog.artifacts.kinds import Artifact
from crowdlog.attacks.ladder_games import OWN_RUNS, without
from crowdlog.attacks.likelihood import Likelihood
from crowdlog.attacks.membership import ALARM, play, together
from crowdlog.engine.holdings import Holdings, holdings
from crowdlog.engine.log_source import LogSource
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.measure.intervals import CONFIDENCE, mean_interval
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.mechanisms.rungs import people
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.types import Floats, Ints

GAMES = 100_000
Place = dict[tuple[str, ...], int]


@dataclass(frozen=True)
class Everything:
    """Who holds which key, of all tables, and the column of each key by table and texts."""

    own: Any
    place: Place

    @classmethod
    def of(cls, ladder: Ladder, source: LogSource) -> Everything:
        """Keys of two people or more: others are hardly ever shown."""
        parts, place, first = [], Place(), 0
        for plan in ladder.plan:
            if isinstance(plan.artifact, Artifact):
                key, who = _shared(*source.rows(plan.artifact), source.log.info.users)
                texts = zip(
                    *(column.to_pylist() for column in source.texts(plan.artifact, key).values()), strict=True
                )
                place |= {(plan.name, *each): first + n for n, each in enumerate(texts)}
                parts.append(who)
                first += len(key)
        columns = np.concatenate([who.indices + at for who, at in _with_starts(parts)])
        rows = np.concatenate([np.repeat(np.arange(who.shape[0]), np.diff(who.indptr)) for who in parts])
        users = source.log.info.users
        return cls(csr_matrix((np.ones(len(rows)), (rows, columns)), (users, first)), place)

    def shown(self, tables: Any, names: dict[str, tuple[str, ...]]) -> tuple[Floats, Floats]:
        """The count of each key, NaN where it is not shown, and the noise in it."""
        count, noise = np.full((2, self.own.shape[1]), np.nan)
        for table, columns in names.items():
            keys = zip(*(tables[table][name].to_pylist() for name in columns), strict=True)
            at = np.array([self.place.get((table, *key), -1) for key in keys], np.int64)
            count[at[at >= 0]] = tables[table]["count"].to_numpy()[at >= 0]
            noise[at[at >= 0]] = tables[table]["noise"].to_numpy()[at >= 0]
        return count, noise

    def only(self, columns: Ints) -> Everything:
        new = {int(column): n for n, column in enumerate(columns)}
        place = {key: new[column] for key, column in self.place.items() if column in new}
        return Everything(self.own[:, columns].tocsr(), place)

    def __repr__(self) -> str:
        return f"Everything({self.own.shape[1]} keys)"


def _shared(user: Ints, key: Ints, users: int) -> tuple[Ints, Any]:
    """The keys of two people or more, and who holds them."""
    keys, number = np.unique(key, return_inverse=True)
    held = csr_matrix((np.ones(len(user)), (user, number)), (users, len(keys))).astype(bool).astype(float)
    some = np.flatnonzero(np.asarray(held.sum(axis=0)).ravel() > 1)
    return keys[some], held[:, some].tocsr()


def _with_starts(parts: list[Any]) -> list[tuple[Any, int]]:
    return list(zip(parts, np.cumsum([0, *(part.shape[1] for part in parts)]).tolist(), strict=False))


@dataclass(frozen=True)
class Games:
    """One log of which releases are made without some people."""

    ladder: Ladder
    source: LogSource
    held: Holdings

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        return {
            plan.name: plan.artifact.columns
            for plan in self.ladder.plan
            if isinstance(plan.artifact, Artifact)
        }

    def released(self, known: Everything, absent: Ints) -> tuple[Floats, Floats]:
        users = self.source.log.info.users - len(absent)
        made = self.ladder.of_holdings(self.source, without(self.held, absent), users, SystemRandomness())
        return known.shown(made.tables, self.names)

    def factors(self, known: Everything, choose: Callable[[], Ints]) -> Floats:
        """By how much the count of each key lies above its people, from the attacker's own runs."""
        counts, holders = np.zeros((2, known.own.shape[1]))
        everybody = np.asarray(known.own.sum(axis=0)).ravel()
        for _run in range(OWN_RUNS):
            absent = choose()
            found = self.released(known, absent)[0]
            there = np.isfinite(found)
            counts[there] += found[there]
            holders[there] += (everybody - np.asarray(known.own[absent].sum(axis=0)).ravel())[there]
        sure = (holders > 0) & (counts > 0)
        return np.where(sure, counts / np.where(sure, holders, 1.0), 1.0)

    def __repr__(self) -> str:
        return f"Games({self.ladder!r})"


def played(games: Games, runs: int, rng: np.random.Generator) -> list[Floats]:
    """Which guesses were right, of each run."""
    known = Everything.of(games.ladder, games.source)
    seen = np.isfinite(games.released(known, np.zeros(0, np.int64))[0])
    known = known.only(np.flatnonzero(seen))

    def choose() -> tuple[Ints, Any]:
        targets = together(known.own, rng, -(-GAMES // runs))
        return targets, rng.random(len(targets)) < 0.5

    def absent() -> Ints:
        targets, inside = choose()
        return targets[~inside]

    factor, right = games.factors(known, absent), []
    for _run in range(runs):
        targets, inside = choose()
        count, noise = games.released(known, targets[~inside])
        right.append(play(known.own, count / factor, targets, inside, Likelihood(True), rng, noise / factor))
    return right


def quieter(times: float) -> AbstractContextManager[Any]:
    """Numbers of people are drawn with so many times the μ that was paid for."""
    if times == 1:
        return nullcontext()
    count = people.count_people
    return mock.patch.object(
        people, "count_people", lambda shown, mu, *given: count(shown, times * mu, *given)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1_500)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--epsilon", type=float, default=2.3)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--runs", type=int, default=700)
    parser.add_argument("--loud", type=float, default=1.0)
    asked = parser.parse_args()
    ladder = Ladder(epsilon=asked.epsilon, delta=asked.delta, people=asked.users)
    began = time.process_time()
    with tempfile.TemporaryDirectory(prefix="crowdlog-ladder-") as folder, quieter(asked.loud):
        path = Path(folder) / "log.tsv"
        synthesize(path, users=asked.users, seed=asked.seed)
        log = import_log([path], Path(folder) / "store")
        with ladder.open(log) as source:
            held = holdings(source, ladder.setting.session_minutes)
            right = played(Games(ladder, source, held), asked.runs, np.random.default_rng(asked.seed))
    shares = np.array([run.mean() for run in right])
    most = float(min(1.0, ndtr(ladder.mu / 2) + ladder.delta / 2))
    line = {"games": sum(map(len, right)), "runs": len(right), "right": round(float(shares.mean()), 4)}
    line |= {"interval": mean_interval(shares, CONFIDENCE), "the accounting admits": round(most, 4)}
    line |= {"broken": mean_interval(shares, ALARM)[0] > most, "CPU s": round(time.process_time() - began)}
    print(json.dumps(line))


if __name__ == "__main__":
    main()
