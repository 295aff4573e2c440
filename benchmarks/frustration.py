"""What sanitising costs frustration: F₀.₅ from released counts against raw counts, and planted effects.

    python -m benchmarks.frustration [--users 100000] [--seeds 20]

For each seed a synthetic study of 30 people with planted coefficients: 20 people make the pseudo-users, 10
are tested on their later tasks. For the first `--released` seeds the vectors go through each mechanism.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.frustration.measures import macro_f
from crowdlog.applications.frustration.model import TRAIN_TASKS, chances, model_of_counts
from crowdlog.applications.frustration.study import FrustrationStudy, read_study
from crowdlog.applications.frustration.synthetic import write_study
from crowdlog.applications.frustration.vectors import (
    counts_of_table,
    pseudo_vectors,
    write_domain,
    write_vectors,
)
from crowdlog.experiments.seeded_release import SeededRun, seeded_release

PEOPLE, LEARNT = 30, 20


def study_of(folder: Path, seed: int) -> FrustrationStudy:
    path = folder / "study.tsv"
    write_study(path, PEOPLE, seed)
    return read_study(path)


def score(study: FrustrationStudy, counts: Any, merge: str) -> float:
    early = study.task < TRAIN_TASKS
    chance = chances(study, model_of_counts(counts), merge, early)
    rows = ~early & (study.user >= LEARNT) & (study.label >= 0)
    return float(macro_f(study.user[rows], chance[rows] >= 0.5, study.label[rows] == 1)["f0.5"]["value"])


def mechanisms(domain: Path, users: int) -> dict[str, str]:
    ln10 = math.log(10)
    return {
        "closed domain, ε = .1": f"ClosedDomain(epsilon=0.1, d=20, pool='{domain}')",
        "closed domain, ε = 1": f"ClosedDomain(epsilon=1, d=20, pool='{domain}')",
        "ZEALOUS, d = 64, ε = ln 10": f"Zealous(epsilon={ln10}, delta={1 / users}, d=64)",
        "DP_u, d = 4, ε = ln 10": f"DPu(epsilon={ln10}, delta={1 / users}, d=4)",
        "FT_u, k = 50": "FTu(k=50)",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=20, help="studies, for the planted effect")
    parser.add_argument("--released", type=int, default=2, help="studies that are released from")
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {merge: [] for merge in ("global", "local", "product", "mean")}
    for seed in range(arguments.seeds):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            study = study_of(folder, seed)
            learnt = replace(study, label=np.where(study.user < LEARNT, study.label, -1))
            person, number = pseudo_vectors(learnt, arguments.users, seed)
            raw = np.bincount(number, minlength=64).reshape(2, 32).astype(np.float64)
            ways = {merge: score(study, raw, merge) for merge in found}
            for merge, value in ways.items():
                found[merge].append(value)
            told = ", ".join(f"{merge} {value:.3f}" for merge, value in ways.items())
            print(f"seed {seed}: raw counts of {arguments.users:,} pseudo-users: {told}", flush=True)
            once = np.bincount(np.unique(person.astype(np.int64) * 64 + number) % 64, minlength=64)
            loss = score(study, once.reshape(2, 32).astype(np.float64), "product") - ways["product"]
            print(f"  people instead of instances counted, without noise: F₀.₅ {loss:+.4f}", flush=True)
            if seed >= arguments.released:
                continue
            store = write_vectors(person, number, folder / "store")
            write_domain(folder / "domain.txt")
            for name, spelling in mechanisms(folder / "domain.txt", arguments.users).items():
                with seeded_release(store, SeededRun(spelling, seed), folder) as release:
                    table: Any = release.table("queries")
                    counts = counts_of_table(table, name)
                change = score(study, counts, "product") - ways["product"]
                shown = int((counts > 0).sum())
                print(f"  {name}: {shown} of 64 vectors, F₀.₅ {change:+.4f} against raw counts", flush=True)
    alone = np.maximum(found["global"], found["local"])
    for merge, values in found.items():
        wins = int(np.sum(np.array(values) > alone))
        print(f"{merge}: F₀.₅ {np.mean(values):.3f} on average, above global and local in {wins} studies")


if __name__ == "__main__":
    main()
