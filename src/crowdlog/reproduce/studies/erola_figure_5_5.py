"""Figures 5.5 and 5.6: do users group as before, by k-means, after syntactic microaggregation?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crowdlog.measure.draws import generator
from crowdlog.measure.histories import PublishedHistories
from crowdlog.mechanisms import parse
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.shapes import falls, rises
from crowdlog.reproduce.studies.erola_release import METHODS, PAPER, SETUP, small_log
from crowdlog.reproduce.study import Claim, Panel, Result, Study
from crowdlog.utility.kmeans import groups, indexes, syntactic_pair

KS = (3, 5, 10, 20, 30, 50)
GROUPS = (2, 5, 10, 20, 40, 60)  # κ; the thesis goes to 500 of 1,000 users
USERS = 120  # the same share of groups, and an eighth of the users: k-means costs users × groups
NOTE = f"k-means of {USERS} of the users, 3 rounds, the same first middles in the log and in the release."
Found = Mapping[int, Mapping[int, tuple[float, float]]]  # k, κ: Rand and Jaccard index


def run(bench: Bench) -> Result:
    ks = [k for k in KS if 2 * k <= bench.users]
    found = {
        k: {int(g): (rand, jaccard) for g, (rand, jaccard) in _indexes(bench, k).items()}
        for k in bench.each(ks)
    }
    panels = [
        _panel("Figure 5.5: Rand index", found, 0),
        _panel("Figure 5.5: Jaccard index", found, 1),
        _difference(found),
    ]
    return Result(panels, claims(found), f"{SETUP} {NOTE}")


def _indexes(bench: Bench, k: int) -> Any:
    def make() -> dict[str, list[float]]:
        log = small_log(bench)
        with bench.released(parse(METHODS["syntactic"].format(k=k)), log) as release:
            histories = PublishedHistories(release, log)
            users = histories.users(USERS, SEED)
            own, shown = syntactic_pair(histories, users)
            order = generator(SEED).permutation(len(users))
            return {
                str(number): list(indexes(groups(own, order[:number]), groups(shown, order[:number])))
                for number in GROUPS
                if number <= len(users) // 2
            }

    return bench.kept(["erola-kmeans", small_log(bench).path.name, k, USERS, list(GROUPS)], make)


def claims(found: Found) -> list[Claim]:
    least, most = min(found), max(found)
    rand = [found[least][g][0] for g in found[least]]
    apart = [[abs(found[least][g][i] - found[most][g][i]) for g in found[least]] for i in (0, 1)]
    spread = max(
        max(of[g][0] for of in found.values()) - min(of[g][0] for of in found.values())
        for g in found[least]
        if g >= 10
    )
    return [
        Claim(
            "With more groups the Rand index comes nearer to 1.",
            rises([rand[0], rand[-1]]),
            "it does not",
        ),
        Claim(
            "So does the Jaccard index.",
            rises([found[least][min(found[least])][1], found[least][max(found[least])][1]]),
            "pairs that are together become few with more groups, and of those few many are parted: a "
            "user's record is made of k users' rows, and a group of two or three users does not survive it",
        ),
        Claim(
            "Whatever k, the Rand index is similar (within .15 from ten groups on).",
            spread <= 0.15,
            f"they differ by {spread:.2f}",
        ),
        Claim(
            f"The difference between k = {least} and k = {most} shrinks with more groups (Figure 5.6, Rand).",
            falls([apart[0][0], apart[0][-1]]),
            "it does not",
        ),
    ]


def _panel(title: str, found: Found, which: int) -> Panel:
    numbers = list(next(iter(found.values())))
    rows = [[g, *(of[g][which] for of in found.values())] for g in numbers]
    points = [Point(g, of[g][which], f"k = {k}") for k, of in found.items() for g in numbers]
    chart = curves(points, x="groups κ", y="index", log_x=True)
    return Panel(
        title, ["κ", *(f"k = {k}" for k in found)], rows, chart, "The thesis prints curves, no values."
    )


def _difference(found: Found) -> Panel:
    least, most = min(found), max(found)
    rows = [[g, *(abs(found[least][g][i] - found[most][g][i]) for i in (0, 1))] for g in found[least]]
    points = [Point(row[0], row[1 + i], name) for row in rows for i, name in enumerate(("Rand", "Jaccard"))]
    return Panel(
        f"Figure 5.6: difference of the indexes of k = {least} and k = {most}",
        ["κ", "Rand", "Jaccard"],
        rows,
        curves(points, x="groups κ", y="difference", log_x=True),
    )


STUDY = Study(
    "erola-figure-5.5",
    f"{PAPER}, Figures 5.5 and 5.6",
    "Syntactic microaggregation: Rand and Jaccard index of k-means partitions",
    run,
)
