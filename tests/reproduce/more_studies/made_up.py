"""A study with every kind of panel, beside those of the papers: workers import it from this folder."""

import os
from dataclasses import replace
from pathlib import Path

from crowdlog.reproduce.bench import NOISE
from crowdlog.reproduce.plots import PRINTED, Point, bars, curves
from crowdlog.reproduce.study import Claim, Panel, Result, Study

RUNS = "CROWDLOG_TEST_RUNS"  # names a file that gets a line for each run
POINTS = [
    Point(1, 0.5, "a"),
    Point(10, 0.0, "a"),
    Point(10, 2.0, "b"),
    Point(1, 0.75, "a", PRINTED),
    Point(5, None, "a"),
]

RESULT = Result(
    [
        Panel(
            "Curves",
            ["x", "who", "value"],
            [[1, "ours", 0.5], [9, "printed", None]],
            curves(POINTS, x="x", y="share", log_x=True, log_y=True),
        ),
        Panel("Bars", ["x", "value"], [[1, 1730.81]], bars(POINTS, x="x", y="share")),
        Panel("Dots", ["x", "value"], [[1, 0.5]], bars(POINTS, x="x", y="share", log_y=True)),
        Panel(
            "Nothing to draw",
            ["x", "value"],
            [[1, 0.0]],
            curves([Point(1, 0.0, "a")], x="x", y="share", log_y=True),
        ),
    ],
    [
        Claim("The sun shines.", True, ""),
        Claim("It rains.", False, "it <snows>"),
        Claim("It is warm.", False, "it is cold", (True, False)),
    ],
    "Set up & done.",
)


def run(bench):
    if bench:
        with Path(os.environ[RUNS]).open("a", encoding="utf-8") as file:
            file.write(f"{bench.users}\n")
        warm = replace(RESULT.claims[2], holds=bench.seed == NOISE[1])  # with the noise of one seed alone
        return replace(RESULT, claims=[*RESULT.claims[:2], warm])
    return RESULT


STUDY = Study("made-up-9.9", "Nobody 2000, Figure 9.9", "A </script> figure", run)
