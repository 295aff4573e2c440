"""The bound on memory, and parts of more users than one."""

import pytest

from crowdlog.errors import InputError
from crowdlog.log import pass2_write
from crowdlog.log.importer import import_log


def write(path, rows: int) -> None:
    path.write_text(
        "".join(
            f"u{i * 7919 % 97}\tquery {i * 31 % 1000}\t2006-03-{1 + i % 28:02} 10:00:00\t\t\n"
            for i in range(rows)
        )
    )


def test_too_little_memory_is_said(tmp_path):
    write(tmp_path / "log.tsv", 100)
    with pytest.raises(InputError, match=r"need more than the 0\.4 GB given by --memory"):
        import_log(tmp_path / "log.tsv", tmp_path / "store", memory="400MB")
    assert import_log(tmp_path / "log.tsv", tmp_path / "store", memory="1GB").info.rows == 100


def test_the_store_does_not_depend_on_its_parts(tmp_path, monkeypatch):
    write(tmp_path / "log.tsv", 5000)
    whole = import_log(tmp_path / "log.tsv", tmp_path / "whole")
    monkeypatch.setattr(pass2_write, "_PART", 60)  # about one user each
    parts = import_log(tmp_path / "log.tsv", tmp_path / "parts")
    assert parts.info.content_hash == whole.info.content_hash
    import pyarrow.parquet as pq

    assert pq.read_table(parts.events()).equals(pq.read_table(whole.events()))
    assert pq.ParquetFile(parts.events()).metadata.num_row_groups > 50
