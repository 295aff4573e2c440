"""§5.5.2.3, Figures 5.13 to 5.19: all methods compared by what they lose and what they give away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from crowdlog.measure.log_arrays import Impressions
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import falls
from crowdlog.reproduce.studies.erola_release import (
    METHODS,
    PAPER,
    SETUP,
    Numbers,
    numbers,
    numbers_of,
    own_histories,
    small_log,
)
from crowdlog.reproduce.study import Claim, Panel, Result, Study

KS = (2, 3, 5, 7)
DS = (1, 5, 20)  # of Korolova et al.
SITES = (1, 2)  # K of Poblete et al., in sites that were clicked
EPSILON, DELTA = math.log(10), 1e-5
FIGURES = {
    "5.13": "IL",
    "5.14": "query frequencies",
    "5.15": "category frequencies",
    "5.16": "RL",
    "5.17": "RL of categories",
    "5.18": "PEL",
    "5.19": "PEL of categories",
}
NOTE = (
    "Poblete's parameter counts sites that were clicked, because a log has no numbers of results. Korolova's "
    "selected queries stay in everybody's history and the others are removed, as the thesis has it; "
    "ε = ln 10, δ = 10⁻⁵. PEL is as printed: it can be above 100 % of who keeps her rare queries alone "
    "(docs/attacks.md)."
)
Found = Mapping[str, Mapping[int, Numbers]]
AGGREGATING = ("semantic", "ODP", "syntactic", "no semantics")  # from the least loss to the most


def run(bench: Bench) -> Result:
    found: dict[str, dict[int, Numbers]] = {}
    for name, k in bench.each([(name, k) for name in METHODS for k in KS]):
        found.setdefault(name, {})[k] = numbers(bench, METHODS[name].format(k=k))
    found["Poblete"] = {K: numbers(bench, f"Poblete(k=1, K={K})") for K in bench.each(SITES)}
    key = ["erola-korolova", small_log(bench).path.name]
    found["Korolova"] = {d: bench.kept([*key, d], partial(_korolova, bench, d)) for d in bench.each(DS)}
    panels = [_panel(figure, name, found) for figure, name in FIGURES.items()]
    return Result([*panels, _removals(found)], claims(found), f"{SETUP} {NOTE}")


def _korolova(bench: Bench, d: int) -> Numbers:
    """Histories without the queries that are not selected."""
    log = small_log(bench)
    mechanism = parse(f"Korolova(epsilon={EPSILON!r}, delta={DELTA!r}, d={d})")
    selected = mechanism.protect(log, SeededRandomness(SEED)).tables["queries"]["query"]
    own = own_histories(log)
    kept = np.zeros(own.shape[1], np.int64)
    kept[Impressions(log).texts.find(selected)] = 1
    shown = _scaled(own, kept)
    removed = 1 - float(shown.sum()) / float(own.sum())
    return numbers_of(own, shown, log) | {"removed": removed}


def _scaled(own: Any, kept: Any) -> Any:
    from scipy.sparse import diags_array

    shown = (own @ diags_array(kept, dtype=np.int64)).tocsr()
    shown.eliminate_zeros()
    return shown


def claims(found: Found) -> list[Claim]:
    return [*_of_loss(found), *_of_frequencies(found), *_of_exposure(found)]


def _of_loss(found: Found) -> list[Claim]:
    il = {name: [100 * found[name][k]["IL"] for k in KS] for name in AGGREGATING}
    rows = list(zip(*il.values(), strict=True))
    d = found["Korolova"]
    told = "; ".join(
        f"k = {k}: " + ", ".join(f"{name} {il[name][i]:.0f} %" for name in AGGREGATING)
        for i, k in enumerate(KS)
    )
    return [
        Claim(
            "Information loss: semantic < ODP < syntactic < no semantics, for every k (Figure 5.13).",
            all(list(row) == sorted(row) and row[0] < row[-1] for row in rows),
            told,
        ),
        Claim(
            "The semantic method loses least for every k.",
            all(row[0] == min(row) for row in rows),
            told,
        ),
        Claim(
            "Of aggregating methods, that without semantics loses most on the mean of all k.",
            max(il, key=lambda name: sum(il[name])) == "no semantics",
            told,
        ),
        Claim(
            "Korolova's removal loses more than every aggregating method.",
            d[1]["IL"] > max(found[name][k]["IL"] for name in AGGREGATING for k in KS),
            f"{100 * d[1]['IL']:.0f} % at d = 1",
        ),
        Claim(
            "Korolova's method removes 88 % of queries and more.",
            d[1]["removed"] >= 0.85,
            f"{100 * d[1]['removed']:.0f} % at d = 1",
        ),
        Claim(
            "It empties 46 % of histories at d = 1 and more at d = 5 (65 %).",
            0.3 <= d[1]["empty"] <= d[5]["empty"],
            f"{100 * d[1]['empty']:.0f} % and {100 * d[5]['empty']:.0f} %",
        ),
    ]


def _of_frequencies(found: Found) -> list[Claim]:
    best = {k: max(AGGREGATING, key=lambda name: found[name][k]["category frequencies"]) for k in KS}
    queries = {name: _mean(found[name], "query frequencies") for name in (*AGGREGATING, "Poblete")}
    return [
        Claim(
            "Frequencies of queries: Poblete keeps them best, then the syntactic method (Figure 5.14).",
            sorted(queries, key=lambda name: -queries[name])[:2] == ["Poblete", "syntactic"],
            ", ".join(f"{name} {100 * value:.0f} %" for name, value in queries.items()),
        ),
        Claim(
            "Frequencies of categories: the semantic method is the best of the aggregating (Figure 5.15).",
            all(name == "semantic" for name in best.values()),
            ", ".join(f"{name} at k = {k}" for k, name in best.items()),
        ),
    ]


def _of_exposure(found: Found) -> list[Claim]:
    linked = {name: _mean(found[name], "RL of categories") for name in AGGREGATING}
    return [
        Claim(
            "Linkage by categories is lowest for the semantic method (Figure 5.17: 'significantly better').",
            min(linked, key=lambda name: linked[name]) == "semantic",
            ", ".join(f"{name} {100 * value:.0f} %" for name, value in linked.items()),
        ),
        Claim(
            "The exposure of aggregating methods is near 1/k (within 5 points; Figure 5.18).",
            all(abs(100 * found[name][k]["PEL"] - 100 / k) <= 5 for name in AGGREGATING for k in KS),
            "the semantic operator draws queries of the whole log, so it exposes less: "
            + ", ".join(f"{100 * found['semantic'][k]['PEL']:.0f} % at k = {k}" for k in KS),
        ),
        Claim(
            "The exposure falls as k grows, with every aggregating method.",
            all(falls([found[name][k]["PEL"] for k in KS]) for name in AGGREGATING),
            "not at every step",
        ),
        Claim(
            "Poblete's method exposes more than any aggregating method (93 to 95 % of categories).",
            found["Poblete"][1]["PEL of categories"]
            > max(found[name][k]["PEL of categories"] for name in AGGREGATING for k in KS),
            f"{100 * found['Poblete'][1]['PEL of categories']:.0f} %",
        ),
    ]


def _mean(of: Mapping[int, Numbers], name: str) -> float:
    return sum(each[name] for each in of.values()) / len(of)


def _panel(figure: str, name: str, found: Found) -> Panel:
    rows = [[k, *(100 * found[method][k][name] for method in METHODS)] for k in KS]
    points = [Point(row[0], row[1 + i], method) for row in rows for i, method in enumerate(METHODS)]
    note = "The thesis prints curves, no values." if figure != "5.13" else "80 clusters in the thesis."
    return Panel(
        f"Figure {figure}: {name}", ["k", *(f"{method}, %" for method in METHODS)], rows,
        curves(points, x="k", y=f"{name}, %"), note,
    )  # fmt: skip


def _removals(found: Found) -> Panel:
    shown = (
        "IL",
        "query frequencies",
        "category frequencies",
        "RL",
        "RL of categories",
        "PEL",
        "PEL of categories",
    )
    rows: list[list[str | float]] = []
    for method, letter in (("Korolova", "d"), ("Poblete", "K")):
        for value, of in found[method].items():
            rows.append(
                [f"{method}, {letter} = {value}", 100 * of["empty"], *(100 * of[name] for name in shown)]
            )
    columns = ["method", "histories emptied, %", *(f"{name}, %" for name in shown)]
    return Panel("Methods that remove queries", columns, rows)


STUDY = Study(
    "erola-comparison",
    f"{PAPER}, §5.5.2.3, Figures 5.13 to 5.19",
    "Methods of microaggregation and of removal, compared",
    run,
)
