"""A query, the queries around it, their core degrees and affinities: what the picture of a neighbourhood
shows.
"""

from __future__ import annotations

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crowdlog.artifacts.semantic.figures import NeighbourhoodQuery
from crowdlog.artifacts.semantic.neighbourhood import Finder, local_degrees
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.errors import InputError
from crowdlog.log.store import LogStore

_VMAX = 2000  # vectors a neighbourhood may grow to, §4 of the paper


def neighbourhood_of(
    semantics: Semantics, log: LogStore, theta: float, query: str, most: int
) -> tuple[list[NeighbourhoodQuery], list[tuple[int, int]]]:
    """At most `most` queries around the given one, nearest first, and the pairs of them that are affine."""
    done = semantics.expansion
    number = pc.index(pq.read_table(log.queries(), columns=["text"])["text"], query).as_py()
    at = int(np.searchsorted(done.query, number))
    if number < 0 or at == len(done.query) or done.query[at] != number:
        raise InputError(
            "The query given with --around is not in the log, or has no concepts to compare it by."
        )
    finder = Finder(done.vectors, Theta.of(theta))
    members, degrees = local_degrees(finder, done.users, int(done.vectors.vector_of[at]), _VMAX)
    place = {int(v): i for i, v in enumerate(members)}
    theirs = np.flatnonzero(np.isin(done.vectors.vector_of, members))
    theirs = theirs[np.argsort([place[int(v)] for v in done.vectors.vector_of[theirs]], kind="stable")][:most]
    vector = done.vectors.vector_of[theirs].tolist()
    texts = log.query_texts(done.query[theirs]).to_pylist()
    nodes = [
        NeighbourhoodQuery(t or "", int(semantics.own_users[q]), int(degrees[place[v]]))
        for t, q, v in zip(texts, done.query[theirs], vector, strict=True)
    ]
    near = {v: {v, *finder.neighbours(v).tolist()} for v in set(vector)}
    edges = [(a, b) for a in range(len(vector)) for b in range(a) if vector[b] in near[vector[a]]]
    return nodes, edges
