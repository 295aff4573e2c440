"""Figures 5.10 to 5.12: levels of the tree, what is left of interests, and time (§5.4)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from crowdlog.measure.categories import query_categories
from crowdlog.measure.histories import PublishedHistories
from crowdlog.mechanisms import parse
from crowdlog.mechanisms.category_tree import WORDNET
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars, curves
from crowdlog.reproduce.shapes import falls
from crowdlog.reproduce.studies.erola_release import AS_PRINTED, PAPER, SETUP, own_histories, small_log
from crowdlog.reproduce.study import Claim, Panel, Result, Study
from crowdlog.utility.srp import LEVELS, remaining

KS = (2, 3, 4, 5)
CATEGORIES = (1, 5)
REACHED = 57.0  # % of queries that reach level 5
GAIN = 10.0  # points of SRP at level 5 and k = 5 for five categories
SLOWER = 3.0  # times, for five categories
WORDNETS = (
    "WordNet is deeper than the Open Directory (a noun lies 8 levels deep on the mean), so its first levels "
    "say less."
)


def run(bench: Bench) -> Result:
    reached = bench.kept(["erola-levels", small_log(bench).path.name], lambda: _reached(bench))
    found = {}
    for k, categories in bench.each([(k, c) for k in KS for c in CATEGORIES]):
        key = ["erola-srp", small_log(bench).path.name, k, categories]
        found[k, categories] = bench.kept(key, partial(_measured, bench, k, categories))
    return Result(
        [_levels(reached), *(_left(found, k) for k in KS), _times(found)],
        claims(reached, found),
        f"{SETUP} {WORDNETS}",
    )


def _reached(bench: Bench) -> list[float]:
    """The share of searches with a category at each level."""
    log = small_log(bench)
    tree, matrix = query_categories(log, WORDNET, 1)
    asked = own_histories(log).sum(axis=0)
    depth = np.array([tree.depth[matrix.indices[a:b]].max(initial=0) for a, b in _spans(matrix)])
    return [float(asked[depth >= level].sum() / asked.sum()) for level in range(1, 13)]


def _spans(matrix: Any) -> Any:
    return zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)


def _measured(bench: Bench, k: int, categories: int) -> dict[str, Any]:
    """SRP by level, and the CPU seconds that clusters take."""
    log = small_log(bench)
    mechanism = parse(f"OdpClusters(k={k}, categories={categories}, {AS_PRINTED})")
    begin = time.process_time()
    mechanism.clusters(log)  # type: ignore[attr-defined]
    seconds = time.process_time() - begin
    with bench.released(mechanism, log) as release:
        left = remaining(PublishedHistories(release, log), WORDNET)
    return {"srp": [float(of.mean()) for of in left.values()], "seconds": seconds}


def claims(reached: list[float], found: Mapping[tuple[int, int], Any]) -> list[Claim]:
    better = 100 * (found[5, 5]["srp"][4] - found[5, 1]["srp"][4])
    times = [found[k, 5]["seconds"] / max(found[k, 1]["seconds"], 1e-9) for k in KS]
    slower = sum(times) / len(times)
    return [
        Claim("Fewer queries reach deeper levels (Figure 5.10).", falls(reached), "they do not"),
        Claim(
            "At least half of the queries reach level 5 (57 % in the thesis).",
            reached[4] >= 0.5,
            f"{100 * reached[4]:.0f} % do",
        ),
        Claim(
            "More is left than 1/k at every level, with one category and with five (Figure 5.11).",
            all(min(of["srp"]) > 1 / k for (k, _c), of in found.items()),
            "not at all levels",
        ),
        Claim(
            "Less is left of larger clusters.",
            all(falls([found[k, c]["srp"][4] for k in KS]) for c in CATEGORIES),
            "not at every step",
        ),
        Claim(
            "At level 5 and k = 5 five categories leave about 10 points more than one.",
            better >= GAIN / 2,
            f"{better:+.1f} points: further senses of a word in WordNet are other meanings, while further "
            "categories of the Open Directory are other places of the same one",
        ),
        Claim(
            "Five categories take about three times as long as one (Figure 5.12; between 1.5 and 6).",
            SLOWER / 2 <= slower <= 2 * SLOWER,
            f"{slower:.1f} times: looking up words takes most of the time in both",
        ),
    ]


def _levels(reached: list[float]) -> Panel:
    printed = {5: REACHED}
    rows = [[i + 1, printed.get(i + 1), 100 * share] for i, share in enumerate(reached)]
    points = [Point(i + 1, 100 * share, "searches") for i, share in enumerate(reached)]
    points += [Point(5, REACHED, "searches", PRINTED)]
    return Panel(
        "Figure 5.10: searches that reach a level of the tree",
        ["level", "printed, %", "ours, %"],
        rows,
        curves(points, x="level", y="%"),
    )


def _left(found: Mapping[tuple[int, int], Any], k: int) -> Panel:
    rows = [
        [level, *(100 * found[k, c]["srp"][level - 1] for c in CATEGORIES)] for level in range(1, LEVELS + 1)
    ]
    points = [
        Point(row[0], row[1 + i], f"{c} {'category' if c == 1 else 'categories'}")
        for row in rows
        for i, c in enumerate(CATEGORIES)
    ]
    points += [Point(level, 100 / k, "1/k") for level in range(1, LEVELS + 1)]
    columns = ["level", "1 category, %", "5 categories, %"]
    return Panel(
        f"Figure 5.11, k = {k}: interests left", columns, rows, curves(points, x="level", y="SRP, %")
    )


def _times(found: Mapping[tuple[int, int], Any]) -> Panel:
    rows = [[k, *(found[k, c]["seconds"] for c in CATEGORIES)] for k in KS]
    points = [
        Point(f"k = {row[0]}", row[1 + i], f"{c} per word") for row in rows for i, c in enumerate(CATEGORIES)
    ]
    columns = ["k", "1 category, CPU s", "5 categories, CPU s"]
    return Panel("Figure 5.12: time to find clusters", columns, rows, bars(points, x="k", y="CPU seconds"))


STUDY = Study(
    "erola-figure-5.10",
    f"{PAPER}, Figures 5.10 to 5.12",
    "Microaggregation by a directory: levels, interests left, time, with one and with five categories",
    run,
)
