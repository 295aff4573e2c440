"""What the studies of Korolova et al.

2009, §7.1, have in common: their release, the values of d, the time spans, the sentences about our log.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from crowdlog.mechanisms.korolova import Korolova
from crowdlog.reproduce.bench import Bench, Coverage

PAPER = "Korolova, Kenthapadi, Mishra, Ntoulas 2009"
LN10, DELTA = math.log(10), 1e-5
DS = (1, 2, 5, 10, 20, 40, 80, 160)  # the paper's axis is only drawn; Table 1 has most of these
WEEK, ALL = 7, 92
SPANS = {"1 day": 1, "1 week": WEEK, "2 weeks": 14, "1 month": 31, "3 months": ALL}
D_AXIS = "queries kept of each user, d"
SETUP = (
    "The paper's log is the full query log of a major search engine (October 2007). "
    "As in the paper all of ε goes into choosing the queries, "
    "so the noise is that of its Table 1; K is a little lower, since our δ is exact and not a union bound. "
    "The noise of the published counts, which the paper does not charge here, costs ours as much again. "
    "Impressions are the sum of the published noisy counts over all impressions of the log, as the paper "
    "defines them."
)
SAME_K = (
    "K does not depend on the size of the log (5 at d = 1, 121 at d = 20): the fewer people, the fewer "
    "queries are asked that often"
)


def release(d: int, epsilon: float = LN10, delta: float = DELTA) -> Korolova:
    """ε on the selection, as much again on the counts, no clicks."""
    return Korolova(epsilon=2 * epsilon, delta=delta, d=d, weight_select=1, weight_counts=1, weight_clicks=0)


def by_span(bench: Bench) -> dict[str, dict[int, Coverage]]:
    """For each time span and d, what is released of the log's first days."""
    found: dict[str, dict[int, Coverage]] = {name: {} for name in SPANS}
    for name, d in bench.each([(name, d) for name in SPANS for d in DS]):
        log = bench.log if SPANS[name] == ALL else bench.days(0, SPANS[name])
        found[name][d] = bench.coverage(release(d), log)
    return found


def by_d(shares: Mapping[int, float]) -> str:
    """The curve in words, for the reason beside a statement."""
    return ", ".join(f"{share:.2g} % at d = {d}" for d, share in shares.items())
