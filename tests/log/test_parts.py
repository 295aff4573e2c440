"""A table of a store may be a folder of files: nobody who reads it sees a difference."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError
from crowdlog.log.parts import batches, part_files
from crowdlog.log.store import FILES, LogStore, write_info
from crowdlog.log.summary import summarise
from crowdlog.mechanisms import parse
from crowdlog.privacy.randomness import SeededRandomness
from tests.support.crowded import crowded_rows
from tests.support.logs import make_log


def in_folders(log: LogStore, out) -> LogStore:
    """The same store with every table in three files, in a folder whose name looks like a pattern."""
    shutil.copytree(log.path, out)
    files, hashes = {}, {}
    for name in FILES:
        table = pq.read_table(out / name)
        (out / name).unlink()
        (out / name).mkdir()
        third = table.num_rows // 3 + 1
        for number in range(3):
            part = out / name / f"part-{number:05}-x.parquet"
            pq.write_table(table.slice(number * third, third), part, row_group_size=50)
            key = str(part.relative_to(out))
            files[key], hashes[key] = part.stat().st_size, hashlib.sha256(part.read_bytes()).hexdigest()
    write_info(out / "store.json", replace(log.info, files=files, hashes=hashes))
    return LogStore.open(out)


@pytest.fixture(scope="module")
def stores(tmp_path_factory) -> tuple[LogStore, LogStore]:
    folder = tmp_path_factory.mktemp("stores")
    log = make_log(folder, crowded_rows())
    return log, in_folders(log, folder / "in [folders]*")


def test_texts_and_batches(stores):
    one, folders = stores
    ids = [one.info.queries - 1, 0, 5, 5, one.info.queries // 2]
    assert folders.query_texts(ids) == one.query_texts(ids)
    assert len(part_files(folders.events())) == 3
    rows = [
        value for batch in batches(folders.events(), ["row"], 64) for value in batch.column(0).to_pylist()
    ]
    assert rows == list(range(one.info.rows))


@pytest.mark.parametrize(
    "spelling",
    [
        "Korolova(epsilon=20, delta=1e-2, d=6)",
        "DPu(epsilon=20, delta=1e-2, d=6, artifact='word-site', representation='light')",
        "ASession(epsilon=20, delta=1e-2, l_s=2, l_q=3)",
        "KAnonymity(k=3)",
    ],
)
def test_releases(stores, spelling):
    one, folders = stores
    tables = parse(spelling).protect(one, SeededRandomness(3)).tables
    assert tables == parse(spelling).protect(folders, SeededRandomness(3)).tables
    assert any(table.num_rows for table in tables.values())


def test_figures_and_damage(stores, tmp_path):
    one, folders = stores
    assert summarise(one) == summarise(folders)
    folders.check()
    damaged = tmp_path / "damaged"
    shutil.copytree(folders.path, damaged)
    part_files(damaged / "events.parquet")[1].unlink()
    with pytest.raises(InputError, match="is damaged"):
        LogStore.open(damaged)
