"""What the attackers look at: a small crowd whose every walk is recorded, with or without a repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from crowdlog.forwarding.graphs import power_law
from crowdlog.forwarding.rules import Rules
from crowdlog.forwarding.simulate import Simulated, simulate
from crowdlog.forwarding.workload import PER_TOPIC, Numbers, Workload, topical
from crowdlog.measure.intervals import bootstrap_ratio
from crowdlog.types import Bools, Ints

SESSION = 10  # real queries of one topic in a row


@dataclass(frozen=True)
class Repair:
    """`cover`: made-up queries per real one. `delay`: longest random wait before submission, in rounds."""

    name: str
    returns: str = "source never"
    cover: int = 0
    delay: int = 0


REPAIRS = (
    Repair("none"),
    Repair("own queries returned", returns="own back"),
    Repair("never twice", returns="never twice"),
    Repair("cover 1", cover=1),
    Repair("cover 4", cover=4),
    Repair("delay 100", delay=100),
    Repair("never twice, cover 1, delay 100", returns="never twice", cover=1, delay=100),
)


@dataclass(frozen=True)
class Row:
    """One attack under one repair. `chance` is what somebody reaches who sees nothing of what is attacked.

    `low` and `high` enclose the success with 95 % confidence, users resampled.
    """

    attack: str
    detail: str
    repair: str
    chance: float
    success: float
    low: float
    high: float

    def as_dict(self) -> Mapping[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Scene:
    """A recorded crowd. Arrays have one entry per query: round by round, user by user."""

    done: Simulated
    real: Bools  # False for cover
    repair: Repair
    topics: int
    seed: int

    @cached_property
    def source(self) -> Ints:
        rounds, users = self.done.submitter.shape
        return np.tile(np.arange(users), rounds)

    @cached_property
    def submitter(self) -> Ints:
        return self.done.submitter.ravel().astype(np.int64)

    @cached_property
    def topic(self) -> Ints:
        rounds, users = self.done.submitter.shape
        number: Ints = self.done.workload.query.reshape(users, rounds).T.ravel().astype(np.int64)
        topic: Ints = number // PER_TOPIC
        return topic

    @cached_property
    def seen_at(self) -> Ints:
        """The round in which the engine sees each query."""
        rounds, users = self.done.submitter.shape
        asked = np.repeat(np.arange(rounds), users)
        waits: Ints = self.generator(1).integers(0, self.repair.delay + 1, rounds * users)
        return asked + waits

    @cached_property
    def hops(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Every handing over of a query: its number, the step on its way, who gave and who took."""
        paths = self.done.paths.reshape(len(self.source), -1)
        number, step = np.nonzero(paths[:, 1:] >= 0)
        return number, step, paths[number, step].astype(np.int64), paths[number, step + 1].astype(np.int64)

    def edges(self, user: Ints, other: Ints) -> Ints:
        """Return the edge from each user to each other; −1 where they are no neighbours."""
        graph = self.done.graph
        sender = np.repeat(np.arange(graph.users), graph.degrees)
        keys = sender * graph.users + graph.target
        order = np.argsort(keys)
        wanted = user * graph.users + other
        place = order[np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)]
        return np.where(keys[place] == wanted, place, -1)

    def generator(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, purpose])

    def row(self, attack: str, detail: str, hits: Bools, owner: Ints, chance: float) -> Row:
        """A share of things that hang together by their owner."""
        users = self.done.graph.users
        won = np.bincount(owner, hits, users).astype(np.int64)
        tried = np.bincount(owner, minlength=users)
        low, high = bootstrap_ratio(won, tried, self.generator(2)) or (0.0, 0.0)
        success = float(hits.mean()) if len(hits) else 0.0
        return Row(attack, detail, self.repair.name, chance, success, low, high)


def _in_sessions(query: Numbers, every: int) -> Numbers:
    """Let the real queries of a session, ten in a row, be of the topic of its first one."""
    place = np.arange(query.shape[1]) // every
    first = (place - place % SESSION) * every
    mended: Numbers = query[:, first] // PER_TOPIC * PER_TOPIC + query % PER_TOPIC
    return mended


def make_scene(users: int, queries: int, repair: Repair, *, seed: int, topics: int) -> Scene:
    """Let a crowd ask `queries` real queries each, in sessions of one topic, and record every walk."""
    rounds = queries * (1 + repair.cover)
    own = topical(users, rounds, seed=seed, topics=topics)
    real = np.zeros((rounds, users), bool)
    real[:: 1 + repair.cover] = True
    query = _in_sessions(own.query.reshape(users, rounds), 1 + repair.cover)
    made_up = np.random.default_rng([seed, 3]).integers(
        0, topics * PER_TOPIC, (users, rounds), dtype=np.int32
    )
    query = np.where(real.T, query, made_up)
    workload = Workload(own.start, query.ravel())
    rules = Rules(returns=repair.returns)
    done = simulate(power_law(users, seed=seed), workload, rules, seed=seed, keep_paths=True)
    return Scene(done, real.ravel(), repair, topics, seed)
