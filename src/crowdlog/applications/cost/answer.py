"""From scores to two answers: which share of an application is kept, and from how many people on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from crowdlog.applications.cost.grid import NONE, CostTrial

ENOUGH = 0.9  # of what is not sanitised, at the largest number of people that was tried


@dataclass(frozen=True)
class Cost:
    """One mechanism and ε of an application at one number of people; `share` of the unsanitised score."""

    application: str
    mechanism: str
    epsilon: float
    people: int
    score: float
    share: float


def costs(results: Sequence[tuple[CostTrial, float]]) -> list[Cost]:
    """Means over the seeds; shares of the unsanitised score of most people."""
    groups: dict[tuple[str, str, float, int], list[float]] = {}
    for run, score in results:
        groups.setdefault((run.application, run.mechanism, run.epsilon, run.people), []).append(score)
    best: dict[str, float] = {}
    for (application, mechanism, _epsilon, _people), scores in groups.items():
        if mechanism == NONE:
            best[application] = fmean(scores)  # the last one is that of most people
    return [
        Cost(*key, fmean(scores), fmean(scores) / best[key[0]] if best.get(key[0]) else 0.0)
        for key, scores in groups.items()
    ]


def people_needed(found: Sequence[Cost]) -> list[dict[str, Any]]:
    """For each application, mechanism and ε the fewest people tried from which on enough is kept; None if no
    number that was tried is enough.
    """
    rows: dict[tuple[str, str, float], list[Cost]] = {}
    for one in found:
        rows.setdefault((one.application, one.mechanism, one.epsilon), []).append(one)
    needed = []
    for (application, mechanism, epsilon), of in rows.items():
        by_people = sorted(of, key=lambda one: one.people)
        enough = None
        for one in reversed(by_people):
            if one.share < ENOUGH:
                break
            enough = one.people
        needed.append(
            {
                "application": application,
                "mechanism": mechanism,
                "epsilon": epsilon,
                "people": enough,
                "tried": by_people[-1].people,
                "share": by_people[-1].share,
            }
        )
    return needed
