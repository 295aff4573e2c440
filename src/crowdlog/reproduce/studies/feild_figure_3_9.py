"""Figure 3.9: distinct coverage of one month by releases of days, half-months or the month."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies.feild_release import PAPER
from crowdlog.reproduce.studies.feild_spans import study
from crowdlog.reproduce.study import Result, Study


def run(bench: Bench) -> Result:
    return study(bench, "distinct artifacts", lambda one: one.distinct)


STUDY = Study(
    "feild-figure-3.9",
    f"{PAPER}, Figure 3.9",
    "Distinct coverage of a month: 31 releases of a day, two of half a month, or one",
    run,
)
