"""What studies work on: synthetic logs, releases of them with seeded noise, and a folder that remembers what
was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from crowdlog.experiments.result_cache import ResultCache
from crowdlog.experiments.seeded_release import SeededRun, seeded_release
from crowdlog.experiments.source_digest import source_digest
from crowdlog.files.locks import locked
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore
from crowdlog.log.synth import synthesize
from crowdlog.measure.log_arrays import read_log
from crowdlog.mechanisms.base import Mechanism
from crowdlog.progress import progress_bar
from crowdlog.release.contract import CONTRACT
from crowdlog.release.folder import Release
from crowdlog.reproduce.counts_once import tables_by_seed
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.splits import write_rows

T = TypeVar("T")
SEED = 7  # of the log
NOISE = (7, 8, 9, 10, 11)  # seeds of the noise: every statement is decided with each
PART = 1_000_003  # between the seeds of releases that are put together
DAY = 86_400  # seconds


@dataclass(frozen=True)
class Coverage:
    """How much of a log a release shows.

    `distinct`: share of the different artifacts; `volume`: published counts over the log's impressions.
    """

    distinct: float
    volume: float
    shown: int  # different artifacts
    published: float  # the sum of their published counts


class Bench:
    """`users` searchers, all drawn from one seed. Everything that is kept lies in `folder`."""

    def __init__(self, users: int, folder: Path) -> None:
        self.users = users
        self.folder = folder
        self._results = ResultCache(folder / "kept", source_digest())
        self._truths: dict[Path, Truth] = {}
        self.seed = NOISE[0]  # of the noise, for the run that is being done

    def __repr__(self) -> str:
        return f"Bench({self.users} users)"

    @cached_property
    def log(self) -> LogStore:
        """The whole log: 92 days, like AOL's."""
        return self.synthetic("log", SEED, labels=self.folder / "labels.tsv")

    @property
    def labels(self) -> Path:
        """The topic of every query of the log: lines query TAB topic TAB sensitive."""
        return self.log.path.with_name("labels.tsv")

    def synthetic(self, name: str, seed: int, labels: Path | None = None) -> LogStore:
        """A log of other searches for each seed. The topics of its queries go to the file `labels`."""

        def write(source: Path) -> None:
            with progress_bar("Making a synthetic log") as advance:
                synthesize(source, users=self.users, seed=seed, labels=labels, progress=advance)

        return self.imported(name, write)

    def imported(self, name: str, write: Callable[[Path], object]) -> LogStore:
        """The store of this name. When it is not there yet, `write` is given the place of a log to import."""

        def make(path: Path) -> None:
            source = path.with_suffix(".tsv")
            write(source)
            import_log(source, path)
            source.unlink()

        return self._store(name, make)

    def days(self, first: int, number: int) -> LogStore:
        """The log of some days only, counted from 0. Who did not search in them is not in it."""

        def make(path: Path) -> None:
            day = (read_log(self.log).time - self.log.info.first_time) // DAY
            write_rows(self.log, (day >= first) & (day < first + number), path)

        return self._store(f"days-{first}-{number}", make)

    def _store(self, name: str, make: Callable[[Path], object]) -> LogStore:
        """The store of this name, made by the first of all processes that wants it: studies run at once."""
        path = self.folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / f"{name}.lock"):
            if not path.exists():
                make(path)
        return LogStore.open(path)

    def released(self, mechanism: Mechanism, log: LogStore) -> AbstractContextManager[Release]:
        """A release with seeded noise, so not a private one.

        It is destroyed after use, and charged to no ledger.
        """
        return seeded_release(log, SeededRun(repr(mechanism), self.seed), self.folder)

    def with_every_noise(
        self, key: list[Any], make: Callable[[Sequence[int]], Mapping[int, Any]], draw: int = 0
    ) -> Any:
        """What was kept for this key and the noise of this run. When it is not there, `make` does it for the
        seeds of all runs at once, since a log is counted once for all. `draw`: another noise of the same run.
        """
        own = self.seed + 100 * draw
        if (found := self.kept_result([*key, own])) is not None:
            return found
        seeds = [seed + 100 * draw for seed in NOISE]
        missing = [seed for seed in seeds if self.kept_result([*key, seed]) is None]
        for seed, result in make(missing).items():
            self._results.keep([self.users, *key, seed], result)
        return self.kept_result([*key, own])

    def coverage(
        self, mechanism: Mechanism, log: LogStore, draw: int = 0, parts: Sequence[LogStore] = ()
    ) -> Coverage:
        """How much a release of one table shows of the log; with `parts`, one release of each of them, put
        together. Kept: studies share it.
        """
        key = ["coverage", repr(mechanism), log.path.name, [part.path.name for part in parts]]

        def make(seeds: Sequence[int]) -> dict[int, Any]:
            shown = self._shown(mechanism, parts or [log], seeds)
            return {seed: asdict(self._coverage(log, tables)) for seed, tables in shown.items()}

        return Coverage(**self.with_every_noise(key, make, draw))

    def kept(self, key: list[Any], make: Callable[[], T]) -> T:
        """What `make` returns (plain data for JSON), or what it returned before for the same key, number of
        users and code.
        """
        return self._results.result([self.users, *key], make)

    def kept_result(self, key: list[Any]) -> Any:
        """What was kept for this key, or None."""
        return self._results.kept([self.users, *key])

    def each(self, values: Iterable[T]) -> Iterator[T]:
        """The values one by one, with a progress bar."""
        todo = list(values)
        with progress_bar("Studying", len(todo), unit="steps") as advance:
            for value in todo:
                yield value
                advance(1)

    def truth(self, log: LogStore) -> Truth:
        """The log as the utility measures want it, read once."""
        if log.path not in self._truths:
            self._truths[log.path] = Truth(log, MeasureSettings())
        return self._truths[log.path]

    def _shown(
        self, mechanism: Mechanism, parts: Sequence[LogStore], seeds: Sequence[int]
    ) -> dict[int, list[Mapping[str, Any]]]:
        """By seed the tables of each part, which has a noise of its own."""
        found: dict[int, list[Mapping[str, Any]]] = {seed: [] for seed in seeds}
        for number, part in enumerate(parts):
            own = [seed + PART * number for seed in seeds]
            for seed, tables in zip(seeds, tables_by_seed(mechanism, part, own), strict=True):
                found[seed].append(tables)
        return found

    def _coverage(self, log: LogStore, tables: Sequence[Mapping[str, Any]]) -> Coverage:
        """Everything that the mechanisms of these studies show is in the log, so rows of the release are
        artifacts of the log.
        """
        (name,) = tables[0]
        shown = (
            pa.concat_tables(table[name] for table in tables)
            .group_by(list(CONTRACT[name][:-1]))
            .aggregate([("count", "sum")])
        )
        real, published = self.truth(log).table(name), float(shown["count_sum"].to_numpy().sum())
        return Coverage(
            shown.num_rows / len(real), published / float(real.count.sum()), shown.num_rows, published
        )
