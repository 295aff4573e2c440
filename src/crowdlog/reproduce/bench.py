"""What studies work on: synthetic logs, releases of them with seeded noise, and a folder that remembers what
was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.progress import progress_bar
from crowdlog.release.folder import CONTRACT, Release
from crowdlog.utility.context import MeasureSettings, Truth
from crowdlog.utility.splits import write_rows

T = TypeVar("T")
SEED = 7  # of the log and of all noise
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

    def released(
        self, mechanism: Mechanism, log: LogStore, seed: int = SEED
    ) -> AbstractContextManager[Release]:
        """A release with seeded noise, so not a private one.

        It is destroyed after use, and charged to no ledger.
        """
        return seeded_release(log, SeededRun(repr(mechanism), seed), self.folder)

    def coverage(
        self, mechanism: Mechanism, log: LogStore, seed: int = SEED, parts: Sequence[LogStore] = ()
    ) -> Coverage:
        """How much a release of one table shows of the log; with `parts`, one release of each of them, put
        together. Kept: studies share it.
        """
        key = ["coverage", repr(mechanism), log.path.name, seed, [part.path.name for part in parts]]
        return Coverage(
            **self.kept(key, lambda: asdict(self._coverage(mechanism, log, seed, parts or [log])))
        )

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

    def _coverage(
        self, mechanism: Mechanism, log: LogStore, seed: int, parts: Sequence[LogStore]
    ) -> Coverage:
        """Everything that the mechanisms of these studies show is in the log, so rows of the release are
        artifacts of the log.
        """
        randomness = SeededRandomness(seed)
        tables = [mechanism.protect(part, randomness).tables for part in parts]
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
