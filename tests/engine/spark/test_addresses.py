"""A store whose tables lie at an address: tasks and driver read and write there, through Arrow."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from crowdlog.engine.spark.load import importer
from crowdlog.errors import InputError
from crowdlog.log.store import FILES, LogStore
from crowdlog.log.summary import summarise
from crowdlog.mechanisms import parse
from crowdlog.privacy.keyed import KeyedRandomness
from crowdlog.utility.context import MeasureSettings
from crowdlog.utility.coverage_there import coverage_there
from crowdlog.utility.registry import score
from tests.support.spark_borrowed import Borrowed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SPELLINGS = [
    "Crowd(epsilon=8, delta=1e-3)",
    "KAnonymity(k=3)",
    "ASession(epsilon=40, delta=1e-2, l_s=2, l_q=3)",
    "DPu(epsilon=20, delta=1e-2, d=6, artifact='word-site', representation='light')",
]


@pytest.fixture
def there(log, spark, tmp_path, monkeypatch) -> LogStore:
    """The crowded log with its tables at an address, in many files."""
    monkeypatch.setattr(importer, "ROWS_PER_RANGE", 200)
    monkeypatch.setattr(importer, "BYTES_PER_SHARE", 20_000)
    return importer.import_there(
        (log.path.parent / "log.tsv").as_uri(),
        (tmp_path / "store").as_uri(),
        tables=(tmp_path / "tables").as_uri(),
        context=spark.context,
    )


def secret() -> KeyedRandomness:
    return KeyedRandomness(bytes(range(32)), private=False)


def test_released_there_without_a_table_on_this_machine(log, there, spark):
    for spelling in SPELLINGS:
        mechanism = parse(spelling)
        assert (
            mechanism.protect(there, secret(), engine=Borrowed(spark, there)).tables
            == mechanism.protect(log, secret()).tables
        )
    assert Borrowed(spark, there).summary() == summarise(log)
    assert not any((there.path / name).exists() for name in FILES)


def test_coverage_of_a_release(there, spark, tmp_path):
    release = parse("Korolova(epsilon=20, delta=1e-2, d=6)").release(
        there, tmp_path / "out", i_know=True, budget=(1e9, 0.5), engine=lambda log: Borrowed(spark, log)
    )
    found = coverage_there(release, there, Borrowed(spark, there), MeasureSettings(), other_log=False)
    assert not any((there.path / name).exists() for name in FILES)
    assert [each.as_dict() for each in found] == [
        each.as_dict() for each in score(release, there, on=["coverage"])
    ]


def test_one_machine_fetches_what_it_reads(log, there):
    opened = LogStore.open(there.path)
    opened.check()
    for name in FILES:
        assert pq.read_table(opened.here(name)).to_pylist() == pq.read_table(log.path / name).to_pylist()
    assert (there.path / "events.parquet").stat().st_mode & 0o077 == 0


def test_a_changed_table_is_noticed(there, tmp_path):
    part = next((tmp_path / "tables").rglob("queries.parquet/*.parquet"))
    data = bytearray(part.read_bytes())
    data[10] ^= 1
    part.write_bytes(data)
    opened = LogStore.open(there.path)
    with pytest.raises(InputError, match="is not what the import wrote"):
        opened.queries()
    assert not (there.path / "queries.parquet").exists()
    with pytest.raises(InputError, match="is damaged"):
        opened.check()
    part.unlink()
    with pytest.raises(InputError, match="is damaged"):
        LogStore.open(there.path)


def test_a_failed_import_leaves_nothing(log, spark, tmp_path):
    def refuse(_info: object) -> None:
        raise InputError("asked, and the answer was no")

    with pytest.raises(InputError, match="the answer was no"):
        importer.import_there(
            log.path.parent / "log.tsv",
            tmp_path / "store",
            tables=(tmp_path / "tables").as_uri(),
            before=refuse,
            context=spark.context,
        )
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
