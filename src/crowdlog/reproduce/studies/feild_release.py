"""What the studies of Feild 2013, §3.4, have in common: his mechanisms, and the d that belongs to a threshold
k.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from crowdlog.mechanisms.base import Mechanism
from crowdlog.mechanisms.dp_a import DPa
from crowdlog.mechanisms.dp_u import DPu
from crowdlog.mechanisms.ft_a import FTa
from crowdlog.mechanisms.ft_u import FTu
from crowdlog.mechanisms.zealous import Zealous
from crowdlog.privacy.published import dp_a, dp_u, zealous_probabilistic

PAPER = "Feild 2013"
LN10 = math.log(10)
U = 657_427  # users of the AOL log; δ = 1/U
DELTA = 1 / U
ARTIFACTS = {"query": "queries", "pair": "query pairs", "click": "query–click pairs"}
PRIVATE = ("DP_a", "DP_u", "ZEALOUS")
SETUP = (
    "As in the thesis δ is 1/657,427, one over the users of the AOL log, and all of ε = ln 10 goes into "
    "choosing what is shown. "
    "The noise of the counts, which the thesis does not charge for DP_a and DP_u, costs ours as much again. "
    "ZEALOUS is in its probabilistic setting; its noise is d/ε instead of 2d/ε, which is enough when one "
    "person is added or removed."
)


NO_PAIRS = "in a log of this size no query pair is asked by enough people to pass a threshold with noise"


def private(name: str, d: int, artifact: str, parts: int = 1) -> Mechanism:
    """One of the three with noise. Of `parts` releases each gets its part of ε and δ."""
    epsilon, delta = LN10 / parts, DELTA / parts
    if name == "ZEALOUS":
        return Zealous(epsilon=epsilon, delta=delta, d=d, setting="probabilistic", users=U, artifact=artifact)
    return {"DP_a": DPa, "DP_u": DPu}[name](epsilon=2 * epsilon, delta=delta, d=d, artifact=artifact)


def without_noise(name: str, k: int, artifact: str) -> Mechanism:
    return {"FT_a": FTa, "FT_u": FTu}[name](k=k, artifact=artifact)


def largest_d(name: str, k: float) -> int:
    """The largest d whose published threshold is at most k, for ε = ln 10; 0 if there is none."""
    thresholds: dict[str, Callable[[int], float]] = {
        "DP_a": lambda d: dp_a(LN10, DELTA, d).k,
        "DP_u": lambda d: dp_u(LN10, DELTA, d).k,
        "ZEALOUS": lambda d: zealous_probabilistic(LN10, DELTA, d, U).k,
    }
    d = 0
    while thresholds[name](d + 1) <= k:
        d += 1
    return d
