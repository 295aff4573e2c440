"""Figure 3: distinct queries released of logs of different time spans, and how their number grows with the
time span (§7.1.2).
"""

from __future__ import annotations

from collections.abc import Mapping

from crowdlog.reproduce.bench import Bench, Coverage
from crowdlog.reproduce.shapes import falls, rises
from crowdlog.reproduce.studies.korolova_release import DS, PAPER, SAME_K, SETUP
from crowdlog.reproduce.studies.korolova_spans import growth, spans
from crowdlog.reproduce.study import Claim, Result, Study

# §7.1.2, d = 20: distinct queries released grow "6-fold over one week, 12-fold over two weeks, 24-fold over
# one month, and 184-fold over one year"
# against one day. Our log has no year.
GROWTH = {"1 day": 1, "1 week": 6, "2 weeks": 12, "1 month": 24}
ALIKE = 2.0  # "more or less independent": our reading is less than twice the smallest


def run(bench: Bench) -> Result:
    panel, found = spans(bench, "% of distinct queries released", lambda one: 100 * one.distinct)
    return Result(
        [panel, growth("distinct queries released", found, lambda one: one.shown, GROWTH)],
        claims(found),
        SETUP,
    )


def claims(found: Mapping[str, Mapping[int, Coverage]]) -> list[Claim]:
    spread = {d: [of[d].distinct for of in found.values()] for d in DS}
    alike = all(min(shares) > 0 and max(shares) < ALIKE * min(shares) for shares in spread.values())
    times = ", ".join(
        f"{max(shares) / min(shares):.2g} at d = {d}" for d, shares in spread.items() if min(shares) > 0
    )
    why = (
        f"the largest share over the smallest is {times or 'nowhere defined'}; "
        "for any other d the shortest logs have no query that reaches K, "
        "which does not depend on the size of the log"
    )
    return [
        Claim(
            "The percent of distinct queries released is more or less independent of the time span.",
            alike,
            why,
        ),
        Claim(
            "For every time span it decreases as d increases.",
            all(falls([one.distinct for one in of.values()]) for of in found.values()),
            SAME_K,
        ),
        Claim(
            "The number of distinct queries released grows with the time span (d = 20).",
            rises([of[20].shown for of in found.values()]),
            SAME_K,
        ),
    ]


STUDY = Study(
    "korolova-figure-3",
    f"{PAPER}, Figure 3 and §7.1.2",
    "Distinct queries released, by time span of the log",
    run,
)
