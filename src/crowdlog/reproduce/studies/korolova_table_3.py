"""Table 3: percent of impressions released for different ε and δ."""

from __future__ import annotations

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.studies.korolova_release import PAPER, SAME_K, SETUP
from crowdlog.reproduce.studies.korolova_tables import (
    Grid,
    gains,
    grid_panel,
    nine,
    rises_with_delta,
    rises_with_epsilon,
)
from crowdlog.reproduce.study import Claim, Result, Study

PRINTED = ((26.79, 30.92, 32.64), (27.55, 31.67, 33.38), (28.45, 32.55, 34.23))


def run(bench: Bench) -> Result:
    ours, distinct = nine(bench, lambda one: one.volume), nine(bench, lambda one: one.distinct)
    return Result(
        [grid_panel("Impressions released, d = 21, one week", "% of impressions", ours, PRINTED)],
        claims(ours, distinct),
        SETUP,
    )


def claims(ours: Grid, distinct: Grid) -> list[Claim]:
    pairs = list(zip(gains(distinct), gains(ours), strict=False))
    larger = bool(pairs) and all(of_queries > of_impressions for of_queries, of_impressions in pairs)
    text = (
        "The relative increase with δ is slightly higher for distinct queries than for impressions (where "
        "the smallest δ releases anything)."
    )
    return [
        Claim("The larger ε, the more impressions are released.", rises_with_epsilon(ours), SAME_K),
        Claim("The larger δ, the more impressions are released.", rises_with_delta(ours), SAME_K),
        Claim(text, larger, SAME_K),
    ]


STUDY = Study("korolova-table-3", f"{PAPER}, Table 3", "Impressions released, by ε and δ", run)
