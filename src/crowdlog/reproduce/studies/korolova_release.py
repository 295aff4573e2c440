"""What the studies of Korolova et al. 2009, §7.1, have in common: their release, the values of d, the time spans."""

from __future__ import annotations

import math

from crowdlog.mechanisms.korolova import Korolova
from crowdlog.reproduce.bench import Bench, Coverage

PAPER = "Korolova, Kenthapadi, Mishra, Ntoulas 2009"
LN10, DELTA = math.log(10), 1e-5
DS = (1, 2, 5, 10, 20, 40, 80, 160)  # the paper's axis is only drawn; Table 1 has most of these
WEEK = 7
SPANS = {"1 day": 1, "1 week": WEEK, "2 weeks": 14, "1 month": 31, "3 months": 92}
SETUP = (
    "The paper's log is the full query log of a major search engine (October 2007). As in the paper all of ε goes into choosing the queries, so that "
    "K and b are those of its Table 1; the noise of the published counts, which the paper does not charge here, costs ours as much again. "
    "Impressions are the sum of the published noisy counts over all impressions of the log, as the paper defines them."
)


def release(d: int, epsilon: float = LN10, delta: float = DELTA) -> Korolova:
    """ε on the selection, as much again on the counts, no clicks."""
    return Korolova(epsilon=2 * epsilon, delta=delta, d=d, weight_select=1, weight_counts=1, weight_clicks=0)


def by_d(bench: Bench, days: int) -> dict[int, Coverage]:
    """What is released of the log's first days, for each d."""
    log = bench.log if days >= SPANS["3 months"] else bench.days(0, days)
    return {d: bench.coverage(release(d), log) for d in DS}
