"""The independence audit: noise of different keys, tables and runs must have nothing to do with each other."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt

from crowdlog.audit.finding import Finding
from crowdlog.audit.laboratory import Layout
from crowdlog.audit.sampling import Shown

Floats = npt.NDArray[np.float64]
RUNS = 6  # compared with each other


def audit_independence(layout: Layout, seen: dict[str, Shown], alpha: float) -> list[Finding]:
    """Signs of the noise of the largest crowd's keys, compared at every shift: with themselves, with other tables, with other runs."""
    crowd = layout.shapes[0].crowd
    signs = {
        (table, run): np.where(shown.keys[run, 0] > 0, np.sign(shown.total[run, 0] - crowd), 0).astype(np.float64)
        for table, shown in seen.items()
        for run in range(min(RUNS, len(shown.keys)))
    }
    pairs = [*((name, name) for name in signs), *itertools.combinations(signs, 2)]
    limit = chance_limit(layout.worlds, 2 * layout.worlds * len(pairs), alpha)
    found: dict[tuple[str, str, str], float] = {}
    for one, two in pairs:
        where = (one[0], two[0], "the same run" if one[1] == two[1] else "other runs")
        found[where] = max(found.get(where, 0.0), agreement(signs[one], signs[two], same=one == two))
    return [
        Finding(
            "independence",
            f"{one} and {two}, {runs}",
            limit,
            most,
            most > limit,
            f"At some shift the signs of the noise agree {most:.0f} times more often than not; by chance at most {limit:.0f}.",
        )
        for (one, two, runs), most in found.items()
    ]


def agreement(one: Floats, two: Floats, *, same: bool) -> float:
    """The largest |Σ one[i]·two[i + shift]| over all shifts (but 0 for the same noise)."""
    size = 2 * len(one)
    sums = np.fft.irfft(np.conj(np.fft.rfft(one, size)) * np.fft.rfft(two, size), size)
    return float(np.abs(sums[1:] if same else sums).max())


def chance_limit(draws: int, comparisons: int, alpha: float) -> float:
    """Azuma and Hoeffding: independent symmetric signs exceed this in any comparison with probability at most alpha."""
    return math.sqrt(2 * draws * math.log(2 * comparisons / alpha))
