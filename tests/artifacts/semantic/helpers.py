"""Small random queries and graphs, and slow but obvious ways to do what the kernels do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from crowdlog.artifacts.semantic.core import UserSets
from crowdlog.artifacts.semantic.graph import Graph

concept_sets = st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=5), min_size=1, max_size=25)
concept_weights = st.lists(st.integers(1, 9), min_size=8, max_size=8)
thetas = st.sampled_from([0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 0.95])


def rows(lists):
    """Lists as (start, values)."""
    lengths = [len(values) for values in lists]
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), np.array(
        [v for values in lists for v in values], np.int32
    )


def slow_affine(a, b, weights, theta):
    """cosine ≥ Θ in fractions."""
    mass = lambda concepts: sum(weights[c] ** 2 for c in concepts)  # noqa: E731
    return Fraction(mass(a & b)) ** 2 >= Fraction(str(theta)) ** 2 * mass(a) * mass(b)


def slow_cores(neighbours, users):
    """Core degrees from the definition: for each k, throw out what has fewer than k users around it until
    nothing changes.
    """
    core = [0] * len(users)
    alive = set(range(len(users)))
    k = 1
    while alive:
        while True:
            weak = {v for v in alive if len(users[v].union(*(users[w] for w in neighbours[v] & alive))) < k}
            if not weak:
                break
            alive -= weak
        for v in alive:
            core[v] = k
        k += 1
    return core


@st.composite
def user_graphs(draw):
    """Neighbour sets and user sets of up to 12 vertices; users overlap."""
    n = draw(st.integers(1, 12))
    neighbours = [set() for _ in range(n)]
    for a in range(n):
        for b in draw(st.sets(st.integers(0, n - 1), max_size=5)) - {a}:
            neighbours[a].add(b)
            neighbours[b].add(a)
    return neighbours, draw(
        st.lists(st.sets(st.integers(0, 9), min_size=1, max_size=4), min_size=n, max_size=n)
    )


def as_arrays(neighbours, users, n_users=10):
    """The same for the kernels."""
    return Graph(*rows([sorted(s) for s in neighbours])), UserSets(*rows([sorted(s) for s in users]), n_users)
