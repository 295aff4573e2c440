"""Wrong statements "at least n people": many releases of one log, counted against what is allowed.
`python -m benchmarks.ladder_at_least --users 20000 --runs 60`

With `--false` other than .05 statements are made bolder, so that more of them are wrong and the rate can be
seen in fewer runs: of a table so many may be wrong in a release, on average.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import poisson

from benchmarks.ladder import DELTA, rows_of
from benchmarks.ladder_invented import holders
from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.log_source import open_log
from crowdlog.log.importer import import_log
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.mechanisms.rungs import choice
from crowdlog.privacy.randomness import SeededRandomness


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1401, help="of the log; noises are counted from 0")
    parser.add_argument("--false", type=float, default=choice.FALSE)
    asked = parser.parse_args()
    choice.FALSE = asked.false
    ladder = Ladder(epsilon=asked.epsilon, delta=DELTA[asked.epsilon], people=asked.users, weight_shares=0.0)
    with tempfile.TemporaryDirectory(prefix="crowdlog-ladder-") as folder:
        path = Path(folder) / "log.tsv"
        synthesize(path, users=asked.users, seed=asked.seed)
        log = import_log([path], Path(folder) / "store")
        artifacts = {plan.name: plan.artifact for plan in ladder.plan if isinstance(plan.artifact, Artifact)}
        with open_log(log) as source:
            known = {name: holders(source, artifact) for name, artifact in artifacts.items()}
        wrong, said = dict.fromkeys(artifacts, 0), dict.fromkeys(artifacts, 0)
        for run in range(asked.runs):
            tables = ladder.protect(log, SeededRandomness(run)).tables
            for name, artifact in artifacts.items():
                least = tables[name]["at_least"].to_numpy()
                people = np.array([known[name].get(key, 0) for key in rows_of(tables[name], artifact)])
                wrong[name] += int((least > people).sum())
                said[name] += int((least > 0).sum())
            every, allowed = sum(wrong.values()), asked.false * len(artifacts) * (run + 1)
            told = {"runs": run + 1, "said": said, "wrong": wrong, "all": every, "allowed": round(allowed, 2)}
            chance = float(poisson.sf(every - 1, allowed)) if every else 1.0
            print(json.dumps(told | {"chance of as many": round(chance, 4)}), flush=True)


if __name__ == "__main__":
    main()
