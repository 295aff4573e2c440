"""What grouping before counting gains: how much of a synthetic log's searching is covered by a release, by
representation of the queries.

python -m benchmarks.grouping --users 5000 --seed 7
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from crowdlog.artifacts.kinds import Artifact
from crowdlog.artifacts.representations import REPRESENTATIONS
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import open_log
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness

MECHANISMS = (
    "Crowd(epsilon=2.3, delta=1e-5, weight_clicks=0, weight_pairs=0",
    "AClick(epsilon=2.3, q_f=5, weight_clicks=0",
)
RUNS = 5  # releases averaged


def coverage(log: LogStore, spelling: str, representation: str) -> tuple[float, float]:
    """Queries shown and the share of impressions whose query is shown, on average."""
    mechanism, shown, covered = parse(f"{spelling}, representation={representation!r})"), [], []
    with open_log(log, representation) as mine:
        counts = histogram(mine.artifacts(Artifact("query", representation)), users=False)
        for seed in range(RUNS):
            queries = (
                mechanism.protect(log, SeededRandomness(seed)).tables["queries"]["query"].combine_chunks()
            )
            inside = mine.places(queries)[counts.key] >= 0
            shown.append(len(queries))
            covered.append(counts.impressions[inside].sum() / counts.impressions.sum())
    return float(np.mean(shown)), float(np.mean(covered))


def distinct(log: LogStore, representation: str) -> int:
    with open_log(log, representation) as mine:
        return len(histogram(mine.artifacts(Artifact("query", representation)), users=False))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crowdlog-grouping-") as folder:
        synthesize(Path(folder) / "log.tsv", users=options.users, seed=options.seed)
        log = import_log([Path(folder) / "log.tsv"], Path(folder) / "store")
        print(
            "| representation | distinct queries | Crowd: queries | covered | AClick: queries | covered "
            "|\n|---|---|---|---|---|---|"
        )
        for representation in REPRESENTATIONS:
            cells = [
                f"{number:,.0f} | {100 * share:.1f} %"
                for number, share in (coverage(log, spelling, representation) for spelling in MECHANISMS)
            ]
            print(
                f"| {representation} | {distinct(log, representation):,} | {' | '.join(cells)} |", flush=True
            )


if __name__ == "__main__":
    main()
