"""Which tasks a release supports: its score beside the log's own on the same held-out people, and about how
many people a log would need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from crowdlog.comparison.grid import LOG_ITSELF
from crowdlog.comparison.rows import Row, mean
from crowdlog.utility.original import HEADLINES

Verdict = Literal["yes", "partly", "no"]
SUPPORTED, PARTLY = 0.8, 0.4  # of the log's own score; our choice, said on the page
TASKS = {
    "adhoc": "ad-hoc search",
    "sites": "site search",
    "suggestion": "query suggestion",
    "sessions": "session search",
}


@dataclass(frozen=True)
class Support:
    """A task done with a release.

    `score` and `own`: over everything asked, with 0 for what is not answered, by the release and by the log
    itself. `answered`: of what was asked; `on_answered`, `own_on_answered`: both scores there. `people`:
    about how many a log would need, None where it cannot be said.
    """

    score: float
    own: float
    answered: float
    on_answered: float | None
    own_on_answered: float | None
    people: int | None

    @property
    def share(self) -> float | None:
        return self.score / self.own if self.own else None

    @property
    def verdict(self) -> Verdict:
        share = self.share or 0.0
        return "yes" if share >= SUPPORTED else "partly" if share >= PARTLY else "no"


def own_scores(details: Sequence[Row]) -> dict[str, Row]:
    """The headline score of each task with the log itself, by task."""
    return {
        task: result
        for found in details
        if found["mechanism"] == LOG_ITSELF.mechanism
        for task, name in HEADLINES.items()
        for result in found["results"]
        if result["name"] == name
    }


def supports(details: Sequence[Row]) -> dict[str, dict[str, Support]]:
    """By mechanism and task: the mean over the trials."""
    own, found = own_scores(details), _by_mechanism(details)
    return {
        mechanism: {
            task: _support(results[name], own.get(task), _threshold(results))
            for task, name in HEADLINES.items()
            if name in results
        }
        for mechanism, results in found.items()
    }


def _by_mechanism(details: Sequence[Row]) -> dict[str, dict[str, list[Row]]]:
    """The details of each score of each mechanism, a list over the trials."""
    found: dict[str, dict[str, list[Row]]] = {}
    for one in details:
        if one["mechanism"] == LOG_ITSELF.mechanism or one["measure"][0] != "utility":
            continue
        for result in one["results"]:
            found.setdefault(one["mechanism"], {}).setdefault(result["name"], []).append(result["details"])
    return found


def _threshold(results: Mapping[str, Sequence[Row]]) -> float | None:
    """How often a click must occur in the whole log to be shown: all tasks are made of clicks."""
    clicks = results.get("coverage:clicks:distinct", ())
    return mean(clicks, "least_count") if clicks else None


def _support(trials: Sequence[Row], own: Row | None, threshold: float | None) -> Support:
    answering = [trial for trial in trials if trial["released_on_common"] is not None]
    asked = mean(trials, "asked")
    return Support(
        mean(trials, "unanswered_as_zero"),
        mean(trials, "original_unanswered_as_zero"),
        mean(trials, "answered") / asked if asked else 0.0,
        mean(answering, "released_on_common") if answering else None,
        mean(answering, "original_on_common") if answering else None,
        None if own is None or threshold is None else people_needed(own["details"], threshold),
    )


def people_needed(own: Row, threshold: float) -> int | None:
    """With so many times as many people like these, everything occurs so many times as often, so that what
    must occur `threshold` times to be shown is what occurs `enough` times now. The test's log has fewer
    people than the whole.
    """
    curve = own["without_rare"]
    whole = curve[0]["score"]
    enough = [point["occurrences"] for point in curve if whole and point["score"] >= SUPPORTED * whole]
    return round(threshold * own["people"] / max(enough)) if enough else None
