"""Figure 4: impressions released of logs of different time spans, and how their number grows with the time
span (§7.1.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.shapes import peak, rises
from crowdlog.reproduce.studies.korolova_release import PAPER, SAME_K, SETUP
from crowdlog.reproduce.studies.korolova_spans import growth, spans
from crowdlog.reproduce.study import Claim, Result, Study

# §7.1.2, d = 20, against one day: "7-fold over one week, 15-fold over two weeks, 33-fold over one month, and
# 325-fold over one year".
GROWTH = {"1 day": 1, "1 week": 7, "2 weeks": 15, "1 month": 33}


def run(bench: Bench) -> Result:
    panel, found = spans(bench, "% of impressions released", lambda one: 100 * one.volume)
    return Result(
        [panel, growth("impressions released", found, lambda one: one.published, GROWTH)],
        claims(found),
        SETUP,
    )


def claims(found: Mapping[str, Mapping[int, Coverage]]) -> list[Claim]:
    best = {name: peak({d: one.volume for d, one in of.items()}) for name, of in found.items()}
    ours = ", ".join(f"{name} d = {d}" for name, d in best.items())
    return [
        Claim(
            "The best d, of the maximum percent of impressions, increases with the time span.",
            rises(list(best.values())),
            f"ours: {ours}; {SAME_K}",
        ),
        Claim(
            "The number of impressions released grows with the time span (d = 20).",
            rises([of[20].published for of in found.values()]),
            SAME_K,
        ),
    ]


STUDY = Study(
    "korolova-figure-4", f"{PAPER}, Figure 4 and §7.1.2", "Impressions released, by time span of the log", run
)
