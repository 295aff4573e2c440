"""Studies as trials of an experiment: the runner gives them to worker processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from crowdlog.reproduce.bench import NOISE, Bench
from crowdlog.reproduce.combine import combined
from crowdlog.reproduce.page import FinishedStudy
from crowdlog.reproduce.studies import find
from crowdlog.reproduce.study import Result, Study


@dataclass(frozen=True)
class StudyRun:
    """One study, by its name."""

    study: str

    def __str__(self) -> str:
        return self.study


@dataclass(frozen=True)
class Reproduction:
    """Studies on one synthetic log. Everything that is kept lies in the folder `cache`."""

    cache: str
    users: int
    studies: tuple[str, ...]

    def runs(self) -> list[StudyRun]:
        return [StudyRun(name) for name in self.studies]

    def missing(self, run: StudyRun) -> list[StudyRun]:
        return [run] if self.bench.kept_result(_key(run)) is None else []

    def finished(self, run: StudyRun) -> FinishedStudy:
        """A study that is done."""
        return FinishedStudy(find(run.study), Result.from_dict(self.bench.kept_result(_key(run))))

    @property
    def bench(self) -> Bench:
        return _bench(self.users, self.cache)


def run_trial(fields: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Do one study with each noise, and keep what it finds."""
    run = StudyRun(**trial)
    bench, study = Reproduction(**fields).bench, find(run.study)
    bench.kept(_key(run), lambda: combined([_with_noise(bench, seed, study) for seed in NOISE]).as_dict())


def _with_noise(bench: Bench, seed: int, study: Study) -> Result:
    bench.seed = seed
    return study.run(bench)


def _key(run: StudyRun) -> list[str]:
    return ["study", run.study]


@cache
def _bench(users: int, folder: str) -> Bench:
    """One of each in a process, so that a log is read once for all studies that it does."""
    return Bench(users, Path(folder))
