"""Where the routes of `Routed` cross, and how sure its looks are: `python -m benchmarks.routes PATH`.

Sets of short, middle and long histories: the public sets of `benchmarks.public_sets` (PATH), their visitors
by lot, several as one person; people who pick items by Zipf's law; a synthetic log. For each set the keys of
each route, and how much of the best route's the looks keep: by the chances of their noise, exactly.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.histories import SETTINGS, route
from benchmarks.public_sets import higgs, msweb
from crowdlog.privacy.histories import Histories
from crowdlog.privacy.selection.incidence import Incidence
from crowdlog.privacy.selection.routed import enough_for_all, look_noises, looks, sizes

ROUTES = ("long", "short", "shared")
LOST = 0.8  # of keys, for each part of ε that the looks take: from Higgs at two ε


def some(log: Incidence, people: int, together: int, lot: np.random.Generator) -> Incidence:
    """So many people of the set by lot, several as one."""
    place = lot.permutation(log.users)
    kept = np.repeat(place < people, np.diff(log.offsets))
    person = np.repeat(place // together, np.diff(log.offsets))[kept]
    return Histories.from_rows(person, log.items[kept].astype(np.int64), log.size).distinct()


def zipf(people: int, mean: float, power: float, items: int, lot: np.random.Generator) -> Incidence:
    """Each person picks items by Zipf's law, some of them twice."""
    picks = np.maximum(1, lot.gamma(2, mean / 2, people).astype(np.int64))
    chance = 1 / (np.arange(1, items + 1) + 3.0) ** power
    picked = lot.choice(items, picks.sum(), p=chance / chance.sum())
    return Histories.from_rows(np.repeat(np.arange(people), picks), picked, items).distinct()


def sets(folder: Path) -> Iterator[tuple[str, Incidence]]:
    lot = np.random.default_rng(5)
    for name, read, numbers in (("Higgs", higgs, (20_000, 60_000)), ("MSWeb", msweb, (10_000, 32_711))):
        whole = read(folder)
        for people, together in product(numbers, (1, 2, 3, 4, 8)):
            yield f"{name}, {people:,} by {together}", some(whole, people, together, lot)
    for people, mean, power, items in product((5000, 20_000), (3, 15, 50), (0.8, 1.1, 1.5), (1000, 200_000)):
        yield f"Zipf {power}, {items:,} items, {mean} picks", zipf(people, mean, power, items, lot)


def chance(number: float, scale: float) -> float:
    """That the number and Laplace noise of this scale are above 0."""
    half = math.exp(-abs(number) / scale) / 2
    return 1 - half if number > 0 else half


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    columns = [
        "set",
        "people",
        "mean items",
        "few",
        "wanting",
        "ε, δ",
        *ROUTES,
        "shared by",
        "auto over best",
    ]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    kept = []
    for name, log in sets(options.folder):
        few, middle, many = sizes(log)
        people = few + middle + many
        for setting, (epsilon, delta) in SETTINGS.items():
            left = looks(epsilon, delta)
            keys = [
                float(np.mean([route(one)(log, epsilon, delta) for _ in range(options.runs)]))
                for one in ROUTES
            ]
            enough, by_size = enough_for_all(log, left.units), few - middle - many
            noises = look_noises(left.shared, left.short)
            first, second = (
                chance(n, noise.scale) for n, noise in zip((enough, by_size), noises, strict=True)
            )
            own = first * keys[2] + (1 - first) * (second * keys[1] + (1 - second) * keys[0])
            ratio = own * (1 - LOST * (left.shared + left.short) / epsilon) / max(*keys, 1)
            facts = f"{people:,} | {len(log.items) / people:.1f} | {few / people:.2f}"
            numbers = " | ".join(f"{one:,.0f}" for one in keys)
            facts = f"{facts} | {-enough / people:.1f}"
            print(f"| {name} | {facts} | {setting} | {numbers} | {first:.2f} | {ratio:.3f} |", flush=True)
            kept += [ratio] if people >= 4000 and max(keys) >= 60 else []
    print(
        f"\nOf {len(kept)} cells of 4,000 people and 60 keys and more: mean {np.mean(kept):.4f}, least "
        f"{min(kept):.3f}, below .98: {sum(one < 0.98 for one in kept)}"
    )


if __name__ == "__main__":
    main()
