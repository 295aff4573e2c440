"""Table 5.6 and §5.5: how far six annotators agree about tasks. Ours are made: each joins and splits the true
tasks in a way of her own.
"""

from __future__ import annotations

import numpy as np

from crowdlog.applications.tasks.agreement import kappas, pair_votes
from crowdlog.applications.tasks.commands import LabelledLog
from crowdlog.applications.tasks.hard_logs import generated, split_by_days, wide_tasks
from crowdlog.reproduce.bench import SEED, Bench
from crowdlog.reproduce.studies.feild_release import PAPER
from crowdlog.reproduce.study import Cell, Claim, Panel, Result, Study

ANNOTATORS, USERS = 6, 10
JOINED, SPLIT = 0.15, 0.25  # how often an annotator joins or splits; chosen before κ was looked at
PRINTED = {"annotators": 6, "AOL users": 10, "queries": 131, "labelled pairs": 939}
KAPPA, KAPPA_SAME = 0.78, 0.53
SETUP = (
    "People of the thesis gave their own view of ten users' tasks. Ours are the true tasks of ten synthetic "
    f"users in six views: with a chance of {JOINED:g} a task is joined with the one before in its session, "
    f"with {SPLIT:g} one that is taken up after a day is another. κ and how it falls is tested, not people."
)


def run(bench: Bench) -> Result:
    log = generated("aol", min(300, bench.users), SEED)
    rows = _some_people(log)
    views = [_view(log, annotator)[rows] for annotator in range(ANNOTATORS)]
    votes = pair_votes(views, log.searches.user[rows])
    found = kappas(votes)
    ours = {"annotators": ANNOTATORS, "AOL users": USERS, "queries": len(rows), "labelled pairs": len(votes)}
    table: list[list[Cell]] = [[name, printed, ours[name]] for name, printed in PRINTED.items()]
    table += [
        ["κ over all pairs", KAPPA, found["kappa"]],
        ["κ where somebody says the same", KAPPA_SAME, found["kappa_with_a_same_vote"]],
        ["pairs where somebody says the same", 196, found["pairs_with_a_same_vote"]],
    ]
    return Result([Panel("Agreement of annotators", ["", "printed", "ours"], table)], claims(found), SETUP)


def _some_people(log: LabelledLog) -> np.ndarray:
    """The searches of ten users with 5 to 25 of them."""
    kept = log.searches.kept
    times = np.bincount(log.searches.user[kept])
    people = np.flatnonzero((times >= 5) & (times <= 25))[:USERS]
    chosen: np.ndarray = kept[np.isin(log.searches.user[kept], people)]
    return chosen


def _view(log: LabelledLog, annotator: int) -> np.ndarray:
    seen = split_by_days(SPLIT)(wide_tasks(JOINED)(log, 10 + annotator), 20 + annotator)
    task: np.ndarray = seen.labels.task
    return task


def claims(found: dict[str, float | int | None]) -> list[Claim]:
    whole, same = float(found["kappa"] or 0), float(found["kappa_with_a_same_vote"] or 0)
    return [
        Claim("Agreement over all pairs is high (κ above .6).", whole > 0.6, f"κ = {whole:.2f}"),
        Claim(
            "It falls where pairs that all call different are left out.",
            same < whole,
            f"{same:.2f}, {whole:.2f}",
        ),
    ]


STUDY = Study("feild-table-5.6", f"{PAPER}, Table 5.6", "Agreement about tasks", run)
