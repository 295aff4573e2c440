"""What Tables 4.5 and 4.6 have in common: four logs, two scores, how many sessions each can be scored on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.plots import PRINTED, Point, bars
from crowdlog.reproduce.studies.zhang_held_out import score_of
from crowdlog.reproduce.studies.zhang_sessions import RUNS, original, rows, tried_on
from crowdlog.reproduce.study import Panel

# For each log: two scores and the number of sessions, as printed.
Printed = Mapping[str, tuple[float, float, int]]
Ours = Mapping[str, Sequence[Mapping[str, Any]]]  # for each log both scores
TRAP = (
    "Sessions: how many of the test sessions the log can say anything about. Each log is scored on its own; "
    "the last columns have the first score "
    "of the log and of the original on the sessions that both answer."
)


def measured(bench: Bench, task: str, metrics: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """The scores of a task for each log."""
    found = {
        run: [score_of(tried_on(bench, task, run), f"{task}:{metric}") for metric in metrics]
        for run in bench.each(RUNS[1:])
    }
    some = next((scores for scores in found.values() if scores[0]["value"] is not None), found[RUNS[-1]])
    return {RUNS[0]: [original(score) for score in some], **found}


def sequences(bench: Bench, k: int) -> int:
    """How many sequences DP_S shows."""
    return rows(bench, "DP_S", k).get("sessions", 0)


def values(ours: Ours, which: int) -> dict[str, float]:
    """The value of the first or second score of each log; 0 for none."""
    return {run: scores[which]["value"] or 0.0 for run, scores in ours.items()}


def sessions(ours: Ours) -> dict[str, int]:
    return {run: scores[0]["answered"] for run, scores in ours.items()}


def panel(title: str, names: Sequence[str], ours: Ours, printed: Printed) -> Panel:
    table: list[list[Any]] = []
    points = []
    for run, (first, second, number) in printed.items():
        own = [score["value"] for score in ours[run]]
        common = [ours[run][0].get(key) for key in ("common", "released_on_common", "original_on_common")]
        table.append([run, first, own[0], second, own[1], number, ours[run][0]["answered"], *common])
        for name, ours_value, printed_value in zip(names, own, (first, second), strict=True):
            points += [Point(run, printed_value, name, PRINTED), Point(run, ours_value, name)]
    columns = [
        "run",
        *(f"{name}, {who}" for name in names for who in ("printed", "ours")),
        "sessions, printed",
        "sessions, ours",
    ]
    columns += ["common", "run on common", "original on common"]
    return Panel(title, columns, table, bars(points, x="", y="score"), f"{TRAP} {comparison_sentence(ours)}")


def comparison_sentence(ours: Ours) -> str:
    """What the comparison on common sessions says, in a sentence."""
    known = {
        run: scores[0] for run, scores in ours.items() if scores[0].get("released_on_common") is not None
    }
    worse = [run for run, score in known.items() if score["released_on_common"] < score["original_on_common"]]
    if not known:
        return "No anonymised log answers any session."
    return (
        f"There {', '.join(worse)} did worse than the original."
        if worse
        else "There no anonymised log did worse than the original."
    )
