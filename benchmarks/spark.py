"""make bench-spark: import and releases on one machine (DuckDB) and on Spark, side by side in one run.

python -m benchmarks.spark SMALL.tsv LARGE.tsv MASTER (two synthetic logs, the second of ten times the rows)
python -m benchmarks.spark LOG.tsv MASTER (one pair of imports on one machine, and Korolova of that store)

MASTER: `cluster` for a master and two workers of its own, as processes beside the driver's; or local[2].
On a cluster the CPU seconds are those of the driver, the master and all that the workers ran, and the memory
is the driver's. A third log is SMALL with a tenth of its distinct queries: the driver must not notice.
Prints one line for each measurement as it is made, with the load of the machine, and tables at the end.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.foundation import DUCKDB_WRITE
from benchmarks.measure import Cost
from benchmarks.measure_tree import adopt_orphans, tree_cost, wait_until_idle

PYTHON = sys.executable
MECHANISMS = {
    "Korolova": "Korolova(epsilon=2.3, delta=1e-7, d=20)",
    "Crowd": "Crowd(epsilon=2.3, delta=1e-7)",
}
BARE, ONE, THERE = "DuckDB: parse, write Parquet", "import, one machine, 2 GB", "import, Spark"
PAIRS = 2  # of bare parse-and-write and our import, in turn: their wall times vary with the machine's load


@dataclass
class Bench:
    """Costs by log and by what was done, printed as they come."""

    folder: Path
    master: str
    beside: tuple[int, ...]
    costs: dict[str, dict[str, list[Cost]]] = field(default_factory=dict)

    def measure(self, log: str, name: str, command: list[str], beside: tuple[int, ...] = ()) -> None:
        cost = tree_cost(command, beside)
        self.costs.setdefault(log, {}).setdefault(name, []).append(cost)
        print(f"| {log} | {name} | {cost} | load {os.getloadavg()[0]:.1f} |", flush=True)

    def crowdlog(self, log: str, name: str, *words: str) -> None:
        spark = "Spark" in name
        engine = ("--engine", f"spark:{self.master}") if spark else ()
        # The cluster idles beside one machine's work; only processes that stay must be told apart.
        command = [PYTHON, "-m", "crowdlog.cli", *words, *engine]
        self.measure(log, name, command, self.beside)

    def pairs(self, log: str, source: str, number: int = PAIRS) -> None:
        for _ in range(number):
            bare, one = self.folder / "bare", self.folder / "one"
            self.measure(log, BARE, [PYTHON, "-c", DUCKDB_WRITE, source, str(bare)], self.beside)
            bare.unlink()
            if one.exists():
                shutil.rmtree(one)
            self.crowdlog(log, ONE, "import", source, "--memory", "2GB", "--ledger", "own", "-o", str(one))

    def one_store(self, source: str) -> None:
        """What takes little: DuckDB's bare write, one import, and Korolova of that store on both engines."""
        self.pairs("log", source, 1)
        for engine in ("DuckDB", "Spark"):
            out = str(self.folder / f"Korolova-{engine}")
            words = ("release", str(self.folder / "one"), MECHANISMS["Korolova"], "--budget", "1000", "0.5")
            self.crowdlog("log", f"Korolova, {engine}", *words, "-o", out)

    def there(self, log: str, source: str, *, beside_one_machine: bool) -> None:
        """Import and releases on Spark, and the releases of the same log on one machine. Stores are removed
        at the end.
        """
        one, there = self.folder / "one", self.folder / "there"
        self.crowdlog(log, THERE, "import", source, "--ledger", "own", "-o", str(there))
        for name, spelling in MECHANISMS.items():
            for store, engine in ((one, "DuckDB"), (there, "Spark")):
                if store == one and not beside_one_machine:
                    continue
                out = str(self.folder / f"{log}-{name}-{engine}")
                told = ("--budget", "1000", "0.5") if name == "Korolova" else ()
                self.crowdlog(log, f"{name}, {engine}", "release", str(store), spelling, *told, "-o", out)
        shutil.rmtree(there)
        shutil.rmtree(one, ignore_errors=True)


def fewer_queries(source: str, target: Path) -> int:
    """The same rows with a tenth of the distinct queries: the n-th becomes the (n mod D/10)-th. Returns D."""
    numbers: dict[bytes, int] = {}
    with Path(source).open("rb") as lines:
        next(lines)
        for line in lines:
            numbers.setdefault(line.split(b"\t", 2)[1], len(numbers))
    texts = list(numbers)
    tenth = len(texts) // 10
    with Path(source).open("rb") as lines, target.open("wb") as out:
        out.write(next(lines))
        for line in lines:
            user, query, rest = line.split(b"\t", 2)
            out.write(b"\t".join((user, texts[numbers[query] % tenth], rest)))
    return len(texts)


def page(costs: dict[str, dict[str, list[Cost]]]) -> str:
    """Of what was done several times, the least CPU and the least wall time."""
    small, large = costs["small"], costs["large"]
    lines = [
        "| | small, CPU s | large, CPU s | large / small | Spark / one machine, large | driver, GB: "
        "a tenth of the queries, small, large |",
        "|---|---|---|---|---|---|",
    ]
    for name in small:
        low, high = (min(cost.cpu for cost in each[name]) for each in (small, large))
        ratio = memory = ""
        if "Spark" in name:
            beside = ONE if name == THERE else name.replace("Spark", "DuckDB")
            ratio = f"{high / min(cost.cpu for cost in large[beside]):.2f} ×"
            memory = ", ".join(f"{costs[log][name][0].peak:.3f}" for log in ("fewer", "small", "large"))
        lines.append(f"| {name} | {low:.1f} | {high:.1f} | {high / low:.1f} × | {ratio} | {memory} |")
    for log in ("small", "large"):
        bare, one = costs[log][BARE], costs[log][ONE]
        cpu = min(each.cpu for each in one) / min(each.cpu for each in bare)
        wall = min(each.wall for each in one) / min(each.wall for each in bare)
        peak = max(each.peak for each in one)
        lines.append(f"\n{log}: our import / DuckDB's: {cpu:.2f} × CPU, {wall:.2f} × wall, {peak:.2f} GB")
    return "\n".join(lines)


def main() -> None:
    *logs, master = sys.argv[1:]
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="crowdlog-bench-") as name:
        running: Any = nullcontext()
        if master == "cluster":
            from tests.support.spark_cluster import cluster

            running = cluster(Path(name) / "cluster", workers=2, memory="4g")
        with running as found:
            address = master if found is None else found.address
            beside = () if found is None else tuple(process.pid for process in found.processes)
            wait_until_idle(beside)
            bench = Bench(Path(name), address, beside)
            if len(logs) == 1:
                bench.one_store(logs[0])
                return
            small, large = logs
            for log, source in (("large", large), ("small", small)):
                bench.pairs(log, source)
                bench.there(log, source, beside_one_machine=True)
                if log == "small":
                    fewer = Path(name) / "fewer.tsv"
                    distinct = fewer_queries(small, fewer)
                    print(f"distinct queries: small {distinct:,}, fewer {distinct // 10:,}", flush=True)
                    bench.there("fewer", str(fewer), beside_one_machine=False)
                    fewer.unlink()
            print(page(bench.costs))


if __name__ == "__main__":
    main()
