"""PEL, linkage, ILR and IL against k on several logs (docs/microaggregation.md).

python -m benchmarks.microaggregation_curves FOLDER --users 600 --seeds 1501 1502 1503 1504 1505

A line of FOLDER/results.jsonl is one release of one log; those that are there are not made again. Printed:
the mean over the logs and the half of its 95 % interval (Student's t: the logs are the sample).
"""

from __future__ import annotations

import argparse
import itertools
import json
import time
from pathlib import Path

import numpy as np
from scipy.stats import t

from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.measure.entropy import entropy
from crowdlog.measure.histories import PublishedHistories
from crowdlog.reproduce.studies.erola_release import METHODS, numbers_of

KS = range(2, 11)
SPELLINGS = {**METHODS, "semantic, default rule": "SemanticMdav(k={k})"}
SHOWN = (
    "PEL",
    "PEL of categories",
    "RL",
    "ILR",
    "ILR of active users",
    "ILR of all bits",
    "IL",
    "IL, users of 10",
)
ACTIVE = 10  # searches


def log_of(folder: Path, users: int, seed: int) -> LogStore:
    store = folder / f"log-{users}-{seed}"
    if not store.exists():
        source = store.with_suffix(".tsv")
        synthesize(source, users=users, seed=seed)
        import_log(source, store)
        source.unlink()
    return LogStore.open(store)


def measured(log: LogStore, spelling: str, folder: Path) -> dict[str, float]:
    with seeded_release(log, SeededRun(spelling, 1), folder) as release:
        histories = PublishedHistories(release, log)
        own, shown = histories.own, histories.known
        found = numbers_of(own, shown, log)
        active = own.sum(axis=1) >= ACTIVE
        found["IL, users of 10"] = numbers_of(own[active], shown[active], log)["IL"]
    # the other reading of eq. ILR: the bits of all users together, so that gains and losses meet
    bits = entropy(own).sum()
    found["ILR of all bits"] = float(abs(bits - entropy(shown).sum()) / bits)
    return found


def fill(folder: Path, users: int, seeds: list[int], methods: list[str]) -> list[dict]:
    results = folder / "results.jsonl"
    rows = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
    done = {(row["users"], row["seed"], row["method"], row["k"]) for row in rows}
    for seed in seeds:
        for method, k in itertools.product(methods, KS):
            if (users, seed, method, k) in done:
                continue
            begin = time.process_time()
            found = measured(log_of(folder, users, seed), SPELLINGS[method].format(k=k), folder)
            row = {"users": users, "seed": seed, "method": method, "k": k} | found
            rows.append(row | {"seconds": time.process_time() - begin})
            with results.open("a") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    return [row for row in rows if row["users"] == users and row["seed"] in seeds]


def interval(values: list[float]) -> tuple[float, float]:
    """Mean and half of the interval."""
    mean = float(np.mean(values))
    if len(values) < 2:
        return mean, float("nan")
    return mean, float(t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values)))


def table(rows: list[dict], name: str) -> None:
    print(f"\n{name}, % (mean ± half of the 95 % interval over logs)\n")
    print("| | " + " | ".join(f"k = {k}" for k in KS) + " |")
    print("|---|" + "---:|" * len(KS))
    for method in SPELLINGS:
        cells = []
        for k in KS:
            values = [100 * row[name] for row in rows if (row["method"], row["k"]) == (method, k)]
            mean, half = interval(values) if values else (float("nan"),) * 2
            cells.append(f"{mean:.1f} ± {half:.1f}")
        print(f"| {method} | " + " | ".join(cells) + " |")


def order_of_loss(rows: list[dict], name: str) -> None:
    """On how many logs and k each method loses less than the next, and the mean difference over logs."""
    print(f"\n{name}: one below the next, of all logs and k; mean difference in points over logs and k")
    loss = {(row["method"], row["seed"], row["k"]): row[name] for row in rows}
    seeds = sorted({row["seed"] for row in rows})
    made = {row["method"] for row in rows}
    for one, other in itertools.pairwise(method for method in METHODS if method in made):
        pairs = [
            [loss[other, seed, k] - loss[one, seed, k] for k in KS if (other, seed, k) in loss]
            for seed in seeds
        ]
        below = sum(difference > 0 for of in pairs for difference in of)
        of_log = [float(np.mean(of)) for of in pairs if of]
        mean, half = interval([100 * difference for difference in of_log])
        of_k = [f"{100 * np.mean([of[i] for of in pairs if len(of) > i]):+.1f}" for i in range(len(KS))]
        print(
            f"{one} < {other}: {below} of {sum(map(len, pairs))}; {mean:+.1f} ± {half:.1f}; by k: {of_k}; "
            f"mean over k on {sum(difference > 0 for difference in of_log)} of {len(of_log)} logs"
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--users", type=int, default=600)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1501, 1502, 1503, 1504, 1505])
    parser.add_argument("--methods", nargs="+", default=list(SPELLINGS), choices=list(SPELLINGS))
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    rows = fill(chosen.folder, chosen.users, chosen.seeds, chosen.methods)
    for name in SHOWN:
        table(rows, name)
    order_of_loss(rows, "IL")
    order_of_loss(rows, "IL, users of 10")
    print(f"\n{sum(row['seconds'] for row in rows):.0f} CPU s")


if __name__ == "__main__":
    main()
