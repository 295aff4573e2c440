"""The bound on memory, parts of more users than one, and several threads."""

import json

import pytest

from crowdlog.errors import InputError
from crowdlog.log import pass2_write
from crowdlog.log.formats import lines
from crowdlog.log.importer import import_log
from crowdlog.log.store import FILES


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


def mixed_log(path) -> None:
    """People in turns, words of several scripts, and rows that cannot be read."""
    with path.open("w") as file:
        for i in range(4000):
            row = {
                "user": f"u{i * 7919 % 97}",
                "query": f"Größe {i * i % 771}",
                "time": 1_150_000_000 - i % 50,
            }
            if i % 3 == 0:
                row |= {"rank": i % 10, "url": f"http://{i % 41}.example"}
            file.write("{broken\n" if i % 501 == 7 else json.dumps(row) + "\n")


def test_the_store_is_the_same_for_every_number_of_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "_ROWS", 64)  # many batches
    monkeypatch.setattr(pass2_write, "_PART", 100)  # and many parts
    mixed_log(tmp_path / "log.jsonl")
    stores = {n: import_log(tmp_path / "log.jsonl", tmp_path / f"{n}", threads=n) for n in (1, 2, 7)}
    for store in stores.values():
        assert store.info.rejected == {"unreadable record": 8}
        assert store.info.content_hash == stores[1].info.content_hash
        for name in FILES:
            assert (store.path / name).read_bytes() == (stores[1].path / name).read_bytes()
        rejects = store.path.with_name(f"{store.path.name}.rejects.tsv")
        assert rejects.read_bytes() == (tmp_path / "1.rejects.tsv").read_bytes()


@pytest.mark.parametrize("threads", [1, 4])
def test_of_several_errors_the_first_in_the_file_is_told(tmp_path, monkeypatch, threads):
    monkeypatch.setattr(lines, "_ROWS", 16)
    mixed_log(tmp_path / "log.jsonl")
    with pytest.raises(InputError, match=r"Line 8 of log\.jsonl cannot be read: unreadable record"):
        import_log(tmp_path / "log.jsonl", tmp_path / "store", threads=threads, strict=True)
    assert not (tmp_path / "store").exists()
