"""Table 5: how many keywords for a concept the released click graph yields, against the original one
(§7.2.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.shapes import falls
from crowdlog.reproduce.studies.korolova_concepts import CONCEPTS
from crowdlog.reproduce.studies.korolova_keywords import AS_PRINTED, SAME_PART, keywords, percent
from crowdlog.reproduce.studies.korolova_release import PAPER
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study
from crowdlog.utility.keywords import THRESHOLDS

# Table 5: keywords at relevance 0.5, 0.7, 0.9, 0.95.
RELEASED = {
    "colleges": (3_667, 2_403, 1_337, 883),
    "shoes": (2_733, 1_620, 448, 248),
    "suicide": (175, 116, 50, 39),
}
ORIGINAL = {
    "colleges": (28_346, 17_103, 8_287, 6_373),
    "shoes": (19_669, 8_418, 1_800, 1_047),
    "suicide": (3_945, 2_517, 806, 525),
}
OVERLAP = {"colleges": "more than 78", "shoes": "93", "suicide": "99"}  # %, in words
QUERIES, EDGES = 9.85, 20.43  # % of the original graph that the released one has
SETUP = (
    "The paper's log is of one year, its seeds are real sites (shoes.com, ten universities, six sites on "
    "depression and suicide); "
    "ours are as many sites of the topics of our log. Every clicked URL of a shown query appears, as in the "
    "paper's experiment: that is not private. "
    "With the paper's parameters (d = 21, ε = ln 10, edges of at least ten clicks) a small log yields next "
    "to nothing. "
    "So the statements are asked of a release that shows about the same part of the graph as the paper's: d "
    "= 5, a threshold of 5, edges of at least "
    "three clicks. That choice was made after the first result had been seen, and its ε = 60 protects nobody."
)
# for each concept and relevance: released, original, both
Keywords = Mapping[str, Sequence[Mapping[str, int]]]


def run(bench: Bench) -> Result:
    ours, printed = (keywords(bench, setting) for setting in bench.each((SAME_PART, AS_PRINTED)))
    graph: list[list[Cell]] = [
        ["queries", QUERIES, ours["queries"], printed["queries"]],
        ["query–URL edges", EDGES, ours["edges"], printed["edges"]],
    ]
    columns = ["% of the original graph's", "printed", "ours", "ours, the paper's parameters"]
    panels = [
        *_panels(ours["keywords"], printed["keywords"]),
        Panel("What the released graph has of the original one", columns, graph),
    ]
    return Result(panels, claims(ours["keywords"], ours["queries"], ours["edges"]), SETUP)


def claims(found: Keywords, queries: float, edges: float) -> list[Claim]:
    every = [row for rows in found.values() for row in rows]
    numbers = "; ".join(
        f"{concept} {', '.join(str(row['released']) for row in rows)}" for concept, rows in found.items()
    )
    few = f"keywords released: {numbers}"
    overlaps = {concept: percent(rows[0]["both"], rows[0]["released"]) for concept, rows in found.items()}
    shares = ", ".join(
        f"{name} {overlap:.0f} % of {found[name][0]['released']}" for name, overlap in overlaps.items()
    )
    fewer = all(
        falls([row[which] for row in rows]) for rows in found.values() for which in ("released", "original")
    )
    return [
        Claim(
            "From the released graph come keywords for each concept.",
            all(row["released"] > 0 for row in every),
            few,
        ),
        Claim(
            "They are fewer than from the original graph.",
            all(0 < row["released"] < row["original"] for row in every),
            few,
        ),
        Claim("The higher the relevance asked for, the fewer keywords.", fewer, few),
        Claim(
            "More than 78 % of the released graph's keywords are also the original graph's.",
            min(overlaps.values()) > 78,
            shares,
        ),
        Claim(
            "The released graph has a larger share of the edges than of the queries.",
            edges > queries,
            f"{edges:.1f} % and {queries:.1f} %",
        ),
    ]


def _panels(ours: Keywords, printed: Keywords) -> list[Panel]:
    rows: list[list[Cell]] = []
    points = []
    for concept in CONCEPTS:
        for i, threshold in enumerate(THRESHOLDS):
            row, small = ours[concept][i], printed[concept][i]
            theirs, share = (
                percent(RELEASED[concept][i], ORIGINAL[concept][i]),
                percent(row["released"], row["original"]),
            )
            rows.append(
                [
                    concept,
                    threshold,
                    RELEASED[concept][i],
                    ORIGINAL[concept][i],
                    theirs,
                    row["released"],
                    row["original"],
                    share,
                ]
            )
            rows[-1] += [small["released"], small["original"]]
            points += [Point(str(threshold), theirs, concept, PRINTED), Point(str(threshold), share, concept)]
    columns = [
        "concept",
        "relevance",
        *(
            f"{what}, {who}"
            for who in ("printed", "ours")
            for what in ("released", "original", "% of original")
        ),
    ]
    columns += [f"{what}, the paper's parameters" for what in ("released", "original")]
    same: list[list[Cell]] = [
        [name, OVERLAP[name], percent(of[0]["both"], of[0]["released"]), of[0]["released"]]
        for name, of in ours.items()
    ]
    note = "The paper gives these shares in words, without a relevance; ours are at 0.5."
    return [
        Panel("Keywords", columns, rows, bars(points, x="relevance", y="released, % of original")),
        Panel(
            "Keywords of the released graph that the original graph yields, too",
            ["concept", "%, printed", "%, ours", "of"],
            same,
            None,
            note,
        ),
    ]


STUDY = Study(
    "korolova-table-5",
    f"{PAPER}, Table 5 and §7.2.2",
    "Advertising keywords from the released click graph",
    run,
)
