"""What each published count estimates, and how well: one line for each table of each mechanism, on one
synthetic log. `python -m benchmarks.counts --users 20000 --runs 3 --seed 1302`

Counts are compared with the whole log, in what the label says they count (people or impressions): the median
of relative errors, and the share of rows whose interval holds the truth: `low` to `high` where the table has
them, else the count and 1.96 standard deviations of its declared noise. Rows of fewer than two people are
left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ladder import truth
from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.holdings import holdings
from crowdlog.engine.log_source import open_log
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.mechanisms.rungs.breakdowns import breakdown_tables
from crowdlog.mechanisms.rungs.climb import Climb
from crowdlog.mechanisms.rungs.people import count_people
from crowdlog.mechanisms.rungs.repeats import released_bands
from crowdlog.plan.table import TablePlan
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.types import Bools, Floats

BUDGET = "epsilon=2.3, delta=1e-5"
SPELLED = (
    f"Ladder({BUDGET}, people={{people}})",
    f"Crowd({BUDGET})",
    f"Keys({BUDGET})",
    f"Keys({BUDGET}, artifact='word')",
    f"Keys({BUDGET}, artifact='site')",
    f"Korolova({BUDGET}, d=20)",
    f"DPa({BUDGET}, d=20)",
    f"DPu({BUDGET}, d=20)",
    f"Zealous({BUDGET}, d=20)",
    "AClick(epsilon=2.3, q_f=5)",
    f"ASession({BUDGET})",
    "ClosedDomain(epsilon=2.3, d=5, pool='ngrams')",
    "Nebula(epsilon=2.3, delta=1e-5, p=0.105, d=5)",
    "FTu(k=50)",
)
EXACTLY = 1e7  # a μ at which noise is far below one person
Errors = list[tuple[Floats, Bools]]


def compared(
    plan: TablePlan, table: Any, true: dict[tuple[str, ...], tuple[int, int]]
) -> tuple[Floats, Bools]:
    """Relative errors of the rows that two people have, and whether their intervals hold the truth."""
    assert isinstance(plan.artifact, Artifact)
    keys = list(zip(*(table[name].to_pylist() for name in plan.artifact.columns), strict=True))
    known = np.array([key in true for key in keys], bool)
    place = 0 if plan.counts == "users" else 1
    real = np.array([true[key][place] for key in keys if key in true], float)
    low, high = (each[known] for each in interval(plan, table))
    count = table["count"].to_numpy().astype(float)[known]
    return np.abs(count - real) / real, (low <= real) & (real <= high)


def interval(plan: TablePlan, table: Any) -> tuple[Floats, Floats]:
    if "low" in table.column_names:
        return table["low"].to_numpy().astype(float), table["high"].to_numpy().astype(float)
    count = table["count"].to_numpy().astype(float)
    if "noise" in table.column_names:
        noise = table["noise"].to_numpy()
    else:
        noise = np.full(len(count), 0.0 if plan.noise is None else plan.noise.sd)
    return count - 1.96 * noise, count + 1.96 * noise


def of_public_values(ladder: Ladder, log: LogStore) -> Iterator[tuple[str, tuple[Floats, Bools]]]:
    """The same of the ladder's tables over public values: one run, with its noise and without."""
    chosen, randomness = ladder.setting, SystemRandomness()
    with open_log(log, ladder.representation) as source:
        climbed = Climb(chosen, source, holdings(source, chosen.session_minutes), randomness)
        counted, _kept = count_people(climbed.run(), chosen.mu["counts"], chosen.people, randomness)
        bands = released_bands(counted)
        exact = dataclasses.replace(chosen, mu={**chosen.mu, "shares": EXACTLY})
        noisy, right = (breakdown_tables(each, climbed, bands, randomness) for each in (chosen, exact))
    for name, table in noisy.items():
        real = right[name]["count"].to_numpy().astype(float)
        count, low, high = (table[column].to_numpy().astype(float) for column in ("count", "low", "high"))
        error = np.abs(count - real) / np.maximum(real, 1)
        yield name, (error[real > 0], (low <= real) & (real <= high))


def measured(log: LogStore, spelling: str, runs: int, known: dict[Any, Any]) -> None:
    """A line for each table. `known`: what is true of this log, found once."""
    mechanism = parse(spelling)
    found: dict[str, Errors] = defaultdict(list)
    for _ in range(runs):
        tables = mechanism.protect(log, SystemRandomness()).tables
        for plan in mechanism.plan:
            if isinstance(plan.artifact, Artifact):
                if plan.artifact not in known:
                    with open_log(log, plan.artifact.representation) as source:
                        known[plan.artifact] = truth(source, plan.artifact)
                found[plan.name].append(compared(plan, tables[plan.name], known[plan.artifact]))
        if isinstance(mechanism, Ladder):
            for name, errors in of_public_values(mechanism, log):
                found[name].append(errors)
    for plan in mechanism.plan:
        if plan.name not in found:  # sequences
            continue
        errors = np.concatenate([error for error, _held in found[plan.name]])
        held = np.concatenate([inside for _error, inside in found[plan.name]])
        told = f"{np.median(errors):.2f} | {held.mean():.3f}" if len(errors) else "– | –"
        print(
            f"| `{spelling}` | {plan.name} | {plan.counts} | {len(held) / runs:,.0f} | {told} |", flush=True
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1302)
    parser.add_argument("--mechanisms", nargs="*", default=SPELLED)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crowdlog-counts-") as folder:
        path = Path(folder) / "log.tsv"
        synthesize(path, users=asked.users, seed=asked.seed)
        log = import_log([path], path.with_suffix(".store"))
        known: dict[Any, Any] = {}
        for spelling in asked.mechanisms:
            measured(log, spelling.format(people=asked.users), asked.runs, known)


if __name__ == "__main__":
    main()
