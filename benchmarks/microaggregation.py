"""CPU time and price of partitions of users (docs/microaggregation.md).

python -m benchmarks.microaggregation STORE [--k 3 10] [--distance semantic syntactic odp equality]
python -m benchmarks.microaggregation STORE --k 3 4 5 6 7 8 9 10 --alone
python -m benchmarks.microaggregation --synthetic 100000 --once     # profiles drawn, no log
python -m benchmarks.microaggregation --synthetic 657000 --blocks 64 --swaps 3
python -m benchmarks.microaggregation STORE --whole "SemanticMdav(k=10, swaps=3)"  # release and verify
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from benchmarks.measure import cost_of
from crowdlog.artifacts.knowledge.mapping import by_phrases, by_words
from crowdlog.clusters.distances.common import odp, similar
from crowdlog.clusters.distances.semantic import SemanticDistance, equality, semantic
from crowdlog.clusters.distances.syntactic import read_syntactic
from crowdlog.clusters.partition import PartitionSettings, partition
from crowdlog.clusters.profiles import Profiles, profiles_of, query_profiles
from crowdlog.log.store import LogStore
from crowdlog.mechanisms.category_tree import map_log, read_tree

CATEGORIES = 20_000  # of the drawn tree; 55 queries a user, about 40 categories


def drawn(users: int) -> SemanticDistance:
    """Users with three interests each in a drawn tree, half of their queries of general interest."""
    rng = np.random.default_rng(1)
    parent = np.full(CATEGORIES, -1, np.int32)
    depth = np.ones(CATEGORIES, np.int32)
    for node in range(15, CATEGORIES):
        above = rng.integers(0, node)
        while depth[above] >= 9:
            above = rng.integers(0, node)
        parent[node], depth[node] = above, depth[above] + 1
    weights = 1 / np.arange(1, CATEGORIES + 1) ** 0.8
    popular = rng.permutation(CATEGORIES)
    hub = rng.integers(0, CATEGORIES, (users, 3))
    parts = []
    for first in range(0, users, 20_000):
        user = np.repeat(np.arange(first, min(first + 20_000, users)), 55)
        general = popular[rng.choice(CATEGORIES, len(user), p=weights / weights.sum())]
        own = hub[user, rng.integers(0, 3, len(user))] + rng.integers(-15, 15, len(user))
        item = np.where(rng.random(len(user)) < 0.5, general, np.clip(own, 0, CATEGORIES - 1))
        part = profiles_of(user - first, item, int(user[-1]) - first + 1)
        parts.append(part)
    start = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(part.start) for part in parts]))])
    profiles = Profiles(
        start, np.concatenate([p.item for p in parts]), np.concatenate([p.weight for p in parts])
    )
    return SemanticDistance(profiles, parent, depth)


def measured(name, k, distance, settings, method=None):
    begin = time.process_time()
    found = partition(distance, k, settings, method)
    seconds = time.process_time() - begin
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    error = "–" if found.error is None else f"{found.error:,.1f}"
    print(
        f"{name}: {distance.users:,} users, k = {k}, {found.blocks} blocks, {settings.swaps} swaps, "
        f"once = {settings.once}: {seconds:.1f} CPU s, SSE {error}, {memory:.2f} GB",
        flush=True,
    )
    return found.error


def prices(name, k, distance):
    """Against exact MDAV: the medoid once, swaps, 16 blocks with swaps."""
    exact = measured(name, k, distance, PartitionSettings())
    block = -(-distance.users // 16)
    for settings in (
        PartitionSettings(once=True),
        PartitionSettings(swaps=2),
        PartitionSettings(exact=block),
        PartitionSettings(exact=block, swaps=3),
    ):
        error = measured(name, k, distance, settings)
        print(f"   {error / exact:.3f} × exact", flush=True)


def whole(store: str, mechanism: str) -> None:
    """Costs of `crowdlog release` and `crowdlog verify` to their ends, and what was released."""
    command = [sys.executable, "-m", "crowdlog.cli"]
    with tempfile.TemporaryDirectory(prefix=".crowdlog-whole-", dir=Path(store).parent) as folder:
        out = f"{folder}/out"
        print(
            f"release: {cost_of([*command, 'release', store, mechanism, '-o', out, '--i-know'])}", flush=True
        )
        print(f"verify: {cost_of([*command, 'verify', out, '--truth', store])}", flush=True)
        label = json.loads(Path(out, "label.json").read_text())
        rows = pq.read_table(Path(out, "events.parquet"), columns=["user", "cluster"])
        users = rows.group_by(["user", "cluster"]).aggregate([])
        sizes = Counter(Counter(users["cluster"].to_pylist()).values())
        print(f"{rows.num_rows:,} rows, {users.num_rows:,} users with rows; clusters by users: {sizes}")
        print(json.dumps(label["crowdlog"]["notes"], ensure_ascii=False), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("store", nargs="?")
    parser.add_argument("--synthetic", type=int)
    parser.add_argument("--k", type=int, nargs="+", default=[3, 10])
    parser.add_argument("--distance", nargs="+", default=["semantic"])
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--blocks", type=int, default=1)
    parser.add_argument("--swaps", type=int, default=0)
    parser.add_argument("--alone", action="store_true", help="exact MDAV, without the prices of the others")
    parser.add_argument("--whole", metavar="MECHANISM", help="costs of a release of STORE and of its verify")
    chosen = parser.parse_args()
    if chosen.whole:
        whole(chosen.store, chosen.whole)
        return
    if chosen.synthetic:
        distance = drawn(chosen.synthetic)
        exact = -(-distance.users // chosen.blocks)
        for k in chosen.k:
            measured("drawn", k, distance, PartitionSettings(exact, chosen.once, chosen.swaps))
        return
    log = LogStore.open(chosen.store)
    print(
        f"{log.info.rows / log.info.users:.0f} rows and {log.info.impressions / log.info.users:.0f} "
        "impressions a user"
    )
    for name in chosen.distance:
        begin = time.process_time()
        distance, method = _of_log(log, name)
        print(f"{name}: read in {time.process_time() - begin:.1f} CPU s", flush=True)
        for k in chosen.k:
            if name in ("semantic", "equality") and not chosen.alone:
                prices(name, k, distance)
            else:
                measured(name, k, distance, PartitionSettings(), method)


def _of_log(log, name):
    if name == "syntactic":
        return read_syntactic(log), None
    if name == "equality":
        return equality(query_profiles(log)), None
    tree = read_tree("wordnet")
    if name == "semantic":
        return semantic(map_log(log, tree, by_phrases(tree)).profiles, tree), None
    return odp(map_log(log, tree, by_words(tree, 1)).profiles, tree, 5), similar


if __name__ == "__main__":
    main()
