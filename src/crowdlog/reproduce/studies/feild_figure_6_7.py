"""Figures 6.7 to 6.9: what a context on task, off task and mixed does to recommendations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdlog.applications.recommendation.contexts import mix_contexts, off_task_contexts
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.feild_recommend import (
    DRAWS,
    SETUP,
    Recommender,
    contexts,
    of_mixed,
    raw_graph,
)
from crowdlog.reproduce.studies.feild_release import PAPER
from crowdlog.reproduce.study import Claim, Panel, Result, Study

LENGTHS = (1, 2, 3, 4)  # m, the most recent queries
NOISE = (0, 1, 2, 3, 5)  # R, queries of other tasks
MODELS = ("reference", "decay", "soft", "hard", "firm1", "firm2")
Curve = Sequence[float]


def run(bench: Bench) -> Result:
    found = bench.kept(["feild-figure-6.7"], lambda: _measured(bench))  # without noise: once for all runs
    by_length, by_noise = found["length"], found["noise"]
    panels = [
        _panel("MRR by context (Figure 6.7)", "m, last queries of the context", LENGTHS, by_length),
        Panel(
            "Tasks that context changes (Figure 6.8)",
            ["context", "helped", "hurt", "unchanged"],
            [[name, *found["changed"][name]] for name in ("on task", "off task")],
        ),
        _panel("MRR by queries of other tasks (Figure 6.9)", "R, queries off task", NOISE, by_noise),
        Panel(
            "Walk, words and both, at R = 0 with firm2 (ours)",
            ["source", "MRR"],
            [[name, value] for name, value in found["source"].items()],
        ),
    ]
    return Result(panels, claims(found), SETUP)


def _measured(bench: Bench) -> dict[str, Any]:
    rows = contexts(bench)
    graph = raw_graph(bench)
    walk = Recommender(graph)
    on = [walk.ranks([_last(row, m) for row in rows], "decay") for m in LENGTHS]
    off = [_off_task(walk, rows, m - 1) for m in LENGTHS]
    noise: dict[str, list[float]] = {name: [] for name in MODELS}
    for r in bench.each(NOISE):
        mixed = of_mixed(rows, mix_contexts(rows, r, DRAWS if r else 1, SEED))
        for name in MODELS:
            noise[name].append(float(np.mean(walk.ranks(mixed, name))))
    return {
        "length": {
            "on task": [float(np.mean(values)) for values in on],
            "off task": [float(np.mean(values)) for values in off],
            "reference": [float(np.mean(on[0]))] * len(LENGTHS),
        },
        "changed": {"on task": _changed(on[0], on[-1]), "off task": _changed(on[0], off[-1])},
        "noise": noise,
        "source": {
            name: float(np.mean(Recommender(graph, name).ranks(rows, "firm2")))
            for name in ("walk", "overlap", "both")
        },
    }


def _last(row: dict[str, Any], m: int) -> dict[str, Any]:
    return {**row, "context": row["context"][-m:], "sametask": row["sametask"][-m:]}


def _off_task(walk: Recommender, rows: list[dict[str, Any]], off: int) -> list[float]:
    """For each task the mean over the draws."""
    mixed = of_mixed(rows, off_task_contexts(rows, off, DRAWS, SEED))
    ranks = np.array(walk.ranks(mixed, "decay")).reshape(len(rows), DRAWS)
    means: list[float] = ranks.mean(axis=1).tolist()
    return means


def _changed(before: Curve, after: Curve) -> list[int]:
    change = np.array(after) - np.array(before)
    return [int((change > 1e-9).sum()), int((change < -1e-9).sum()), int((np.abs(change) <= 1e-9).sum())]


def _panel(title: str, x: str, places: Sequence[int], of: Mapping[str, Curve]) -> Panel:
    points = [Point(at, y, name) for name, values in of.items() for at, y in zip(places, values, strict=True)]
    rows = [[at, *(values[i] for values in of.values())] for i, at in enumerate(places)]
    return Panel(title, [x, *of], rows, curves(points, x=x, y="MRR"), "The thesis prints no values.")


def claims(found: Mapping[str, Any]) -> list[Claim]:
    length, noise = found["length"], found["noise"]
    last = {name: values[-1] for name, values in noise.items()}
    told = ", ".join(f"{name} {value:.4f}" for name, value in last.items())
    helped, hurt, _same = found["changed"]["on task"]
    return [
        Claim(
            "Context on task is better than the reference query alone.",
            length["on task"][-1] > length["reference"][-1],
            f"{length['on task'][-1]:.4f} against {length['reference'][-1]:.4f}",
        ),
        Claim(
            "Context off task is worse than the reference query alone.",
            length["off task"][-1] < length["reference"][-1],
            f"{length['off task'][-1]:.4f} against {length['reference'][-1]:.4f}",
        ),
        Claim("Context on task helps more tasks than it hurts.", helped > hurt, f"{helped} and {hurt}"),
        Claim(
            "With much noise the firm and hard models are above the reference alone, decay below.",
            min(last["firm1"], last["firm2"], last["hard"]) >= last["reference"] > last["decay"],
            told,
        ),
        Claim(
            "Decay falls below the reference query with a single strange query.",
            noise["decay"][1] < noise["reference"][1],
            f"{noise['decay'][1]:.4f} against {noise['reference'][1]:.4f}",
        ),
        Claim(
            "The graph adds to plain word overlap (ours).",
            found["source"]["both"] > found["source"]["overlap"],
            ", ".join(f"{name} {value:.4f}" for name, value in found["source"].items()),
        ),
    ]


STUDY = Study(
    "feild-figure-6.7", f"{PAPER}, Figures 6.7 to 6.9", "Recommendations from contexts on and off task", run
)
