"""Running studies: each finished one is kept, so a run that was stopped goes on; at the end one page shows
them all.
"""

from __future__ import annotations

import json
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.experiments.run import alone
from crowdlog.files.whole import write_whole
from crowdlog.reproduce.bench import Bench
from crowdlog.reproduce.page import FinishedStudy, page
from crowdlog.reproduce.studies import chosen
from crowdlog.reproduce.study import Result, Study

USERS = 20_000
LEAST_USERS = 100  # so that somebody searches on each single day
PAGE, DATA = "index.html", "results.json"


def figures(which: str = "", *, users: int = USERS, out: str | Path = "reproduction") -> list[FinishedStudy]:
    """Do the studies whose name contains `which`, and write OUT/index.html and OUT/results.json.

    What is kept in OUT/work is not done again.
    """
    if users < LEAST_USERS:
        raise InputError(f"The studies need a log of at least {LEAST_USERS} users. Got {users}.")
    folder, studies = Path(out), chosen(which)
    try:
        bench = Bench(users, folder / "work" / f"{users}-users")
        with alone(bench.folder):
            done = [_done(study, bench) for study in studies]
        write_whole(
            folder / DATA, json.dumps([one.as_dict() for one in done], indent=1, ensure_ascii=False) + "\n"
        )
        write_whole(folder / PAGE, page(done, users))
    except OSError as error:
        raise InputError(
            f"The reproduction cannot be written to {folder}: {error.strerror}. Choose another place."
        ) from None
    return done


def _done(study: Study, bench: Bench) -> FinishedStudy:
    bench.title = study.name
    found = bench.kept(["study", study.name], lambda: study.run(bench).as_dict())
    return FinishedStudy(study, Result.from_dict(found))
