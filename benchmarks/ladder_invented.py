"""Rows that noise invents: many releases of one small log, counted against the allowances of their labels.
`python -m benchmarks.ladder_invented --users 1000 --runs 200`

A row is nobody's if no person has its key. One person's rows are told beside them: the allowance does not
speak of those (proofs/ladder.md).
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ladder import DELTA, rows_of
from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import LogSource, open_log
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.privacy.randomness import SystemRandomness

ALLOWED = "{}: invented rows, on average, at most"


def holders(source: LogSource, artifact: Artifact) -> dict[tuple[str, ...], int]:
    """How many people have each key, by texts."""
    found = histogram(source.artifacts(artifact), users=True)
    columns = [column.to_pylist() for column in source.texts(artifact, found.key).values()]
    return dict(zip(zip(*columns, strict=True), found.users.tolist(), strict=True))


def summary(invented: list[int], single: list[int], allowed: list[float]) -> dict[str, Any]:
    """Means over the runs; `sure`: two standard errors of the mean of nobody's rows."""
    return {
        "allowed": round(float(np.mean(allowed)), 3),
        "nobody's": round(float(np.mean(invented)), 3),
        "sure": round(2 * float(np.std(invented)) / math.sqrt(len(invented)), 3),
        "one person's": round(float(np.mean(single)), 3),
        "most of nobody's in one run": max(invented),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=1000)
    parser.add_argument("--epsilon", type=float, default=2.3)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1401)
    asked = parser.parse_args()
    ladder = Ladder(
        epsilon=asked.epsilon,
        delta=DELTA[asked.epsilon],
        people=asked.users,
        least_rows=0.0,
        weight_shares=0.0,
    )
    with tempfile.TemporaryDirectory(prefix="crowdlog-ladder-") as folder:
        path = Path(folder) / "log.tsv"
        synthesize(path, users=asked.users, seed=asked.seed)
        log = import_log([path], Path(folder) / "store")
        artifacts = {plan.name: plan.artifact for plan in ladder.plan if isinstance(plan.artifact, Artifact)}
        with open_log(log) as source:
            known = {name: holders(source, artifact) for name, artifact in artifacts.items()}
        told: dict[str, tuple[list[int], list[int], list[float]]] = {name: ([], [], []) for name in artifacts}
        for _run in range(asked.runs):
            released = ladder.protect(log, SystemRandomness())
            for name, artifact in artifacts.items():
                people = [known[name].get(key, 0) for key in rows_of(released.tables[name], artifact)]
                told[name][0].append(people.count(0))
                told[name][1].append(people.count(1))
                told[name][2].append(float(released.notes[ALLOWED.format(name)]))
    tables = {name: summary(*found) for name, found in told.items()}
    whole = [sum(each) for each in zip(*(found[0] for found in told.values()), strict=True)]
    single = [sum(each) for each in zip(*(found[1] for found in told.values()), strict=True)]
    allowed = [sum(each) for each in zip(*(found[2] for found in told.values()), strict=True)]
    print(json.dumps({"runs": asked.runs, **tables, "all tables": summary(whole, single, allowed)}, indent=1))


if __name__ == "__main__":
    main()
