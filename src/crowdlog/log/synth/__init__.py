"""Synthetic search logs: AOL-like in their numbers and with meaning, but nobody's. See docs/synthetic.md.

The kernels are slow to import: nothing is loaded before it is asked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crowdlog.log.synth.run import SynthReport
    from crowdlog.progress import Advance

POPULATIONS = ("aol", "other")
ROWS_PER_USER = 55.35  # AOL: 36,389,567 rows of 657,426 users


def synthesize(
    path: str | Path,
    *,
    users: int | None = None,
    rows: int | None = None,
    seed: int = 7,
    population: str = "aol",
    secrets: str | Path | None = None,
    labels: str | Path | None = None,
    tasks: str | Path | None = None,
    progress: Advance = lambda _rows: None,
) -> SynthReport:
    """Write an AOL-like log of `users` users, or of exactly `rows` rows.

    The same arguments give the same bytes.

    `population` is one of `POPULATIONS`: what is learnt on one can be tried on another. `secrets` names a
    file for the planted secrets (user, kind, query), `labels` one for all distinct queries with topic and
    whether it is sensitive, `tasks` one for the true task of every search.
    """
    from crowdlog.log.synth.run import write_log

    return write_log(
        Path(path),
        users=users,
        rows=rows,
        seed=seed,
        population=population,
        secrets=secrets,
        labels=labels,
        tasks=tasks,
        progress=progress,
    )
