"""Histories of middle length, most of whose items many share: several visitors of a public set as one person:
`python -m benchmarks.grouped_sets PATH`.

It says where the routes cross: what the first look of `Routed` (how many people have at most 3 items) can
know, and what it cannot.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from benchmarks.histories import SETTINGS, route
from benchmarks.public_sets import higgs, msweb
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.routed import FEW

GROUPS, RUNS = (1, 2, 3, 5, 8), 2
ROUTES = ("long", "short", "shared")


def grouped(log: Incidence, together: int, seed: int = 1) -> Incidence:
    """So many people of the set, by lot, as one."""
    place = np.random.default_rng(seed).permutation(log.users) // together
    people = np.repeat(place, np.diff(log.offsets))
    return Histories.from_rows(people, log.items.astype(np.int64), log.size).distinct()


def main() -> None:
    folder = Path(sys.argv[1])
    print(
        "| set, together | people | mean items | few items | different picks | ε, δ | "
        f"{' | '.join(ROUTES)} | shared over long |\n|{'---|' * 10}"
    )
    for name, read in (("MSWeb", msweb), ("Higgs", higgs)):
        whole = read(folder)
        for together in GROUPS:
            log = grouped(whole, together)
            sizes = np.diff(log.offsets)
            sizes = sizes[sizes > 0]
            picks = len(np.unique(log.bounded(1, SystemRandomness()).items)) / len(sizes)
            facts = f"{len(sizes):,} | {sizes.mean():.1f} | {np.mean(sizes <= FEW):.2f} | {picks:.2f}"
            for setting, (epsilon, delta) in SETTINGS.items():
                kept = {
                    one: float(np.mean([route(one)(log, epsilon, delta) for _ in range(RUNS)]))
                    for one in ROUTES
                }
                numbers = " | ".join(f"{value:,.0f}" for value in kept.values())
                ratio = kept["shared"] / max(kept["long"], 1)
                print(f"| {name}, {together} | {facts} | {setting} | {numbers} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
