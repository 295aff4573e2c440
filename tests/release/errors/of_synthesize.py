"""Errors of `crowdlog synthesize`, which samples a log from a release."""

from __future__ import annotations

from typing import Any

from crowdlog.mechanisms import parse
from crowdlog.release.publish import publish
from crowdlog.release.synthesize import synthesize_from
from tests.release.errors.bench import Bench, Case, Cases


def sampled(bench: Bench, release: Any = None, **size: Any) -> None:
    synthesize_from(release or bench.done, bench.folder / "synthetic.tsv", **size)


def with_size(**size: Any) -> Case:
    return lambda bench: sampled(bench, **size)


def of(spelling: str, users: int = 3) -> Case:
    def case(bench: Bench) -> None:
        bench.charges += 1
        sampled(bench, publish(parse(spelling), bench.log, bench.folder / "other", i_know=True), users=users)

    return case


SYNTHESIZE_ERRORS: Cases = {
    "release/synthesize/chances.py": {
        "holds rows of a log, not tables of counts": of("Pseudonyms()"),
        "shows neither queries nor words": of("FTu(k=5000)"),
    },
    "release/synthesize/write.py": {
        "Say how large the log shall be": with_size(),
        "The number of {} must be at least 1": with_size(sessions=0),
        "The seed must be a whole number": with_size(users=1, seed=-1),
    },
}
