from pathlib import Path

import pytest

from crowdlog.log.synth import synthesize
from crowdlog.log.synth.run import SynthReport

USERS = 20_000


@pytest.fixture(scope="session")
def log(tmp_path_factory: pytest.TempPathFactory) -> SynthReport:
    """One log with its side files (secrets.tsv, labels.tsv, tasks.tsv) for all tests of this folder."""
    folder: Path = tmp_path_factory.mktemp("synth")
    return synthesize(
        folder / "log.tsv",
        users=USERS,
        seed=7,
        secrets=folder / "secrets.tsv",
        labels=folder / "labels.tsv",
        tasks=folder / "tasks.tsv",
    )
