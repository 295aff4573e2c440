"""What Figures 3.5, 3.6 and 3.8 share: 25 releases, five thresholds K by five scales b of the noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies.zhang_clicks import a_click, searched
from crowdlog.reproduce.studies.zhang_held_out import score_of

KS = (10, 30, 50, 100, 500)  # "K ranging from 10 to 500"; 10, 30, 50, 100 and 500 are named
BS = (2, 5, 10, 20, 50)  # only drawn in the paper
Q_F = 10  # not printed
USED = ("IF", "RW")
HERE = (
    f" The paper prints neither q_f nor the values of b: q_f = c_f = {Q_F} and b = "
    f"{', '.join(map(str, BS))} here."
)
Grid = Mapping[tuple[int, int], Mapping[str, Mapping[str, Any]]]  # K, b: by algorithm


def grid(bench: Bench) -> Grid:
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for k, b in bench.each([(k, b) for k in KS for b in BS]):
        scores = searched(bench, a_click(bench, Q_F, b, k), USED)
        found[k, b] = {model: score_of(scores, f"adhoc:{model}:nDCG@10") for model in USED}
    return found


def utility(cell: Mapping[str, Mapping[str, Any]]) -> float | None:
    """The mean of both algorithms, as the paper averages."""
    values = [score["value"] for score in cell.values() if score["value"] is not None]
    return sum(values) / len(values) if len(values) == len(USED) else None


def curve(found: Grid, k: int) -> dict[int, float]:
    """By b, where the release answers anything."""
    return {b: value for b in BS if (value := utility(found[k, b])) is not None}
