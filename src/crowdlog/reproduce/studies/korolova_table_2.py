"""Table 2: percent of distinct queries released for different ε and δ."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies.korolova_release import PAPER, SAME_K, SETUP
from crowdlog.reproduce.studies.korolova_tables import (
    Grid,
    grid_panel,
    nine,
    rises_with_delta,
    rises_with_epsilon,
)
from crowdlog.reproduce.study import Claim, Result, Study

PRINTED = ((0.03, 0.06, 0.09), (0.03, 0.07, 0.10), (0.04, 0.09, 0.12))


def run(bench: Bench) -> Result:
    ours = nine(bench, lambda one: one.distinct)
    return Result(
        [grid_panel("Distinct queries released, d = 21, one week", "% of distinct queries", ours, PRINTED)],
        claims(ours),
        SETUP,
    )


def claims(ours: Grid) -> list[Claim]:
    return [
        Claim("The larger ε, the more distinct queries are released.", rises_with_epsilon(ours), SAME_K),
        Claim("The larger δ, the more distinct queries are released.", rises_with_delta(ours), SAME_K),
    ]


STUDY = Study("korolova-table-2", f"{PAPER}, Table 2", "Distinct queries released, by ε and δ", run)
