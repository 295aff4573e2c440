"""Running studies, some at a time: each finished one is kept, so a run that was stopped goes on; at the end
one page shows them all.
"""

from __future__ import annotations

import json
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.experiments.run import run_experiment
from crowdlog.files.whole import write_whole
from crowdlog.reproduce.page import FinishedStudy, page
from crowdlog.reproduce.reproduction import Reproduction
from crowdlog.reproduce.studies import chosen

USERS = 20_000
JOBS = 2
LEAST_USERS = 100  # so that somebody searches on each single day
PAGE, DATA = "index.html", "results.json"


def figures(
    which: str = "", *, users: int = USERS, out: str | Path = "reproduction", jobs: int = JOBS
) -> list[FinishedStudy]:
    """Do the studies whose name contains `which`, `jobs` at a time, and write OUT/index.html and
    OUT/results.json.

    What is kept in OUT/work is not done again.
    """
    if users < LEAST_USERS:
        raise InputError(f"The studies need a log of at least {LEAST_USERS} users. Got {users}.")
    if jobs < 1:
        raise InputError(f"'jobs' must be at least 1. Got {jobs}.")
    folder = Path(out)
    names = tuple(study.name for study in chosen(which))
    reproduction = Reproduction(str(folder / "work" / f"{users}-users"), users, names)
    failures = run_experiment(reproduction, "crowdlog.reproduce.reproduction", jobs)
    for failure in failures.values():
        raise failure  # what is done is kept: the same command goes on
    try:
        done = [reproduction.finished(run) for run in reproduction.runs()]
        write_whole(
            folder / DATA, json.dumps([one.as_dict() for one in done], indent=1, ensure_ascii=False) + "\n"
        )
        write_whole(folder / PAGE, page(done, users))
    except OSError as error:
        raise InputError(
            f"The reproduction cannot be written to {folder}: {error.strerror}. Choose another place."
        ) from None
    return done
