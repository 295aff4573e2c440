"""What studies work on: synthetic logs, releases of them with seeded noise, and a folder that remembers what was measured."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from crowdlog import __version__
from crowdlog.progress import progress_bar

if TYPE_CHECKING:
    from crowdlog.log.store import LogStore
    from crowdlog.mechanisms.base import Mechanism
    from crowdlog.release.folder import Release
    from crowdlog.utility.context import Truth

T = TypeVar("T")
SEED = 7  # of the log and of all noise
DAY = 86_400  # seconds


@dataclass(frozen=True)
class Coverage:
    """How much of a log a release shows. `distinct`: share of the different artifacts; `volume`: published counts over the log's impressions."""

    distinct: float
    volume: float
    shown: int  # different artifacts of the log that are shown
    published: float  # the sum of their published counts


class Bench:
    """`users` searchers, all drawn from one seed. Everything that is kept lies in `folder`."""

    def __init__(self, users: int, folder: Path) -> None:
        self.users, self.folder, self.title = users, folder, "Studying"
        self._truths: dict[Path, Truth] = {}

    def __repr__(self) -> str:
        return f"Bench({self.users} users)"

    @cached_property
    def log(self) -> LogStore:
        """The whole log: 92 days, like AOL's."""
        return self._store("log", self._synthesize)

    @property
    def labels(self) -> Path:
        """The topic of every query of the log: lines query TAB topic TAB sensitive."""
        return self.log.path.with_name("labels.tsv")

    def days(self, first: int, number: int) -> LogStore:
        """The log of some days only, counted from 0. Who did not search in them is not in it."""
        import pyarrow.parquet as pq

        from crowdlog.utility.parts import write_rows

        def make(out: Path) -> LogStore:
            day = (pq.read_table(self.log.events(), columns=["time"])["time"].to_numpy() - self.log.info.first_time) // DAY
            return write_rows(self.log, (day >= first) & (day < first + number), out)

        return self._store(f"days-{first}-{number}", make)

    @contextmanager
    def released(self, mechanism: Mechanism, log: LogStore, seed: int = SEED) -> Iterator[Release]:
        """A release with seeded noise, so not a private one. It is destroyed after use, and charged to no ledger."""
        from crowdlog.comparison.grid import Cell
        from crowdlog.comparison.trial import trial_release

        folder = self.folder / f"release-{os.getpid()}.partial"
        shutil.rmtree(folder, ignore_errors=True)
        try:
            yield trial_release(log, Cell(repr(mechanism), seed), folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def coverage(self, mechanism: Mechanism, log: LogStore, seed: int = SEED) -> Coverage:
        """How much a release of one table shows of the log. Kept, so that studies share it."""

        def measure() -> dict[str, Any]:
            with self.released(mechanism, log, seed) as release:
                return asdict(self._coverage(release, log))

        return Coverage(**self.kept(["coverage", repr(mechanism), log.path.name, seed], measure))

    def kept(self, key: list[Any], make: Callable[[], T]) -> T:
        """What `make` returns (plain data for JSON), or what it returned before for the same key, number of users and version."""
        known_by = json.dumps([__version__, self.users, *key])
        file = self.folder / "kept" / f"{hashlib.sha256(known_by.encode()).hexdigest()[:40]}.json"
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, json.dumps(make()))
        found: T = json.loads(file.read_text(encoding="utf-8"))
        return found

    def each(self, values: Iterable[T]) -> Iterator[T]:
        """The values one by one, with a progress bar."""
        todo = list(values)
        with progress_bar(self.title, len(todo), unit="steps") as advance:
            for value in todo:
                yield value
                advance(1)

    def truth(self, log: LogStore) -> Truth:
        """The log as the utility measures want it, read once."""
        from crowdlog.utility.context import Settings, Truth

        if log.path not in self._truths:
            self._truths[log.path] = Truth(log, Settings())
        return self._truths[log.path]

    def _coverage(self, release: Release, log: LogStore) -> Coverage:
        from crowdlog.utility.context import Settings
        from crowdlog.utility.coverage import measure
        from crowdlog.utility.released import read_release

        if not sum(release.label["crowdlog"]["tables"].values()):
            return Coverage(0.0, 0.0, 0, 0.0)
        truth, settings = self.truth(log), Settings()
        distinct, impressions = measure(read_release(release, truth.vocabulary, settings.session_minutes), truth, settings)[:2]
        of = impressions.details
        share = distinct.value or 0.0
        published = of["sum_of_published_counts"]
        return Coverage(share, published / of["impressions_in_log"], round(share * distinct.evaluated), published)

    def _synthesize(self, out: Path) -> LogStore:
        from crowdlog.log.importer import import_log
        from crowdlog.log.synth import synthesize

        source = out.with_suffix(".tsv")
        with progress_bar("Making a synthetic log") as advance:
            synthesize(source, users=self.users, seed=SEED, labels=out.with_name("labels.tsv"), progress=advance)
        log = import_log(source, out)
        source.unlink()
        return log

    def _store(self, name: str, make: Callable[[Path], LogStore]) -> LogStore:
        from crowdlog.log.store import LogStore

        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return LogStore.open(path) if path.exists() else make(path)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
