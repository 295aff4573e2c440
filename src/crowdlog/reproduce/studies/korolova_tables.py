"""What Tables 2 and 3 share: releases of one week with d = 21 for nine pairs of ε and δ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.shapes import rises
from crowdlog.reproduce.studies.korolova_release import WEEK, release
from crowdlog.reproduce.study import Cell, Panel

D = 21
EXPONENTIALS = (2, 5, 10)  # e^ε
DELTAS = (1e-6, 1e-5, 1e-4)
# a small log releases a handful of queries: the mean of two draws of the noise for each of five votes
DRAWS = 2
MEAN = "Ours is the mean of ten releases with different noise, two for each vote."
Grid = Mapping[tuple[int, float], float]


def nine(bench: Bench, value: Callable[[Coverage], float]) -> dict[tuple[int, float], float]:
    """The mean percent for each (e^ε, δ)."""
    week = bench.days(0, WEEK)
    cells = [(e, delta) for e in EXPONENTIALS for delta in DELTAS]
    return {
        (e, delta): sum(
            100 * value(bench.coverage(release(D, math.log(e), delta), week, draw)) for draw in range(DRAWS)
        )
        / DRAWS
        for e, delta in bench.each(cells)
    }


def grid_panel(title: str, what: str, ours: Grid, printed: Sequence[Sequence[float]]) -> Panel:
    """`printed`: rows by δ, columns by ε, as in the paper."""
    theirs = {(e, delta): printed[j][i] for i, e in enumerate(EXPONENTIALS) for j, delta in enumerate(DELTAS)}
    rows: list[list[Cell]] = [
        [_power(delta), f"ln {e}", theirs[e, delta], ours[e, delta]] for e, delta in ours
    ]
    points = [
        Point(_power(delta), values[e, delta], f"ε = ln {e}", who)
        for who, values in ((PRINTED, theirs), ("ours", ours))
        for e, delta in ours
    ]
    return Panel(
        title,
        ["δ", "ε", f"{what}, printed", f"{what}, ours"],
        rows,
        bars(points, x="δ", y=what, log_y=True),
        MEAN,
    )


def _power(delta: float) -> str:
    return f"10{str(round(math.log10(delta))).translate(str.maketrans('-456', '⁻⁴⁵⁶'))}"


def rises_with_epsilon(grid: Grid) -> bool:
    return all(rises([grid[e, delta] for e in EXPONENTIALS]) for delta in DELTAS)


def rises_with_delta(grid: Grid) -> bool:
    return all(rises([grid[e, delta] for delta in DELTAS]) for e in EXPONENTIALS)


def gains(grid: Grid) -> list[float]:
    """For each ε the relative increase from the smallest δ to the largest, where the smallest releases
    anything.
    """
    return [grid[e, DELTAS[-1]] / grid[e, DELTAS[0]] for e in EXPONENTIALS if grid[e, DELTAS[0]] > 0]
