"""Recommendation from releases against the unsanitised graph, and how fast a large graph answers.

    python -m benchmarks.recommendation curve --people 2000 20000 [--contexts 300]
    python -m benchmarks.recommendation curve --store STORE
    python -m benchmarks.recommendation speed STORE

`curve`: synthetic logs of several sizes, or a store; contexts are tasks of other people of the same
population whose next query somebody of the log asked, too. MRR of the next query over these contexts, and
over those where the unsanitised graph (walks and word overlap) does better with the context than with the
reference query alone ("helped"). `nobody's words` composes without a crowd: what a release is worth is what
is above it. `speed`: the graph of a store, time of one suggestion, peak memory.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crowdlog.applications.frame import run
from crowdlog.applications.recommendation.crowd_words import CrowdWords
from crowdlog.applications.recommendation.graph import QueryGraph, graph_of_release, graph_of_store
from crowdlog.applications.recommendation.held_out import held_out_contexts
from crowdlog.applications.recommendation.measures import reciprocal_rank
from crowdlog.applications.recommendation.merge import RecommendationClient, RecommendationServer
from crowdlog.applications.tasks.hard_logs import generated
from crowdlog.errors import InputError
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize

EPSILON, DELTA = 2.3, 1e-7
MECHANISMS = (
    f"Ladder(epsilon={EPSILON}, delta={DELTA})",
    f"Crowd(epsilon={EPSILON}, delta={DELTA})",
    "FTu(k=5, artifact='pair')",
)
LOG, STRANGERS, NOISE = 3_026, 3_027, 7  # seeds; the weight of composed queries was chosen on others
STRANGERS_ASKED = 3_000
TOP = 10
Rows = list[dict[str, Any]]


def ranks(graph: QueryGraph, rows: Rows, model: str, source: str) -> Any:
    server = RecommendationServer(graph, source)
    found = []
    for row in rows:
        client = RecommendationClient(row["context"], row["sametask"], model, top=TOP + len(row["context"]))
        shown = [query for query, _score in run(server, client) if query not in row["context"]][:TOP]
        found.append(reciprocal_rank(shown, set(row["later"])))
    return np.array(found)


def holds(graph: QueryGraph, rows: Rows) -> float:
    """The share of tasks whose next query the graph knows: no walk or overlap is better than this."""
    return float(np.mean([row["later"][0] in graph.number for row in rows]))


def half_width(values: Any) -> float:
    """Of a 95 % interval over contexts."""
    return float(1.96 * values.std() / np.sqrt(max(1, len(values))))


def show(
    people: int, name: str, graph: QueryGraph, rows: Rows, helped: Any, sources: tuple[str, ...]
) -> None:
    for source in sources:
        found = ranks(graph, rows, "firm2", source)
        print(
            f"{people:>7,} {name:<36} {source:<8} MRR {found.mean():.4f} ± {half_width(found):.3f}  "
            f"helped {found[helped].mean():.4f} ± {half_width(found[helped]):.3f}  "
            f"queries {len(graph.queries):,}  edges {graph.flow.nnz:,}  knows next {holds(graph, rows):.3f}",
            flush=True,
        )


def try_store(store: LogStore, strangers: Any, contexts: int, folder: Path) -> None:
    people = store.info.users
    graph = graph_of_store(store)
    every = held_out_contexts(strangers, len(strangers.searches), LOG)
    print(f"{people:,} people know what comes next in {holds(graph, every):.3f} of all tasks", flush=True)
    rows = held_out_contexts(strangers, contexts, LOG, graph.number)
    helped = ranks(graph, rows, "firm2", "both") > ranks(graph, rows, "reference", "both")
    print(f"{people:,} people: context helps {int(helped.sum())} of {len(rows)} contexts", flush=True)
    show(people, "not sanitised", graph, rows, helped, ("walk", "overlap", "both"))
    empty = replace(graph, named=CrowdWords({}, {}))
    show(people, "nobody's words", empty, rows, helped, ("composed",))
    del graph, empty
    for spelling in MECHANISMS:
        with seeded_release(store, SeededRun(spelling, NOISE), folder) as release:
            try:
                released = graph_of_release(release)
                print(f"{people:>7,} {spelling}: {released.words}", flush=True)
                show(people, spelling, released, rows, helped, ("both", "composed", "all"))
            except InputError:
                print(f"{people:>7,} {spelling:<36} shows nothing", flush=True)


def curve(sizes: list[int], store: str | None, contexts: int) -> None:
    strangers = generated("aol", STRANGERS_ASKED, STRANGERS)
    if store is not None:
        with tempfile.TemporaryDirectory() as place:
            try_store(LogStore.open(store), strangers, contexts, Path(place))
        return
    for people in sizes:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            synthesize(folder / "log.tsv", users=people, seed=LOG)
            try_store(import_log(folder / "log.tsv", folder / "store"), strangers, contexts, folder)


def speed(path: str) -> None:
    begun = time.process_time()
    graph = graph_of_store(LogStore.open(path))
    server = RecommendationServer(graph)
    server.prepare()
    made = time.process_time() - begun
    generator = np.random.default_rng(NOISE)
    asked = [graph.queries[i] for i in generator.integers(0, len(graph.queries), 200)]
    server.answer(asked[0])  # loads what is compiled
    taken = []
    for query in asked:
        begun = time.process_time()
        server.answer(query)
        taken.append(time.process_time() - begun)
    middle, late, worst = np.quantile(taken, [0.5, 0.95, 1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{len(graph.queries):,} queries, {graph.flow.nnz:,} edges, made in {made:.0f} CPU s; one answer: "
        f"median {1000 * middle:.1f} ms, 95 % {1000 * late:.1f} ms, worst {1000 * worst:.1f} ms of CPU; "
        f"peak {peak:.2f} GiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["curve", "speed"])
    parser.add_argument("store", nargs="?")
    parser.add_argument("--store", dest="log", help="the log to release from, instead of new ones")
    parser.add_argument("--people", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--contexts", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.what == "curve":
        curve(arguments.people, arguments.log, arguments.contexts)
    else:
        speed(arguments.store or "")


if __name__ == "__main__":
    main()
