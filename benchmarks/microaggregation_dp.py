"""Does microaggregation pay as a step towards differential privacy? (docs/decisions/0017)

python -m benchmarks.microaggregation_dp STORE [--epsilon 2.302585] [--delta 1e-6]

Each user counts with her first M different queries. Three ways to the same (ε, δ) for one person replaced:
one table by `Crowd`; a table of each cluster of k users in a fixed total order of their records; a table of
each cluster of k users by a hash of their ids, which no query moves. Printed: different queries shown, and
the share of impressions they cover. Laplace noise with thresholds, exact tails.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from crowdlog.artifacts.packed_keys import pack, unpack
from crowdlog.clusters.profiles import read_impressions
from crowdlog.log.store import LogStore
from crowdlog.measure.draws import mix
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness

M = 5  # queries of one user


def bounded(log: LogStore):
    """User and query of the first M different queries of each user."""
    user, query = (np.concatenate(parts) for parts in zip(*read_impressions(log), strict=True))
    _pairs, first = np.unique(pack(user, query), return_index=True)
    first.sort()
    user, query = user[first], query[first]
    place = np.arange(len(user)) - np.searchsorted(user, user)
    return user[place < M], query[place < M]


def shown_by_clusters(cluster, user, query, scale, threshold, rng):
    """The different queries of which some cluster's noisy number of users is above the threshold."""
    cells, count = np.unique(pack(cluster[user], query), return_counts=True)
    noisy = count + rng.laplace(0, scale, len(count))
    return np.unique(unpack(cells[noisy > threshold])[1])


def threshold_of(scale: float, delta: float, keys: float) -> float:
    """A count of 1 that one person alone made passes in none of `keys` cells, but with probability δ."""
    return 1 + scale * math.log(keys / (2 * delta))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("store")
    parser.add_argument("--epsilon", type=float, default=math.log(10))
    parser.add_argument("--delta", type=float, default=1e-6)
    chosen = parser.parse_args()
    log = LogStore.open(chosen.store)
    users = log.info.users
    user, query = bounded(log)
    asked = [query for _users, query in read_impressions(log)]
    volume = np.bincount(np.concatenate(asked), minlength=log.info.queries)
    rng = np.random.default_rng(1)

    def tell(name, found):
        print(
            f"{name}: {len(found):,} queries, {100 * volume[found].sum() / volume.sum():.2f} % of impressions"
        )

    crowd = parse(f"Crowd(epsilon={chosen.epsilon!r}, delta={chosen.delta!r})")
    texts = crowd.protect(log, SeededRandomness(1)).tables["queries"]["query"].to_pylist()
    number = {text: i for i, text in enumerate(log.query_texts(np.arange(log.info.queries)).to_pylist())}
    tell("Crowd", np.array([number[text] for text in texts], np.int64))
    # a fixed total order: by each user's first query, then by her id's hash
    first = np.full(users, np.iinfo(np.int64).max)
    np.minimum.at(first, user, query)
    order = np.lexsort((mix(np.arange(users)), first))
    by_hash = np.argsort(mix(np.arange(users)))
    for k in (10, 100, 1000, users):
        clusters = -(-users // k)
        cluster = np.empty(users, np.int64)
        cluster[order] = np.arange(users) // k
        # one record replaced moves one record into and one out of every cluster between its two places
        scale = 2 * M * clusters / chosen.epsilon
        bar = threshold_of(scale, chosen.delta, 2 * M * clusters)
        tell(
            f"fixed order, k = {k}, noise {scale:.0f}",
            shown_by_clusters(cluster, user, query, scale, bar, rng),
        )
        cluster[by_hash] = np.arange(users) // k
        scale = 2 * M / chosen.epsilon
        bar = threshold_of(scale, chosen.delta, M)
        found = shown_by_clusters(cluster, user, query, scale, bar, rng)
        tell(f"by hash, k = {k}, noise {scale:.1f}", found)


if __name__ == "__main__":
    main()
