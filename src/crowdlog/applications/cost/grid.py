"""The trials: each application × mechanism × ε × number of people × seed, run by the experiment runner."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crowdlog.applications.cost.priced import APPLICATIONS, write_public_domain
from crowdlog.errors import CrowdlogError, InputError
from crowdlog.experiments.result_cache import ResultCache
from crowdlog.experiments.run import run_experiment
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.experiments.source_digest import source_digest
from crowdlog.files.locks import locked
from crowdlog.log.store import LogStore

NONE = ""  # the mechanism of what is not sanitised
NOBODY = "nobody's data"  # in the place of a mechanism: what can be had without any crowd
WITHOUT_NOISE = (NONE, NOBODY)


@dataclass(frozen=True)
class CostTrial:
    """One release of one application, or what is not sanitised."""

    application: str
    mechanism: str
    epsilon: float
    people: int
    seed: int

    def __str__(self) -> str:
        return (
            f"{self.application}, {self.mechanism or 'not sanitised'}, {self.people} people, seed {self.seed}"
        )


@dataclass(frozen=True)
class CostGrid:
    """What is tried. Everything that is kept lies in the folder `cache`."""

    cache: str
    applications: tuple[str, ...]
    people: tuple[int, ...]
    epsilons: tuple[float, ...]
    seeds: int

    def runs(self) -> list[CostTrial]:
        return [
            CostTrial(application, spelling, epsilon, people, seed)
            for application in self.applications
            for people in self.people
            for spelling, epsilon in self._spellings(application)
            for seed in range(1 if spelling in WITHOUT_NOISE else self.seeds)
        ]

    def _spellings(self, application: str) -> list[tuple[str, float]]:
        """Mechanisms without ε once."""
        found: dict[str, float] = {NONE: 0.0}
        if APPLICATIONS[application].nobody is not None:
            found[NOBODY] = 0.0
        for spelling in APPLICATIONS[application].mechanisms:
            for epsilon in self.epsilons:
                there = spelling.replace("{epsilon}", f"{epsilon:g}")
                found[there] = epsilon if there != spelling else 0.0
        return list(found.items())

    def missing(self, run: CostTrial) -> list[CostTrial]:
        return [run] if self.results.kept(_key(run)) is None else []

    def score(self, run: CostTrial) -> float:
        """Of a trial that is done."""
        return float(self.results.kept(_key(run))["score"])

    @property
    def results(self) -> ResultCache:
        return ResultCache(Path(self.cache) / "kept", source_digest())


def _key(run: CostTrial) -> list[Any]:
    return ["applications-cost", *asdict(run).values()]


def run_trial(fields: Mapping[str, Any], trial: Mapping[str, Any]) -> None:
    """Do one trial in a worker process, and keep its score."""
    grid, one = CostGrid(**fields), CostTrial(**trial)
    grid.results.result(_key(one), lambda: {"score": _score(Path(grid.cache), one)})


def _score(folder: Path, one: CostTrial) -> float:
    priced = APPLICATIONS[one.application]
    if one.mechanism == NOBODY and priced.nobody is not None:
        return priced.nobody()
    store = _store(folder, one)
    if one.mechanism == NONE:
        return priced.unsanitised(store)
    domain = folder / f"{one.application}-domain.txt"
    spelling = one.mechanism.replace("{domain}", str(domain))
    with seeded_release(store, SeededRun(spelling, one.seed), folder) as release:
        return priced.score(release, store)


def _store(folder: Path, one: CostTrial) -> LogStore:
    """The store of one population; the first process that needs it makes it, others wait for it."""
    place = folder / f"{one.application}-{one.people}"
    with locked(folder / f"{place.name}.lock"):
        if not place.exists():
            write_public_domain(one.application, folder / f"{one.application}-domain.txt")
            APPLICATIONS[one.application].make(place, one.people)
    return LogStore.open(place)


def run_grid(grid: CostGrid, jobs: int) -> tuple[list[tuple[CostTrial, float]], list[CrowdlogError]]:
    """Every trial and its score, and why others failed: a mechanism may refuse a very small ε."""
    unknown = [name for name in grid.applications if name not in APPLICATIONS]
    if unknown:
        raise InputError(f"There is no application '{unknown[0]}'. There are: {', '.join(APPLICATIONS)}.")
    if min(grid.people, default=0) < 20 or grid.seeds < 1:
        raise InputError("Costs need at least 20 people and 1 seed.")
    if not all(0 < epsilon < math.inf for epsilon in grid.epsilons) or not grid.epsilons:
        raise InputError("Every ε must be a number above 0.")
    failures = run_experiment(grid, "crowdlog.applications.cost.grid", jobs)
    done = [(run, grid.score(run)) for run in grid.runs() if not grid.missing(run)]
    return done, list(failures.values())
