"""One log, many Θ and k: concepts are mined once, each Θ needs one graph and one peeling, and a k nothing
more.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.core import core_degrees
from crowdlog.artifacts.semantic.expansion import Expansion, expand
from crowdlog.artifacts.semantic.graph import Graph, build_graph
from crowdlog.artifacts.semantic.neighbourhood import Finder, lower_bounds
from crowdlog.artifacts.semantic.reading import read_query_users, read_words
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import Ints, Longs
from crowdlog.artifacts.semantic.word_rule import PAPER, WordRule
from crowdlog.artifacts.semantic.words import QueryUsers
from crowdlog.log.store import LogStore
from crowdlog.progress import progress_bar


class Semantics:
    """The semantic degrees of a log's queries.

    `rule`: which words keep a query from being compared (default: the paper's).
    `memory` bounds, in bytes, what a graph may hold before it moves to temporary files.
    """

    def __init__(
        self,
        log: LogStore,
        min_users: int = 10,
        rule: WordRule = PAPER,
        *,
        memory: int | None = None,
        threads: int = 2,
    ) -> None:
        self._log, self._min_users, self._rule = log, min_users, rule
        self._memory, self._threads = memory, threads
        self._cores: dict[Theta, Ints] = {}

    @cached_property
    def users(self) -> QueryUsers:
        """The distinct users of every query."""
        return read_query_users(self._log)

    @cached_property
    def own_users(self) -> Ints:
        """How many users typed each query: its degree at Θ = 1."""
        return np.diff(self.users.start).astype(np.int32)

    @cached_property
    def expansion(self) -> Expansion:
        """The comparable queries and their vectors."""
        with progress_bar("Finding concepts"):  # how long is not known beforehand: the bar has no end
            return expand(read_words(self._log), self.users, self._min_users, self._rule)

    def graph(self, theta: Theta) -> Graph:
        """All affine pairs of vectors."""
        pairs = AllPairs(self.expansion.vectors, theta)
        with progress_bar(
            f"Comparing queries at Θ = {float(theta):g}", int(pairs.work.sum()), unit="candidates"
        ) as advance:
            return build_graph(
                len(self.expansion.vectors), pairs.blocks(self._threads, advance), self._memory
            )

    def degrees(self, theta: float) -> Ints:
        """The degree of every query of the log: the largest k for which it is released.

        A query that cannot be compared (no concept, or a word that the rule blocks) has its own users alone,
        as every query has at Θ = 1.
        """
        exact = Theta.of(theta)
        if exact.is_one:
            return self.own_users
        if exact not in self._cores:
            higher = [t for t in self._cores if float(t) > float(exact)]
            known = self._cores[min(higher, key=float)] if higher else None
            graph = self.graph(exact)
            with progress_bar("Peeling"):
                self._cores[exact] = core_degrees(graph, self.expansion.users, known)
        return self._of_queries(self._cores[exact])

    def lower_bounds(self, theta: float, sample: Longs, limit: int) -> Ints:
        """The paper's approximation: what the neighbourhoods (at most `limit` vectors) of a sample of queries
        show.
        """
        exact = Theta.of(theta)
        if exact.is_one:
            return self.own_users
        done = self.expansion
        at = np.searchsorted(done.query, sample)
        known = (
            (at < len(done.query)) & (done.query[np.minimum(at, len(done.query) - 1)] == sample)
            if len(done.query)
            else np.zeros(len(at), bool)
        )
        seeds = np.unique(done.vectors.vector_of[at[known]])
        return self._of_queries(lower_bounds(Finder(done.vectors, exact), done.users, seeds.tolist(), limit))

    def _of_queries(self, cores: Ints) -> Ints:
        degrees = self.own_users.copy()
        degrees[self.expansion.query] = cores[self.expansion.vectors.vector_of]
        return degrees
