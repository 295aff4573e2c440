"""Figures 6.10 to 6.12: recommendations from sanitised graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdlog.applications.recommendation.contexts import mix_contexts
from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.crowd import Crowd
from crowdlog.mechanisms.dp_u import DPu
from crowdlog.mechanisms.ft_a import FTa
from crowdlog.mechanisms.ft_u import FTu
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.plots import Point, bars
from crowdlog.reproduce.studies.feild_recommend import (
    SETUP,
    Recommender,
    contexts,
    of_mixed,
    raw_graph,
    released_graph,
)
from crowdlog.reproduce.studies.feild_release import DELTA, PAPER
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

RAW = "not sanitised"
EPSILON = 10  # of the thesis, "very high, but necessary"; as much again for counts
MIXED = 3  # queries of other tasks
MODELS = ("reference", "firm2")
MECHANISMS: dict[str, Mechanism] = {
    "FT_a, k = 2": FTa(k=2, artifact="pair"),
    "FT_a, k = 5": FTa(k=5, artifact="pair"),
    "FT_u, k = 2": FTu(k=2, artifact="pair"),
    "FT_u, k = 5": FTu(k=5, artifact="pair"),
    "DP_u, d = 4": DPu(epsilon=2 * EPSILON, delta=DELTA, d=4, artifact="pair"),
    "Crowd, ε = 2.3 (ours)": Crowd(epsilon=2.3, delta=1e-7),
}
Found = Mapping[str, Mapping[str, float]]


def run(bench: Bench) -> Result:
    found = bench.kept(["feild-figure-6.10", bench.seed], lambda: _measured(bench))
    columns = ["graph", "queries", "edges", *(f"MRR, {model}" for model in MODELS), "MRR with words, firm2"]
    keys = ("queries", "edges", *MODELS, "both")
    rows: list[list[Cell]] = [[name, *(values[key] for key in keys)] for name, values in found.items()]
    points = [
        Point(name, values[key], title)
        for name, values in found.items()
        for key, title in (("firm2", "walk alone"), ("both", "with word overlap"))
    ]
    panel = Panel(
        f"MRR from sanitised graphs, contexts with {MIXED} queries off task (Figures 6.10 to 6.12)",
        columns,
        rows,
        bars(points, x="graph", y="MRR"),
        "The thesis: FT_a k = 2 below .06, FT_u k = 2 below .05, k = 5 at most .01; DP_u d = 4 below .0014.",
    )
    return Result([panel], claims(found), SETUP)


def _measured(bench: Bench) -> dict[str, dict[str, float]]:
    rows = contexts(bench)
    mixed = of_mixed(rows, mix_contexts(rows, MIXED, 1, SEED))
    found = {RAW: _scores(raw_graph(bench), mixed)}
    for name, mechanism in bench.each(MECHANISMS.items()):
        found[name] = _scores(released_graph(bench, mechanism), mixed)
    return found


def _scores(graph: Any, rows: list[dict[str, Any]]) -> dict[str, float]:
    if graph is None:
        return dict.fromkeys(("queries", "edges", *MODELS, "both"), 0.0)
    walk, both = Recommender(graph), Recommender(graph, "both")
    return {
        "queries": len(graph.queries),
        "edges": int(graph.flow.nnz),
        **{model: float(np.mean(walk.ranks(rows, model))) for model in MODELS},
        "both": float(np.mean(both.ranks(rows, "firm2"))),
    }


def claims(found: Found) -> list[Claim]:
    raw = found[RAW]["firm2"]
    told = ", ".join(f"{name} {values['firm2']:.4f}" for name, values in found.items())
    return [
        Claim(
            "Sanitising costs most of what the walk is worth (less than half is left at FT_u k = 5).",
            found["FT_u, k = 5"]["firm2"] < raw / 2,
            told,
        ),
        Claim(
            "k = 5 keeps less than k = 2.",
            found["FT_u, k = 5"]["firm2"] < found["FT_u, k = 2"]["firm2"],
            told,
        ),
        Claim(
            "Differential privacy is practically useless for the walk (below a tenth, at ε = 10).",
            found["DP_u, d = 4"]["firm2"] < raw / 10,
            told,
        ),
    ]


STUDY = Study(
    "feild-figure-6.10", f"{PAPER}, Figures 6.10 to 6.12", "Recommendations from sanitised graphs", run
)
