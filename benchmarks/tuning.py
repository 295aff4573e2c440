"""The constants of the adaptive selection and the shares of Crowd, changed one at a time: what is kept,
relative to today's. `python -m benchmarks.tuning STORE... --runs 3 [--only reach spread]`

Any of these constants is equally private (proofs/selection-adaptive.md, proofs/crowd.md). Tune on some logs,
judge on others.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

from benchmarks.keys import from_store
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import crowd
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.privacy.selection import adaptive_gaussian
from crowdlog.privacy.selection.adaptive_gaussian import AdaptiveGaussian

SETTINGS = ((math.log(10), 1e-5), (1.0, 1e-6))
Change = dict[str, Any]
# Of the selection: constants of its module (capitals) and its parameters.
SELECTION: dict[str, tuple[Change, ...]] = {
    "reach": ({"REACH": 1.5}, {"REACH": 2.3}, {"REACH": 2.8}),
    "spread": ({"SPREAD": 0.55}, {"SPREAD": 0.85}, {"SPREAD": 1.0}),
    "rounds": ({"rounds": 24}, {"rounds": 64}),
    "first": ({"first_share": 0.05}, {"first_share": 0.15}),
    "growth": ({"growth": 1.03},),
    "items": ({"items_per_user": 150}, {"items_per_user": 500}),
    "own": ({"OWN_SHARE": 0.3}, {"OWN_SHARE": 0.5}),
}
# Of Crowd: its weights, and the part of clicks' and pairs' weight that chooses them.
SHARES: dict[str, tuple[Change, ...]] = {
    "weights": (
        {"weight_select": 4.0},
        {"weight_select": 6.5},
        {"weight_counts": 1.0},
        {"weight_clicks": 3.0},
        {"weight_pairs": 0.5},
        {"weight_pairs": 2.0},
    ),
    "key_share": ({"KEY_SHARE": 0.5}, {"KEY_SHARE": 0.75}),
    "crowd_items": ({"items": 120}, {"items": 300}),
}


def selected(held: Any, epsilon: float, delta: float, change: Change) -> dict[str, float]:
    """Keys of one selection."""
    constants = {name: value for name, value in change.items() if name.isupper()}
    others = {name: value for name, value in change.items() if not name.isupper()}
    with mock.patch.dict(vars(adaptive_gaussian), constants):
        found = AdaptiveGaussian(**others).select(held, epsilon, delta, SystemRandomness())
    return {"keys": len(found.items)}


def released(log: LogStore, epsilon: float, delta: float, change: Change) -> dict[str, float]:
    """Rows of each table of one release, and the noise of the counts of queries."""
    constants = {name: value for name, value in change.items() if name.isupper()}
    others = {name: value for name, value in change.items() if not name.isupper()}
    with mock.patch.dict(vars(crowd), constants):
        mechanism = crowd.Crowd(epsilon=epsilon, delta=delta, **others)
        tables = mechanism.protect(log, SystemRandomness()).tables
        noise = math.sqrt(mechanism.budget) / mechanism.parts()["queries"].mu_counts
    return {**{name: table.num_rows for name, table in tables.items()}, "noise": noise}


def compared(
    run: Callable[[Change], dict[str, float]], changes: tuple[Change, ...], runs: int
) -> dict[str, dict[str, list[float]]]:
    """All runs of today's constants (no change) and of each change, taken in turns."""
    found: dict[str, dict[str, list[float]]] = {}
    for _ in range(runs):
        for change in ({}, *changes):
            for name, value in run(change).items():
                found.setdefault(str(change or "today"), {}).setdefault(name, []).append(value)
    return found


def told(found: dict[str, dict[str, list[float]]]) -> None:
    """Means, and ratios to today's with the standard error of both sides."""
    today = found["today"]
    for change, figures in found.items():
        parts = []
        for name, values in figures.items():
            mean, base = statistics.mean(values), statistics.mean(today[name])
            error = (
                math.hypot(*(_error(each) for each in (values, today[name]))) if change != "today" else 0.0
            )
            ratio = mean / base if base else math.nan
            parts.append(f"{name} {mean:.1f}" + (f" ({ratio:.3f} ± {error:.3f})" if error else ""))
        print(f"   {change}: {', '.join(parts)}", flush=True)


def _error(values: list[float]) -> float:
    """Of the mean, relative."""
    mean = statistics.mean(values)
    return statistics.stdev(values) / math.sqrt(len(values)) / mean if len(values) > 1 and mean else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[*SELECTION, *SHARES])
    asked = parser.parse_args()
    for path in asked.stores:
        log = LogStore.open(path)
        held = from_store(log).distinct()
        for epsilon, delta in SETTINGS:
            begin = time.process_time()
            print(f"{log.info.users:,} people, ε = {epsilon:.3g}, δ = {delta:g}", flush=True)
            for known, run in (
                (SELECTION, partial(selected, held, epsilon, delta)),
                (SHARES, partial(released, log, epsilon, delta)),
            ):
                changes = tuple(change for name in asked.only for change in known.get(name, ()))
                if changes:
                    told(compared(run, changes, asked.runs))
            print(f"   {time.process_time() - begin:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
