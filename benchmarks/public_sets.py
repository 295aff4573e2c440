"""Keys and missing mass of every selection on the public sets on which key selection has been published:
`python -m benchmarks.public_sets PATH [--json]`.

PATH holds higgs-activity_time.txt.gz (SNAP), anonymous-msweb.data (UCI) and published-selection.csv (Chen et
al. 2025, tables 1 and 2: ε = 1, δ = 1e-5, at most 100 items per user). None of them is in this repository.
Missing mass: the share of all (user, item) entries whose item is not named.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import time
from pathlib import Path

import numpy as np

from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian
from crowdlog.privacy.selection.base import Selection
from crowdlog.privacy.selection.dp_sips import DPSIPS
from crowdlog.privacy.selection.greedy_update import GreedyUpdate
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.mad2r import MAD2R
from crowdlog.privacy.selection.policy_gaussian import PolicyGaussian
from crowdlog.privacy.selection.routed import Routed
from crowdlog.privacy.selection.truncated_geometric import TruncatedGeometric
from crowdlog.privacy.selection.weighted_gaussian import WeightedGaussian

EPSILON, DELTA, RUNS = 1.0, 1e-5, 5
# What `Keys` leaves for choosing where it publishes counts, too; names alone get all of it.
BESIDE_COUNTS = 0.75
METHODS: dict[str, tuple[Selection, str | None]] = {  # with the column of the published figure
    "weighted Gaussian": (WeightedGaussian(100), "Basic_WGM"),
    "policy Gaussian": (PolicyGaussian(100, margin=4.0), "PolicyGaussian"),
    "DP-SIPS, as published": (DPSIPS(100, tight=False), "DP-SIPS"),
    "DP-SIPS, composed tightly": (DPSIPS(100), None),
    "MAD2R, as published": (MAD2R(tight=False), "MAD2R"),
    "MAD2R, composed tightly": (MAD2R(), None),
    "GreedyUpdate": (GreedyUpdate(100), "GreedyUpdate"),
    "truncated geometric, d = 1": (TruncatedGeometric(1), None),
    "adaptive Gaussian": (AdaptiveGaussian(), None),
    "routed, short": (Routed(route="short"), None),
    "routed, shared": (Routed(route="shared"), None),
    "routed, auto": (Routed(), None),
}


def numbered(users: np.ndarray, items: np.ndarray) -> Incidence:
    person = np.unique(users, return_inverse=True)[1]
    known, number = np.unique(items, return_inverse=True)
    return Histories.from_rows(person, number, len(known)).distinct()


def higgs(folder: Path) -> Incidence:
    """A user's set: whom she acted on."""
    with gzip.open(folder / "higgs-activity_time.txt.gz") as file:
        rows = np.loadtxt(file, usecols=(0, 1), dtype=np.int64)
    return numbered(rows[:, 0], rows[:, 1])


def msweb(folder: Path) -> Incidence:
    """A visitor's set: the areas of the site that she visited."""
    visitor, rows = -1, []
    for line in (folder / "anonymous-msweb.data").read_text(encoding="latin-1").splitlines():
        kind, number, *_rest = line.split(",")
        if kind == "C":
            visitor += 1
        elif kind == "V":
            rows.append((visitor, int(number)))
    found = np.array(rows)
    return numbered(found[:, 0], found[:, 1])


def published(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "published-selection.csv").open(newline="") as file:
        return {row["dataset"]: row for row in csv.DictReader(file)}


def measure(method: Selection, log: Incidence, runs: int, share: float = 1.0) -> dict[str, float]:
    """`share`: of ε and δ, for the selection."""
    holders, keys, missing = log.holders(), [], []
    start = time.process_time()
    for _ in range(runs):
        kept = method.select(log, share * EPSILON, share * DELTA, SystemRandomness()).items
        keys.append(len(kept))
        missing.append(1 - holders[kept].sum() / holders.sum())
    return {
        "keys": float(np.mean(keys)),
        "sd": float(np.std(keys, ddof=1)) if runs > 1 else 0.0,
        "missing_mass": float(np.mean(missing)),
        "cpu_seconds": (time.process_time() - start) / runs,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    known, rows = published(options.folder), []
    for name, read in (("Higgs", higgs), ("MSWeb", msweb)):
        log = read(options.folder)
        for method, (selection, column) in METHODS.items():
            figure = known.get(name, {}).get(column or "") or None
            rows.append(
                {
                    "set": name,
                    "method": method,
                    **measure(selection, log, options.runs),
                    "published": float(figure) if figure else None,
                }
            )
        beside = measure(Routed(), log, options.runs, BESIDE_COUNTS)
        rows.append({"set": name, "method": "routed, auto, beside counts", **beside, "published": None})
    if options.json:
        print(
            json.dumps(
                {"version": 1, "epsilon": EPSILON, "delta": DELTA, "runs": options.runs, "rows": rows},
                indent=1,
            )
        )
        return
    print(
        "| set | selection | keys | sd | missing mass | published keys | CPU s "
        "|\n|---|---|---|---|---|---|---|"
    )
    for row in rows:
        figure = f"{row['published']:,.0f}" if row["published"] else ""
        kept = f"{row['keys']:,.0f} | {row['sd']:.0f} | {row['missing_mass']:.4f}"
        print(f"| {row['set']} | {row['method']} | {kept} | {figure} | {row['cpu_seconds']:.1f} |")


if __name__ == "__main__":
    main()
