"""Table 5: how many keywords for a concept the released click graph yields, against the original one (§7.2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdlog.mechanisms.korolova import Korolova
from crowdlog.release.folder import Release
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.shapes import falls
from crowdlog.reproduce.studies.korolova_concepts import CONCEPTS, concept_urls
from crowdlog.reproduce.studies.korolova_release import DELTA, LN10, PAPER
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study
from crowdlog.utility.context import Settings, Truth
from crowdlog.utility.keywords import THRESHOLDS, relevance
from crowdlog.utility.released import read_release
from crowdlog.utility.tables import SHIFT, Counted

D, CLICK_NOISE, PRUNED = 21, 0.43, 10  # d, b_c and "pruned all query-URL pairs with less than 10 clicks in both graphs"
# Table 5: keywords at relevance 0.5, 0.7, 0.9, 0.95.
RELEASED = {"colleges": (3_667, 2_403, 1_337, 883), "shoes": (2_733, 1_620, 448, 248), "suicide": (175, 116, 50, 39)}
ORIGINAL = {"colleges": (28_346, 17_103, 8_287, 6_373), "shoes": (19_669, 8_418, 1_800, 1_047), "suicide": (3_945, 2_517, 806, 525)}
OVERLAP = {"colleges": 78, "shoes": 93, "suicide": 99}  # %, in words; 78 is the least of the three ("more than 78%")
QUERIES, EDGES = 9.85, 20.43  # % of the original graph that the released one has
SETUP = (
    "The paper's log is of one year, ours of three months. Queries are chosen with ε = ln 10, δ = 10⁻⁵, d = 21; click counts get noise of scale 0.43 "
    "and every clicked URL of a shown query appears, as in the paper's experiment: that step is not private. "
    "The paper's seeds are real sites (shoes.com, ten universities, six sites on depression and suicide); ours are as many sites of our log's topic."
)
Keywords = Mapping[str, Sequence[Mapping[str, int]]]  # for each concept and relevance: released, original, both


def mechanism() -> Korolova:
    """ln 10 on the selection, as much on the counts of queries, and what a noise of 0.43 on 21 clicks costs on the clicks."""
    clicks = D / CLICK_NOISE
    return Korolova(2 * LN10 + clicks, DELTA, D, urls="top-clicked", weight_select=LN10, weight_counts=LN10, weight_clicks=clicks)


def run(bench: Bench) -> Result:
    found = bench.kept(["keywords", repr(mechanism())], lambda: measured(bench))
    keywords: Keywords = found["keywords"]
    graph = [["queries", QUERIES, found["queries"]], ["query–URL edges", EDGES, found["edges"]]]
    panels = [*_panels(keywords), Panel("What the released graph has of the original one", ["% of", "printed", "ours"], graph)]
    return Result(panels, claims(keywords, found["queries"], found["edges"]), SETUP)


def measured(bench: Bench) -> dict[str, Any]:
    """Keywords of both graphs at each relevance, and how much smaller the released graph is."""
    truth = bench.truth(bench.log)
    with bench.released(mechanism(), bench.log) as release:
        shown = _clicks(release, truth)
    original, released = pruned(truth.table("clicks")), pruned(shown)
    marked = concept_urls(bench, original)
    sizes = truth.sizes
    ours, theirs = (relevance(table.matrix(sizes), marked) for table in (released, original))
    keywords = {
        concept: [
            {"released": int((a := ours[:, i] >= t).sum()), "original": int((b := theirs[:, i] >= t).sum()), "both": int((a & b).sum())}
            for t in bench.each(THRESHOLDS)
        ]
        for i, concept in enumerate(CONCEPTS)
    }
    queries = [len(np.unique(table.key // SHIFT)) for table in (released, original)]
    return {"keywords": keywords, "queries": _percent(*queries), "edges": _percent(len(released), len(original))}


def _clicks(release: Release, truth: Truth) -> Counted:
    """The released click counts; none where nothing is released, which cannot be read as a release."""
    if not release.label["crowdlog"]["tables"]["clicks"]:
        return Counted(np.zeros(0, np.int64), np.zeros(0))
    found = read_release(release, truth.vocabulary, Settings().session_minutes).clicks
    if found is None:
        raise TypeError("a release without a table of clicks")
    return found


def pruned(clicks: Counted) -> Counted:
    """Only edges of at least ten clicks."""
    kept = clicks.count >= PRUNED
    return Counted(clicks.key[kept], clicks.count[kept])


def claims(keywords: Keywords, queries: float, edges: float) -> list[Claim]:
    every = [row for rows in keywords.values() for row in rows]
    few = "our released graph has too few edges of ten clicks"
    some = {concept: rows[0]["released"] for concept, rows in keywords.items()}
    none = f"{few}: keywords at relevance 0.5 are {', '.join(f'{name} {n}' for name, n in some.items())}"
    overlaps = {concept: _percent(rows[0]["both"], rows[0]["released"]) for concept, rows in keywords.items()}
    fewer = all(falls([row[which] for row in rows]) for rows in keywords.values() for which in ("released", "original"))
    return [
        Claim("From the released graph come keywords for each concept.", all(some.values()), none),
        Claim("They are fewer than from the original graph.", all(0 < row["released"] < row["original"] for row in every), none),
        Claim("The higher the relevance asked for, the fewer keywords.", fewer, none),
        Claim(
            "More than 78 % of the released graph's keywords are also the original graph's.",
            all(overlap > 78 for overlap in overlaps.values()),
            ", ".join(f"{name} {overlap:.0f} %" for name, overlap in overlaps.items()),
        ),
        Claim("The released graph has a larger share of the edges than of the queries.", edges > queries, f"{edges:.1f} % and {queries:.1f} %"),
    ]


def _panels(keywords: Keywords) -> list[Panel]:
    rows: list[list[Cell]] = []
    points = []
    for concept, of in keywords.items():
        for i, threshold in enumerate(THRESHOLDS):
            row, share = of[i], _percent(RELEASED[concept][i], ORIGINAL[concept][i])
            rows.append([concept, threshold, RELEASED[concept][i], ORIGINAL[concept][i], share])
            rows[-1] += [row["released"], row["original"], _percent(row["released"], row["original"])]
            points += [Point(str(threshold), share, concept, PRINTED), Point(str(threshold), rows[-1][-1], concept)]  # type: ignore[arg-type]
    columns = ["concept", "relevance", *(f"{what}, {who}" for who in ("printed", "ours") for what in ("released", "original", "released/original %"))]
    chart = bars(points, x="relevance", y="released, % of original")
    same: list[list[Cell]] = [[name, OVERLAP[name], _percent(of[0]["both"], of[0]["released"])] for name, of in keywords.items()]
    note = "The paper says 'more than 78%' of all three, 93% of shoes and 99% of suicide, without a relevance; ours is at 0.5."
    return [
        Panel("Keywords", columns, rows, chart),
        Panel("Keywords of the released graph that the original graph yields, too", ["concept", "%, printed", "%, ours"], same, None, note),
    ]


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


STUDY = Study("korolova-table-5", f"{PAPER}, Table 5 and §7.2.2", "Advertising keywords from the released click graph", run)
