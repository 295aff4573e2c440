"""Time of exact affinity and cores against the number of queries, and against scipy's chunked sparse product.

    python benchmarks/semantic.py STORE [--theta 0.9] [--sizes 10000,100000,1000000]
        [--scipy 200000] [--memory 6GB]

A size is a random sample of the comparable queries of the store (concepts and weights are those of the whole
store); 0 is all of them.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from crowdlog.artifacts.semantic.affinity import AllPairs
from crowdlog.artifacts.semantic.core import UserSets, core_degrees, merge_users
from crowdlog.artifacts.semantic.graph import build_graph
from crowdlog.artifacts.semantic.semantics import Semantics
from crowdlog.artifacts.semantic.theta import Theta
from crowdlog.artifacts.semantic.vectors import Longs, Vectors, build_vectors, take_rows
from crowdlog.log.size import parse_size
from crowdlog.log.store import LogStore

_CHUNK = 2_000  # rows of a product at a time: about the fastest that stays within 1 GB


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, seconds on the clock and CPU seconds."""
    clock, cpu = time.perf_counter(), time.process_time()
    return work(), time.perf_counter() - clock, time.process_time() - cpu


def sample(semantics: Semantics, size: int, rng: np.random.Generator) -> tuple[Vectors, UserSets, int]:
    """The vectors and users of a random sample of the comparable queries."""
    done, users = semantics.expansion, semantics.users
    if size == 0 or size >= len(done.query):
        return done.vectors, done.users, len(done.query)
    chosen = np.sort(rng.choice(len(done.query), size, replace=False))
    start, item = take_rows(
        done.vectors.start, done.vectors.item, done.vectors.vector_of[chosen].astype(np.int64)
    )
    vectors = build_vectors(start, item, np.sqrt(done.vectors.mass).astype(np.int64))
    ustart, user = take_rows(users.start, users.user, done.query[chosen])
    return vectors, merge_users(ustart, user, vectors.vector_of, len(vectors), users.users), size


def scipy_pairs(vectors: Vectors, theta: float) -> Longs:
    """Pairs x > y with cosine ≥ Θ as x·n + y, by products of normalised rows."""
    n = len(vectors)
    weights = np.sqrt(vectors.mass[vectors.item]) / np.sqrt(np.repeat(vectors.total, np.diff(vectors.start)))
    matrix = csr_array((weights, vectors.item, vectors.start), shape=(n, len(vectors.mass)))
    across, found = matrix.T.tocsr(), []
    for begin in range(0, n, _CHUNK):
        product = (matrix[begin : begin + _CHUNK] @ across).tocoo()
        kept = product.data >= theta - 1e-12
        x, y = product.row[kept].astype(np.int64) + begin, product.col[kept].astype(np.int64)
        found.append((x * n + y)[y < x])
    return np.sort(np.concatenate(found))


def our_pairs(vectors: Vectors, theta: Theta) -> Longs:
    """The same from the kernels."""
    found = []
    for block in AllPairs(vectors, theta).blocks():
        x = np.repeat(np.arange(block.first, block.first + len(block.count), dtype=np.int64), block.count)
        found.append(x * len(vectors) + block.neighbours)
    return np.sort(np.concatenate(found))


def grow(semantics: Semantics, theta: Theta, sizes: list[int], memory: int) -> None:
    """Print a row per size."""
    columns = [
        "queries",
        "vectors",
        "candidates",
        "pairs",
        "pairs: s",
        "CPU s",
        "cores: s",
        "CPU s",
        "k ≥ 2",
        "k ≥ 10",
        "peak GB",
    ]
    print(f"| {' | '.join(columns)} |\n{'|---:' * len(columns)}|")
    for size in sizes:
        vectors, users, n = sample(semantics, size, np.random.default_rng(1))
        pairs, set_up, set_up_cpu = timed(lambda v=vectors: AllPairs(v, theta))
        graph, seconds, cpu = timed(lambda p=pairs, v=vectors: build_graph(len(v), p.blocks(), memory))
        cores, core_seconds, core_cpu = timed(lambda g=graph, u=users: core_degrees(g, u))
        degrees = cores[vectors.vector_of]
        cells = [f"{x:,}" for x in (n, len(vectors), int(pairs.work.sum()), graph.edges)]
        cells += [f"{x:.1f}" for x in (set_up + seconds, set_up_cpu + cpu, core_seconds, core_cpu)]
        cells += [f"{(degrees >= k).mean():.1%}" for k in (2, 10)] + [
            f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f}"
        ]
        print(f"| {' | '.join(cells)} |", flush=True)


def against_scipy(semantics: Semantics, theta: Theta, size: int) -> None:
    vectors, _users, n = sample(semantics, size, np.random.default_rng(2))
    our_pairs(vectors, theta)  # once to load the kernels
    ours, seconds, cpu = timed(lambda: our_pairs(vectors, theta))
    theirs, their_seconds, their_cpu = timed(lambda: scipy_pairs(vectors, float(theta)))
    assert np.array_equal(ours, theirs), "the pairs differ"
    print(
        f"{n:,} queries, {len(vectors):,} vectors, Θ = {float(theta):g}: {len(ours):,} pairs, the same. "
        f"Kernels {seconds:.2f} s ({cpu:.2f} CPU s), "
        f"scipy {their_seconds:.1f} s ({their_cpu:.1f} CPU s): {their_seconds / seconds:.0f} times on the "
        f"clock, {their_cpu / cpu:.0f} times in CPU."
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store")
    parser.add_argument("--theta", type=float, default=0.9)
    parser.add_argument("--sizes", default="10000,100000,1000000,0")
    parser.add_argument("--scipy", type=int, default=0)
    parser.add_argument("--memory", default="6GB")
    parser.add_argument("--min-users", type=int, default=10)
    options = parser.parse_args()
    semantics, theta = Semantics(LogStore.open(options.store), options.min_users), Theta.of(options.theta)
    done, seconds, cpu = timed(lambda: semantics.expansion)
    print(
        f"Of {len(semantics.own_users):,} queries {len(done.query):,} are comparable; "
        f"their vectors took {seconds:.1f} s, {cpu:.1f} CPU s.",
        flush=True,
    )
    if options.sizes:
        grow(semantics, theta, [int(size) for size in options.sizes.split(",")], parse_size(options.memory))
    if options.scipy:
        against_scipy(semantics, theta, options.scipy)


if __name__ == "__main__":
    main()
