"""Figures 5.7 and 5.8: frequencies of the ten most frequent queries and words against k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdlog.measure.histories import PublishedHistories
from crowdlog.mechanisms import parse
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import Point, curves
from crowdlog.reproduce.studies.erola_release import METHODS, PAPER, SETUP, own_histories, small_log
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study
from crowdlog.utility.top import TOP, query_words

KS = (1, 3, 5, 10, 20, 50)  # 1: the log itself
KINDS = ("queries", "words")
LITTLE = 0.25  # of its frequency: our reading of "very low" variations, on the mean of the ten
# of each kind and k: the frequencies of the log's ten, and how many of them are among the release's ten
Found = Mapping[str, Mapping[int, tuple[Sequence[float], int]]]


def run(bench: Bench) -> Result:
    found: dict[str, dict[int, Any]] = {kind: {} for kind in KINDS}
    for k in bench.each([k for k in KS if 2 * k <= bench.users]):
        for kind, of in _frequencies(bench, k).items():
            found[kind][k] = tuple(of)
    panels = [
        _panel(f"Figure {figure}: frequencies of the ten most frequent {kind}", found[kind])
        for figure, kind in (("5.7", "queries"), ("5.8", "words"))
    ]
    return Result(panels, claims(found), SETUP)


def _frequencies(bench: Bench, k: int) -> Any:
    def make() -> dict[str, list[Any]]:
        log = small_log(bench)
        own = own_histories(log)
        if k == 1:
            return _of(own, own, log)
        with bench.released(parse(METHODS["syntactic"].format(k=k)), log) as release:
            return _of(own, PublishedHistories(release, log).known, log)

    return bench.kept(["erola-frequencies", small_log(bench).path.name, k], make)


def _of(own: Any, shown: Any, log: Any) -> dict[str, list[Any]]:
    found = {}
    for kind in KINDS:
        matrix = query_words(log) if kind == "words" else None
        mine, theirs = ((x if matrix is None else x @ matrix).sum(axis=0) for x in (own, shown))
        first, after = (np.argsort(-each, kind="stable")[:TOP] for each in (mine, theirs))
        shares = theirs[first] / max(theirs.sum(), 1)
        found[kind] = [shares.tolist(), int(np.isin(first, after).sum())]
    return found


def claims(found: Found) -> list[Claim]:
    changes = {kind: _change(of) for kind, of in found.items()}
    stay = min(same for k, (_shares, same) in found["queries"].items())
    return [
        Claim(
            "The same ten queries are the most popular, with minor exceptions (8 of 10 for every k).",
            stay >= 8,
            f"{stay} of 10 at the least: "
            "below the first few our queries are hardly more frequent than the next",
        ),
        *(
            Claim(
                f"The frequencies of the ten {kind} vary little (by less than a quarter on the mean).",
                worst <= LITTLE,
                f"by {100 * worst:.0f} % at k = {k}",
            )
            for kind, (worst, k) in changes.items()
        ),
    ]


def _change(of: Mapping[int, tuple[Sequence[float], int]]) -> tuple[float, int]:
    """The largest mean change, and its k."""
    before = np.array(of[1][0])
    return max((float((np.abs(np.array(now) - before) / before).mean()), k) for k, (now, _same) in of.items())


def _panel(title: str, of: Mapping[int, tuple[Sequence[float], int]]) -> Panel:
    """Places instead of texts."""
    rows: list[list[Cell]] = [
        [f"place {i + 1}", *(100 * shares[i] for shares, _same in of.values())] for i in range(TOP)
    ]
    rows.append(["still among the ten", *(same for _shares, same in of.values())])
    points = [
        Point(k, 100 * shares[i], f"place {i + 1}") for i in range(TOP) for k, (shares, _same) in of.items()
    ]
    columns = ["in the log, %", *(f"k = {k}, %" for k in of if k > 1)]
    return Panel(title, ["", *columns], rows, curves(points, x="k (1: the log)", y="frequency, %"))


STUDY = Study(
    "erola-figure-5.7",
    f"{PAPER}, Figures 5.7 and 5.8",
    "Syntactic microaggregation: frequencies of the most frequent queries and words",
    run,
)
