"""What a ladder publishes beside Crowd on the same synthetic logs: rows, how right numbers of people are,
invented rows, time. `python benchmarks/ladder.py --users 5000 20000 --runs 5 > ladder.json`

Logs: `crowdlog synth` with seeds that nothing was tuned on, or stores given with --stores. For logs of AOL's
size: benchmarks/ladder_large.py.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

from crowdlog.artifacts.breakdowns import BANDS
from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import LogSource, open_log
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.crowd import Crowd
from crowdlog.mechanisms.ladder import Ladder
from crowdlog.privacy.randomness import SystemRandomness

DELTA = {1.0: 1e-6, 2.3: 1e-5}
ENOUGH = 30  # rows of a table whose share of intervals is judged


def truth(source: LogSource, artifact: Artifact) -> dict[tuple[str, ...], tuple[int, int]]:
    """People and impressions of each key that at least two people have, by texts."""
    found = histogram(source.artifacts(artifact), users=True)
    some = found.users > 1
    columns = [column.to_pylist() for column in source.texts(artifact, found.key[some]).values()]
    counts = zip(found.users[some].tolist(), found.impressions[some].tolist(), strict=True)
    return dict(zip(zip(*columns, strict=True), counts, strict=True))


def rows_of(table: Any, artifact: Artifact) -> list[tuple[str, ...]]:
    return list(zip(*(table[name].to_pylist() for name in artifact.columns), strict=True))


def measured(mechanism: Mechanism, log: LogStore, known: dict[Any, Any]) -> dict[str, Any]:
    """One release and what is true of it. `known`: what is true of this log, found once."""
    started = time.process_time()
    released = mechanism.protect(log, SystemRandomness())
    tables, notes = released.tables, released.notes
    found: dict[str, Any] = {"cpu_seconds": round(time.process_time() - started, 2)}
    with open_log(log, mechanism.plan[0].artifact.representation) as source:
        for plan in mechanism.plan:
            if isinstance(plan.artifact, Artifact):
                if plan.artifact not in known:
                    known[plan.artifact] = truth(source, plan.artifact)
                found[plan.name] = judged(tables[plan.name], known[plan.artifact], plan.artifact)
    if "queries" in found:
        artifact = Artifact("query", mechanism.plan[0].artifact.representation)
        found["searches"] = searches(tables["queries"], notes, known[artifact])
    if isinstance(mechanism, Crowd):
        found |= shown_inside(tables)
    return found


def shown_inside(tables: Any) -> dict[str, dict[str, int]]:
    """Different words and sites inside the rows of Crowd."""
    words = {word for query in tables["queries"]["query"].to_pylist() for word in query.split()}
    sites = {url.split("/")[2].removeprefix("www.") for url in tables["clicks"]["url"].to_pylist()}
    return {"words": {"rows": len(words)}, "sites": {"rows": len(sites)}}


def searches(table: Any, notes: Any, true: dict[tuple[str, ...], tuple[int, int]]) -> dict[str, float]:
    """How well numbers of searches come out: the published count, times the factor of its band where there is
    one, over the true number; of all together, and the median.
    """
    count = table["count"].to_numpy().astype(float)
    each = [value for name, value in notes.items() if name.startswith("searches for each person")]
    if len(each) > len(BANDS):
        count *= np.array(each)[np.searchsorted(BANDS, np.arange(len(count)), side="right")]
    asked = np.array([true.get((query,), (0, 0))[1] for query in table["query"].to_pylist()], float)
    real = asked > 0
    ratio = count[real] / asked[real]
    if not len(ratio):
        return {}
    whole = {"all": count[real].sum() / asked.sum(), "median": np.median(ratio)}
    whole |= {"median_error": np.median(np.abs(ratio - 1)), "first_ten": np.median(ratio[:10])}
    return {name: round(float(value), 3) for name, value in whole.items()}


def by_chance(rows: int) -> float:
    """How often a table of so many rows has a share within .93 to .97 if each interval holds with .95."""
    inside = range(math.ceil(0.93 * rows - 1e-9), math.floor(0.97 * rows + 1e-9) + 1)
    return float(binom.pmf(list(inside), rows, 0.95).sum())


def judged(table: Any, true: dict[tuple[str, ...], tuple[int, int]], artifact: Artifact) -> dict[str, Any]:
    """Rows of a published table, how many are invented, and how right its numbers are."""
    keys = rows_of(table, artifact)
    real = np.array([key in true for key in keys], bool)
    of_people = "low" in table.column_names
    counts = np.array([true.get(key, (0, 0))[0 if of_people else 1] for key in keys], float)
    shown, noise = table["count"].to_numpy().astype(float), table["noise"].to_numpy()
    low, high = (shown - 1.96 * noise, shown + 1.96 * noise)
    if of_people:
        low, high = table["low"].to_numpy(), table["high"].to_numpy()
    inside = ((low <= counts) & (counts <= high))[real]
    error = (np.abs(shown - counts) / np.maximum(counts, 1))[real]
    told: dict[str, Any] = {
        "rows": int(real.sum()),
        "inside": int(inside.sum()),
        "invented": int((~real).sum()),
        "in_interval": round(float(inside.mean()), 3) if len(inside) else None,
        "median_error": round(float(np.median(error)), 3) if len(error) else None,
    }
    if real.sum() >= ENOUGH:
        told["by_chance"] = round(by_chance(int(real.sum())), 3)
    if of_people:
        least = table["at_least"].to_numpy()
        told["at_least_said"] = int((least > 0).sum())
        told["at_least_wrong"] = int((least > np.maximum(counts, 1))[real | (least > 0)].sum())
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, nargs="*", default=[5000, 20_000])
    parser.add_argument("--stores", nargs="*", default=[], help="log stores instead of synthetic logs")
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1.0, 2.3])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=9001)
    parser.add_argument("--told", type=int, help="the ladder is told so many people, right or wrong")
    parser.add_argument("--alone", action="store_true", help="the ladder without Crowd")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="crowdlog-ladder-") as folder:
        logs = [LogStore.open(path) for path in asked.stores]
        for users in [] if logs else asked.users:
            path = Path(folder) / f"{users}.tsv"
            synthesize(path, users=users, seed=asked.seed)
            logs.append(import_log([path], path.with_suffix(".store")))
            path.unlink()
        for log in logs:
            known: dict[Any, Any] = {}
            for epsilon in asked.epsilon:
                for run in range(asked.runs):
                    people = asked.told or log.info.users
                    delta = DELTA.get(epsilon, 1e-6)
                    ladder = Ladder(epsilon=epsilon, delta=delta, people=people)
                    crowd = Crowd(epsilon=epsilon, delta=delta)
                    for mechanism in (ladder,) if asked.alone else (ladder, crowd):
                        told = {"people": people, "epsilon": epsilon, "run": run}
                        line = {
                            **told,
                            "mechanism": type(mechanism).__name__,
                            **measured(mechanism, log, known),
                        }
                        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
