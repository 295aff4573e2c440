"""Files, folders and compressed files, whole and broken."""

import bz2
import errno
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.sources import SourceFile, find_sources
from crowdlog.log.spool import label_of

TEXT = b"".join(b"%d\tquery %d\t2006-03-01 10:00:00\t\t\n" % (i, i * i) for i in range(5000))


@pytest.mark.parametrize(
    "packed",
    [
        TEXT,
        gzip.compress(TEXT, mtime=0),
        gzip.compress(TEXT[:999], mtime=0) + gzip.compress(TEXT[999:], mtime=0),
        zstandard.compress(TEXT),
        zstandard.compress(TEXT[:999]) + zstandard.compress(TEXT[999:]),
    ],
)
def test_blocks_of_any_size_make_the_text_and_progress_sums_up(tmp_path, packed):
    path = tmp_path / "log"
    path.write_bytes(packed)
    for size in (1000, 1 << 20):
        moved: list[int] = []
        assert b"".join(SourceFile(path).blocks(size, moved.append)) == TEXT
        assert sum(moved) <= len(packed)
    assert sum(moved) == len(packed)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress])
def test_a_file_cut_short_or_damaged_leaves_nothing(tmp_path, pack):
    whole = pack(TEXT)
    path = tmp_path / "log.tsv"
    damaged = bytearray(whole)
    damaged[len(whole) // 2 : len(whole) // 2 + 200] = b"\xaa" * 200
    for data in (whole[:-3], whole[: len(whole) // 2], bytes(damaged)):
        path.write_bytes(data)
        with pytest.raises(InputError, match=r"log\.tsv is damaged or cut short"):
            import_log(path, tmp_path / "store", format="aol")
        assert [p.name for p in tmp_path.iterdir()] == ["log.tsv"]


@pytest.mark.parametrize("user", ["BZhang0", "BZh91", "PAR1", "PAR15", "PK", "7z"])
def test_who_is_called_as_packed_files_begin_is_a_person(tmp_path, user):
    path = tmp_path / "log.tsv"
    path.write_text("".join(f"{user}\tquery\t2006-03-01 10:00:0{at}\t\t\n" for at in range(3)))
    assert import_log(path, tmp_path / "store").info.rows == 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (gzip.compress(b"", mtime=0), "is empty"),
        (b"\x7fELF\0\0\0", "is a binary file"),
        (bz2.compress(TEXT), "is packed by bzip2"),
        (bz2.compress(b""), "is packed by bzip2"),
        (lzma.compress(TEXT), "is packed by xz"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "is packed by 7-Zip"),
        ("7z集团\tq\t2006-03-01 10:00:00\t\t\n".encode("gb18030"), "undecodable text"),
        ("AnonID\tQuery".encode("utf-16"), "If user=AnonID,query=Query is right, add --yes"),
        (
            b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n",
            "Not one row could be imported. The files hold no rows",
        ),
        (b"1\t-\t2006-03-01 10:00:00\t\t\n", "All queries were scrubbed"),
    ],
)
def test_files_without_a_log(tmp_path, data, message):
    path = tmp_path / "log"
    path.write_bytes(data)
    with pytest.raises(InputError, match=message):
        import_log(path, tmp_path / "store")
    assert [p.name for p in tmp_path.iterdir()] == ["log"]


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "log.tsv").write_bytes(TEXT)

    def refuse(*_args, **_kwargs) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"log\.tsv cannot be read: Permission denied"):
        SourceFile(tmp_path / "log.tsv").head()


def test_which_files_are_read(tmp_path):
    for name in ("b.tsv", "a.tsv", ".hidden", "U500k_README.txt", "sub/c.tsv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [source.name for source in find_sources([tmp_path])] == ["a.tsv", "b.tsv", "c.tsv"]
    assert [source.name for source in find_sources([tmp_path / "b.tsv", tmp_path / "a.tsv"])] == [
        "b.tsv",
        "a.tsv",
    ]
    (tmp_path / "empty").mkdir()
    for paths, message in [
        ([tmp_path / "empty"], "holds no files"),
        ([tmp_path / "none"], "There is no file"),
        ([], "No file was given"),
    ]:
        with pytest.raises(InputError, match=message):
            find_sources(paths)


def test_a_line_without_end_is_no_log(tmp_path):
    path = tmp_path / "log.tsv"
    path.write_bytes(b"1\tgood\t2006-03-01 10:00:00\t\t\n" + b"x" * (40 << 20))
    with pytest.raises(InputError, match=r"Line 2 of log\.tsv does not end within 8 MB"):
        import_log(path, tmp_path / "store")
    path.write_bytes(b'{"user": 1, "query": "a", "time": 1}\n' + b"x" * (10 << 20))
    with pytest.raises(InputError, match=r"A line of log\.tsv does not end within 8 MB"):
        import_log(path, tmp_path / "store")


@pytest.mark.parametrize("place", ["/dev/fd/63", "/proc/self/fd/11"])
def test_a_pipe_of_the_shell_is_called_one(place):
    assert label_of(place) == "the pipe"
