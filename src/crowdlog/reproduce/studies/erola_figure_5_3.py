"""Figures 5.3 and 5.4: exposure of profiles and loss of information against k (§5.3)."""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, curves
from crowdlog.reproduce.shapes import falls, rises
from crowdlog.reproduce.studies.erola_release import METHODS, PAPER, SETUP, Numbers, numbers
from crowdlog.reproduce.study import Claim, Panel, Result, Study

KS = (2, 3, 4, 5, 7, 10, 20, 35, 50)
UP_TO = 10  # Figure 5.3
PRINTED_PEL = {2: 50.0, 10: 10.0}
PRINTED_ILR = {3: 10.0, 35: 50.0}
POINTS = 5  # how near is near


def run(bench: Bench) -> Result:
    found = {
        k: numbers(bench, METHODS["syntactic"].format(k=k), all_of_them=False)
        for k in bench.each(KS)
        if 2 * k <= bench.users
    }
    return Result([_exposure(found), _loss(found)], claims(found), SETUP)


def claims(found: Mapping[int, Numbers]) -> list[Claim]:
    levels = {k: 100 * of["PEL"] for k, of in found.items() if k <= UP_TO}
    losses = [of["ILR"] for of in found.values()]
    away = max(levels, key=lambda k: abs(levels[k] - 100 / k))
    three = 100 * found[3]["ILR"]
    few = (
        f"{three:.0f} % ({100 * found[3]['ILR of active users']:.0f} % of users with 20 searches and more): "
        "half of our users have fewer than 16 searches, and who has few loses most of her bits, as the "
        "thesis says; its users are not described beyond their mean"
    )
    return [
        Claim(
            "The exposure is within 5 points of 1/k for k = 2 … 10 (Figure 5.3).",
            all(abs(level - 100 / k) <= POINTS for k, level in levels.items()),
            f"{levels[away]:.0f} % at k = {away}",
        ),
        Claim("The exposure falls as k grows.", falls(list(levels.values())), "it does not everywhere"),
        Claim(
            "The loss of information grows with k but for small fluctuations (Figure 5.4).",
            rises([losses[0], losses[len(losses) // 2], losses[-1]]),
            "it does not",
        ),
        Claim("About 10 % is lost at k = 3.", abs(three - PRINTED_ILR[3]) <= POINTS, few),
        Claim(
            "About 50 % is lost at k = 35.",
            35 in found and abs(100 * found[35]["ILR"] - PRINTED_ILR[35]) <= 2 * POINTS,
            f"{100 * found[35]['ILR']:.0f} %" if 35 in found else "the log is too small for it",
        ),
    ]


def _exposure(found: Mapping[int, Numbers]) -> Panel:
    shown = {k: of for k, of in found.items() if k <= UP_TO}
    rows = [[k, PRINTED_PEL.get(k), 100 / k, 100 * of["PEL"]] for k, of in shown.items()]
    points = [Point(k, 100 * of["PEL"], "PEL") for k, of in shown.items()]
    points += [Point(k, 100 / k, "1/k") for k in shown]
    points += [Point(k, y, "PEL", PRINTED) for k, y in PRINTED_PEL.items()]
    return Panel(
        "Figure 5.3: mean exposure of profiles",
        ["k", "printed, %", "1/k, %", "ours, %"],
        rows,
        curves(points, x="k", y="PEL, %"),
    )


def _loss(found: Mapping[int, Numbers]) -> Panel:
    rows = [
        [k, PRINTED_ILR.get(k), 100 * of["ILR"], 100 * of["ILR of active users"]] for k, of in found.items()
    ]
    points = [Point(k, 100 * of["ILR"], "all users") for k, of in found.items()]
    points += [
        Point(k, 100 * of["ILR of active users"], "users of 20 searches and more") for k, of in found.items()
    ]
    points += [Point(k, y, "all users", PRINTED) for k, y in PRINTED_ILR.items()]
    return Panel(
        "Figure 5.4: loss of information",
        ["k", "printed, %", "ours, %", "ours, users of 20 searches and more, %"],
        rows,
        curves(points, x="k", y="ILR, %"),
    )


STUDY = Study(
    "erola-figure-5.3",
    f"{PAPER}, Figures 5.3 and 5.4",
    "Syntactic microaggregation: exposure of profiles and loss of information against k",
    run,
)
