"""Ladder beside Crowd on one large log: five noises of one log, each release in a process of its own.
`python -m benchmarks.ladder_large STORE RESULTS` measures what RESULTS (JSON lines) does not hold yet, and
`python -m benchmarks.ladder_large --table RESULTS` prints it as rows of docs/ladder.md.

At 36 million rows drawing a log for every run would take longer than the releases: log, store and what is
true of it (people and impressions of each key that two people have, beside RESULTS as Parquet) are made once.
Stopped and begun again, it goes on with the next release.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.ladder import DELTA, ENOUGH, judged, rows_of, shown_inside
from crowdlog.artifacts.kinds import Artifact
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import open_log
from crowdlog.files.whole import new_file
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.rungs import climb, people
from crowdlog.privacy.randomness import SystemRandomness

KINDS = ("query", "click", "pair", "word", "word-pair", "site", "query-site", "word-site")
SPELLED = {
    "Ladder": "Ladder(epsilon={epsilon}, delta={delta}, people={people})",
    "Crowd": "Crowd(epsilon={epsilon}, delta={delta})",
}
COLUMNS = ("words", "queries", "word_pairs", "sites", "query_sites", "word_sites", "pairs")
TIMES = 2.5  # Crowd's words and sites


@dataclass(frozen=True)
class Used:
    """CPU seconds of this process, in the system too, and pages it was given."""

    cpu: float
    system: float
    pages: int

    @classmethod
    def now(cls) -> Used:
        own = resource.getrusage(resource.RUSAGE_SELF)
        return cls(own.ru_utime + own.ru_stime, own.ru_stime, own.ru_minflt)

    def since(self, before: Used) -> dict[str, float]:
        return {
            "cpu": round(self.cpu - before.cpu, 2),
            "system": round(self.system - before.system, 2),
            "pages": self.pages - before.pages,
        }


def peak_gb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)


# --- what is true of the log ---


def write_truth(store: str, folder: str) -> None:
    """People and impressions of every key that at least two people have, by texts: a file for each kind."""
    with open_log(LogStore.open(store)) as source:
        for kind in KINDS:
            path = Path(folder) / f"{kind}.parquet"
            if path.exists():
                continue
            found = histogram(source.artifacts(Artifact(kind)), users=True)
            some = found.users > 1
            texts = source.texts(Artifact(kind), found.key[some])
            counts = {"people": found.users[some], "impressions": found.impressions[some]}
            with new_file(path) as file:
                pq.write_table(pa.table({**texts, **counts}), file)
            print(f"{kind}: {some.sum():,} of {len(some):,} keys are of two people or more", flush=True)


def true_counts(folder: Path, table: pa.Table, artifact: Artifact) -> dict[tuple[str, ...], tuple[int, int]]:
    """Of the rows of a published table that two people have: how many people and impressions."""
    known = pq.read_table(folder / f"{artifact.kind}.parquet")
    both = table.select(list(artifact.columns)).join(known, list(artifact.columns), join_type="inner")
    counts = zip(both["people"].to_pylist(), both["impressions"].to_pylist(), strict=True)
    return dict(zip(rows_of(both, artifact), counts, strict=True))


# --- one release ---


def measured(store: str, folder: Path, told: dict[str, Any]) -> dict[str, Any]:
    """One release, what it took and how right it is."""
    log = LogStore.open(store)
    stages: dict[str, dict[str, float]] = defaultdict(lambda: {"cpu": 0.0, "system": 0.0, "pages": 0})
    mechanism = parse(
        SPELLED[told["mechanism"]].format(
            epsilon=told["epsilon"], delta=DELTA[told["epsilon"]], people=log.info.users
        )
    )
    before = Used.now()
    with ExitStack() as patches:
        for place, name in ((climb, "choose"), (people, "count_people")):
            patches.enter_context(mock.patch.object(place, name, timed(getattr(place, name), stages[name])))
        tables = mechanism.protect(log, SystemRandomness()).tables
    line = {**told, "people": log.info.users, "rows": log.info.rows, **Used.now().since(before)}
    line |= {"peak_gb": peak_gb(), "stages": stages, "tables": {}}
    for plan in mechanism.plan:
        if isinstance(plan.artifact, Artifact):
            table = tables[plan.name]
            true = true_counts(folder, table, plan.artifact)
            line["tables"][plan.name] = judged(table, true, plan.artifact)
    if told["mechanism"] == "Crowd":
        line["tables"] |= shown_inside(tables)
    return line


def timed(work: Callable[..., Any], stage: dict[str, float]) -> Callable[..., Any]:
    """The same work; what it takes is added to the stage."""

    def run(*given: Any) -> Any:
        before = Used.now()
        found = work(*given)
        for name, value in Used.now().since(before).items():
            stage[name] = round(stage[name] + value, 2)
        return found

    return run


def one(store: str, folder: str, results: str, told: dict[str, Any]) -> None:
    """Measure a release and append it."""
    line = json.dumps(measured(store, Path(folder), told))
    with Path(results).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    print(line, flush=True)


def alone(work: Callable[..., None], *given: Any) -> None:
    """In a fresh process: memory and pages are those of this work."""
    process = multiprocessing.get_context("spawn").Process(target=work, args=given)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"a run ended with {process.exitcode}")


# --- the table ---


def lines_of(results: Path) -> list[dict[str, Any]]:
    if not results.exists():
        return []
    return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def told_rows(lines: list[dict[str, Any]]) -> Iterator[str]:
    """A row for each ε and mechanism, then what was asked of both."""
    groups: dict[tuple[float, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        groups[line["epsilon"], line["mechanism"]].append(line)
    for (epsilon, mechanism), runs in sorted(
        groups.items(), key=lambda group: (group[0][0], group[0][1] != "Ladder")
    ):
        cells = []
        for name in COLUMNS:
            tables = [
                run["tables"][_called(name, mechanism)]
                for run in runs
                if _called(name, mechanism) in run["tables"]
            ]
            cells.append(_cell(tables) if tables else "–")
        cpu = statistics.mean(run["cpu"] for run in runs)
        first = f"{runs[0]['people']:,}, {epsilon:g}" if mechanism == "Ladder" else ""
        yield f"| {first} | {mechanism} ({len(runs)}) | {' | '.join(cells)} | {cpu:.0f} |"
    for epsilon in sorted({epsilon for epsilon, _mechanism in groups}):
        yield f"ε = {epsilon:g}: {_judged_against(groups[epsilon, 'Ladder'], groups[epsilon, 'Crowd'])}"


def _called(name: str, mechanism: str) -> str:
    return "clicks" if name == "query_sites" and mechanism == "Crowd" else name


def _cell(tables: list[dict[str, Any]]) -> str:
    """Rows; share of rows whose interval holds the truth, over all runs; median error."""
    rows = statistics.mean(table["rows"] for table in tables)
    if "inside" not in tables[0] or not rows:
        return f"{rows:,.0f}"
    share = sum(table["inside"] for table in tables) / sum(table["rows"] for table in tables)
    error = statistics.mean(table["median_error"] for table in tables)
    return f"{rows:,.0f}; {share:.3f}; {error:.2f}".replace(" 0.", " .")


def _judged_against(ladder: list[dict[str, Any]], crowd: list[dict[str, Any]]) -> str:
    """Ratios to Crowd, the range of shares of single tables, errors, invented rows, memory and time."""
    parts = []
    for name in ("words", "sites", "queries") if crowd else ():
        own, other = (
            statistics.mean(run["tables"][name]["rows"] for run in runs) for runs in (ladder, crowd)
        )
        parts.append(f"{name} {own / other:.2f} × Crowd's")
    tables = [(name, run["tables"][name]) for run in ladder for name in COLUMNS if name in run["tables"]]
    shares = {
        name: [t["in_interval"] for own, t in tables if own == name and t["rows"] >= ENOUGH]
        for name in COLUMNS
    }
    spans = ", ".join(f"{name} {min(each):.3f}–{max(each):.3f}" for name, each in shares.items() if each)
    inside = [0.93 <= share <= 0.97 for each in shares.values() for share in each]
    parts.append(f"intervals hold {spans} ({sum(inside)} of {len(inside)} tables within .93–.97)")
    for name in ("queries", "words"):
        errors = [run["tables"][name]["median_error"] for run in ladder]
        parts.append(f"median error of {name} {max(errors):.3f} at most")
    for told in ("invented", "at_least_wrong"):
        each = [sum(table[told] for table in run["tables"].values()) for run in ladder]
        parts.append(f"{told.replace('_', ' ')} {min(each)}–{max(each)} a run")
    rows = [sum(table["rows"] for table in run["tables"].values()) for run in ladder]
    parts.append(f"of {min(rows):,}–{max(rows):,} rows")
    for told, values in (
        ("all", [run["cpu"] for run in ladder]),
        ("selecting", [run["stages"]["choose"]["cpu"] for run in ladder]),
        ("system", [run["system"] for run in ladder]),
    ):
        parts.append(f"CPU seconds, {told}: {min(values):.1f}–{max(values):.1f}")
    parts.append(f"{max(run['peak_gb'] for run in ladder):.2f} GB at most")
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", nargs="?")
    parser.add_argument("results", type=Path)
    parser.add_argument("--epsilon", type=float, nargs="*", default=[1.0, 2.3])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--mechanisms", nargs="*", choices=list(SPELLED), default=list(SPELLED))
    parser.add_argument("--table", action="store_true", help="print what was measured")
    asked = parser.parse_args()
    if asked.table:
        print("\n".join(told_rows(lines_of(asked.results))))
        return
    folder = asked.results.with_suffix(".truth")
    folder.mkdir(exist_ok=True)
    if not all((folder / f"{kind}.parquet").exists() for kind in KINDS):
        alone(write_truth, asked.store, str(folder))
    done = {(line["epsilon"], line["run"], line["mechanism"]) for line in lines_of(asked.results)}
    for run in range(asked.runs):
        for epsilon in asked.epsilon:
            for mechanism in asked.mechanisms:
                if (epsilon, run, mechanism) not in done:
                    told = {"epsilon": epsilon, "run": run, "mechanism": mechanism}
                    alone(one, asked.store, str(folder), str(asked.results), told)


if __name__ == "__main__":
    main()
