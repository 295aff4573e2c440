"""A release to measure: seeded noise, so marked NOT PRIVATE; charged to no ledger; destroyed after use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from crowdlog.errors import InputError
from crowdlog.log.store import LogStore
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from crowdlog.release.assemble import assemble
from crowdlog.release.folder import Release, write_folder

SCRATCH = f"trial-{os.getpid()}.partial"  # so begin the names of folders in which this process holds releases


@dataclass(frozen=True)
class SeededRun:
    """One run of a mechanism: its spelling, and the seed of its noise."""

    mechanism: str
    seed: int

    def __str__(self) -> str:
        return f"{self.mechanism} with seed {self.seed}"


@contextmanager
def seeded_release(log: LogStore, run: SeededRun, folder: Path) -> Iterator[Release]:
    """The release, in a temporary folder inside `folder`."""
    mechanism = parse(run.mechanism)
    mechanism.check_inputs()
    randomness = SeededRandomness(run.seed)
    protected = mechanism.protect(log, randomness)
    draft = assemble([mechanism], mechanism.promise(), protected, randomness, source=log.info.id)
    with tempfile.TemporaryDirectory(prefix=SCRATCH, dir=folder) as place:
        try:
            release = write_folder(Path(place) / "release", draft)
        except InputError:  # its advice is for releases that were charged
            advice = "Is the disk full? Make room, and run the same command again."
            raise InputError(f"it cannot be written into {folder}. {advice}") from None
        yield release
