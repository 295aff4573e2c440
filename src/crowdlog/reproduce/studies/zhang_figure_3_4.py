"""Figure 3.4: three retrieval algorithms on the original and on the released log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, bars
from crowdlog.reproduce.studies.zhang_clicks import MODELS, SETUP, TRAP, a_click, searched
from crowdlog.reproduce.studies.zhang_effectiveness import Q_F, SCALED, B, K
from crowdlog.reproduce.studies.zhang_held_out import PAPER, score_of
from crowdlog.reproduce.study import Claim, Panel, Result, Study

METRICS = {"nDCG@10": "nDCG@10", "AP@100": "MAP"}  # ours: the paper's name
COMPARABLE = 0.05  # "comparable": relative, our reading
LOGS = {"original": "original_on_common", "released": "released_on_common"}


def run(bench: Bench) -> Result:
    found = searched(bench, a_click(bench, Q_F, B, K))
    ours = {
        (model, metric): score_of(found, f"adhoc:{model}:{metric}") for model in MODELS for metric in METRICS
    }
    points = [
        Point(f"{model}, {log}", score[key], METRICS[metric])
        for (model, metric), score in ours.items()
        for log, key in LOGS.items()
    ]
    rows = [
        [model, METRICS[metric], *(score[key] for key in LOGS.values()), score["common"]]
        for (model, metric), score in ours.items()
    ]
    columns = ["algorithm", "score", "original", "released", "searches that both answer"]
    note = f"The figure's values are only drawn in the paper. {TRAP}"
    panel = Panel("Before and after", columns, rows, bars(points, x="", y="score"), note)
    return Result([panel], claims(ours), SETUP + SCALED)


def claims(ours: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Claim]:
    return [
        Claim(
            f"With {model} the released log is comparable to the original (within {COMPARABLE:.0%}, on what "
            "both answer).",
            all(_comparable(ours[model, metric]) for metric in METRICS),
            ", ".join(
                f"{name} {ours[model, metric]['released_on_common'] or 0:.3f} against "
                f"{ours[model, metric]['original_on_common'] or 0:.3f}"
                for metric, name in METRICS.items()
            ),
        )
        for model in MODELS
    ]


def _comparable(score: Mapping[str, Any]) -> bool:
    ours, original = score["released_on_common"], score["original_on_common"]
    return bool(ours is not None and original and abs(ours - original) <= COMPARABLE * original)


STUDY = Study("zhang-figure-3.4", f"{PAPER}, Figure 3.4", "Retrieval before and after: three algorithms", run)
