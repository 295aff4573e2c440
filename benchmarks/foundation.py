"""make bench: import and a Korolova release, beside the bare limits and two peers, all in one run.

Writes docs/benchmarks.md.

python -m benchmarks.foundation SMALL_USERS LARGE_USERS (65,000 and 657,426 give 3.6 M and 36 M rows)
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Cost, cost_of, inner_costs

PYTHON = sys.executable
ROOT = Path(__file__).parent.parent
MECHANISM = "Korolova(epsilon=2.3, delta=1e-7, d=20)"  # δ well below one over the number of users
COUNTS_ONLY = "Korolova(epsilon=2.3, delta=1e-5, d=20, weight_clicks=0)"

READ = "import sys\nwith open(sys.argv[1], 'rb') as f:\n    while f.read(1 << 22): pass"
CSV = "read_csv('{sys.argv[1]}', delim='\\t', header=true, quote='', escape='')"
DUCKDB_WRITE = (
    f"import duckdb, sys\nduckdb.sql(f\"COPY (SELECT * FROM {CSV}) TO '{{sys.argv[2]}}' (FORMAT parquet)\")"
)
DUCKDB_GROUP = (
    f'import duckdb, sys\nduckdb.sql(f"SELECT Query, count(*) FROM {CSV} GROUP BY Query").fetchnumpy()'
)
OURS = (
    "import sys\nfrom benchmarks.measure import print_inner_cost\nfrom crowdlog import LogStore, parse\n"
    "from crowdlog.privacy.randomness import SystemRandomness\nlog, m = LogStore.open(sys.argv[1]), "
    "parse(sys.argv[2])\n"
    "print_inner_cost(lambda: m.protect(log, SystemRandomness()))"
)


def crowdlog(*words: str) -> Cost:
    return cost_of([PYTHON, "-m", "crowdlog.cli", *words])


def one_size(folder: Path, users: int) -> dict[str, Cost]:
    """All costs for a log of so many users. The store stays in the folder."""
    log, store = folder / "log.tsv", folder / "store"
    costs = {"synth": crowdlog("synth", str(log), "--users", str(users), "--seed", "1")}
    costs["read the bytes"] = cost_of([PYTHON, "-c", READ, str(log)])
    costs["DuckDB: parse, write Parquet"] = cost_of(
        [PYTHON, "-c", DUCKDB_WRITE, str(log), str(folder / "duck.parquet")]
    )
    costs["DuckDB: parse, group by query"] = cost_of([PYTHON, "-c", DUCKDB_GROUP, str(log)])
    costs["crowdlog import"] = crowdlog("import", str(log), "-o", str(store))
    costs["crowdlog import --memory 2GB"] = crowdlog(
        "import", str(log), "--memory", "2GB", "--ledger", "own", "-o", str(folder / "bounded")
    )
    shutil.rmtree(folder / "bounded")
    log.unlink()
    costs["crowdlog release, queries and clicks"] = crowdlog(
        "release", str(store), MECHANISM, "-o", str(folder / "out")
    )
    return costs


def peer_costs(folder: Path) -> dict[str, list[float]]:
    """First and warm CPU seconds of the same job on the same table of (user, query) numbers, in three
    libraries.
    """
    import pyarrow.parquet as pq

    events = pq.read_table(folder / "store" / "events.parquet", columns=["user", "query", "impression"])
    pq.write_table(events.filter(events["impression"]).select(["user", "query"]), folder / "peers.parquet")
    environment = ROOT / "benchmarks" / ".peers"
    if not (environment / "bin" / "python").exists():
        subprocess.run([PYTHON, "-m", "venv", str(environment)], check=True)
        lock = str(ROOT / "benchmarks" / "requirements.lock")
        subprocess.run(
            [str(environment / "bin" / "pip"), "install", "--quiet", "--require-hashes", "-r", lock],
            check=True,
        )
    peers = [str(environment / "bin" / "python"), str(ROOT / "benchmarks" / "peers.py")]
    return {
        "crowdlog": inner_costs([PYTHON, "-c", OURS, str(folder / "store"), COUNTS_ONLY]),
        "OpenDP (Polars)": inner_costs([*peers, "opendp", str(folder / "peers.parquet")]),
        "PipelineDP (local)": inner_costs([*peers, "pipelinedp", str(folder / "peers.parquet")]),
    }


def main() -> None:
    small_users, large_users = (int(word) for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="crowdlog-bench-") as name:
        small_folder, large_folder = Path(name) / "small", Path(name) / "large"
        small_folder.mkdir()
        large_folder.mkdir()
        small = one_size(small_folder, small_users)
        peers = peer_costs(small_folder)
        large = one_size(large_folder, large_users)
    page = _page(small_users, large_users, small, large, peers)
    (ROOT / "docs" / "benchmarks.md").write_text(page, encoding="utf-8")
    print(page)


def _page(
    small_users: int,
    large_users: int,
    small: dict[str, Cost],
    large: dict[str, Cost],
    peers: dict[str, list[float]],
) -> str:
    rows = [
        f"| {name} | {small[name]} | {large[name]} | {large[name].cpu / small[name].cpu:.1f} × |"
        for name in small
    ]
    bare, ours, bounded = (
        large[name].cpu
        for name in ("DuckDB: parse, write Parquet", "crowdlog import", "crowdlog import --memory 2GB")
    )
    own = peers["crowdlog"]
    others = [
        f"| {name} | {first:.2f} | {warm:.2f} | {first / own[0]:.1f} × | {warm / own[1]:.1f} × |"
        for name, (first, warm) in peers.items()
    ]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            f"Made by `make bench` on {datetime.now(UTC).date()}; "
            f"synthetic logs of {small_users:,} and {large_users:,} users. Whole processes.",
            "",
            "| | small | large | large / small CPU |",
            "|---|---|---|---|",
            *rows,
            "",
            f"At the large size the import takes {ours / bare:.2f} × the CPU of DuckDB's bare "
            "parse-and-write;",
            f"with --memory 2GB {bounded / ours:.2f} × its own unlimited CPU.",
            "",
            "Count and threshold of queries at ε = 2.3, δ = 1e-5, 20 queries per user, from one Parquet "
            "table of the small log.",
            f"CPU seconds inside the process, `{COUNTS_ONLY}`:",
            "",
            "| | first call | second call | first: slower than crowdlog | second |",
            "|---|---|---|---|---|",
            *others,
            "",
        ]
    )


if __name__ == "__main__":
    main()
