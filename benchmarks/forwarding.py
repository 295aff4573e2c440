"""Queries that travel: wall time, CPU time and memory from a thousand to ten million users.

    python -m benchmarks.forwarding [USERS …]

Each size runs in a process of its own, so that its peak of memory is its own. Ten queries a user, topical
log, the default rules; graph, simulation and measures are timed apart. Compiling is left out: a thousand
users run first.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import pairwise

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
QUERIES = 10
SEED = 7


def measured(users: int) -> dict[str, float]:
    """Run one size and return its figures."""
    from crowdlog.forwarding.graphs import power_law
    from crowdlog.forwarding.measures import summary
    from crowdlog.forwarding.simulate import simulate
    from crowdlog.forwarding.workload import topical

    def run(size: int) -> dict[str, float]:
        times = [_now()]
        graph = power_law(size, seed=SEED)
        log = topical(size, QUERIES, seed=SEED)
        times.append(_now())
        done = simulate(graph, log, seed=SEED)
        times.append(_now())
        figures = summary(done)
        times.append(_now())
        wall = [after[0] - before[0] for before, after in pairwise(times)]
        cpu = times[-1][1] - times[0][1]
        below = figures["exposure: share below 60 %"]
        return {
            "users": size, "graph s": wall[0], "walks s": wall[1], "measures s": wall[2],
            "wall s": sum(wall), "CPU s": cpu, "hops": figures["mean hops"], "below 60 %": below,
        }  # fmt: skip

    run(1000)
    figures = run(users)
    return {**figures, "GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    names = ["users", "graph s", "walks s", "measures s", "wall s", "CPU s", "GB", "hops", "below 60 %"]
    print("| " + " | ".join(names) + " |\n|" + "---:|" * len(names))
    for users in sizes:
        command = [sys.executable, "-m", "benchmarks.forwarding", "--one", str(users)]
        figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        cells = [f"{figures[name]:,}" if name == "users" else f"{figures[name]:.2f}" for name in names]
        cells[-1] = f"{figures['below 60 %']:.1%}"
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(int(sys.argv[2]))))
    else:
        main()
