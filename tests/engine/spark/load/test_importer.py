"""An import on Spark gives the events, ids, texts and rejects of one machine's, in folders."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.engine.spark.load import importer, read
from crowdlog.engine.spark.load.importer import import_there
from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import FILES, LogStore
from crowdlog.log.summary import summarise
from crowdlog.mechanisms import parse
from crowdlog.privacy.keyed import KeyedRandomness
from tests.support.logs import make_log
from tests.support.spark_borrowed import Borrowed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("spark"),
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
# Other kinds of artifacts: tests/log/test_parts.py.
SPELLINGS = ["Crowd(epsilon=8, delta=1e-3)", "KAnonymity(k=3)"]
HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"


def tsv_row(i: int, draw: random.Random) -> str:
    """People in turns, other scripts, ties of time, clicks, and some rows that cannot be read."""
    if i % 97 == 5:
        return f"u{i % 13}\tno time at all\tyesterday\t\t\n"
    click = f"{i % 9 + 1}\thttp://{draw.randrange(30)}.example" if i % 3 == 0 else "\t"
    query = draw.choice(["Größe", " Red  shoes", "cafe\u0301", "-"]) + (
        f" {draw.randrange(40)}" if i % 5 else ""
    )
    return f"u{draw.randrange(60)}\t{query}\t2006-03-01 10:0{draw.randrange(10)}:00\t{click}\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> Path:
    """Two plain files of which one is cut into shares, a compressed one and one with an odd name."""
    draw, folder = random.Random(5), tmp_path_factory.mktemp("logs")
    for name in ("b.tsv", "a [1] 50%.tsv"):
        rows = "".join(tsv_row(i, draw) for i in range(900)).replace(
            "\n", "\r\n" if name == "b.tsv" else "\n"
        )
        (folder / name).write_text(HEADER + rows + "\n\n" + tsv_row(1, draw).rstrip("\n"), newline="")
    packed = "".join(tsv_row(i, draw) for i in range(300))
    (folder / "c.tsv.gz").write_bytes(gzip.compress((HEADER + packed).encode()))
    return folder


def same_store(one: LogStore, other: LogStore) -> None:
    for name in FILES:
        here, there = pq.read_table(one.path / name), pq.read_table(other.path / name)
        assert here.to_pylist() == there.to_pylist(), name
    for figure in (
        "rows",
        "users",
        "queries",
        "urls",
        "clicks",
        "impressions",
        "first_time",
        "last_time",
        "people",
    ):
        assert getattr(one.info, figure) == getattr(other.info, figure), figure
    assert (one.info.scrubbed, one.info.rejected) == (other.info.scrubbed, other.info.rejected)


def same_releases(one: LogStore, other: LogStore) -> None:
    """One machine makes the same tables of both stores."""
    for spelling in SPELLINGS:
        secret = [KeyedRandomness(bytes(32), private=False) for _ in range(2)]
        tables = parse(spelling).protect(one, secret[0]).tables
        assert tables == parse(spelling).protect(other, secret[1]).tables, spelling
        assert any(table.num_rows for table in tables.values())
    assert summarise(one) == summarise(other)


def test_the_same_store_as_on_one_machine(files, spark, tmp_path, monkeypatch):
    monkeypatch.setattr(importer, "ROWS_PER_RANGE", 300)
    monkeypatch.setattr(read, "PIECE_ROWS", 200)
    monkeypatch.setattr(importer, "BYTES_PER_SHARE", 20_000)
    here = import_log(files, tmp_path / "here")
    there = import_there(files, tmp_path / "there", context=spark.context)
    same_store(here, there)
    same_releases(here, there)
    assert len(list(there.events().iterdir())) > 3
    assert pq.read_schema(next(iter(sorted(there.events().iterdir())))).field("user").type == pa.int64()
    rejects = [(tmp_path / f"{name}.rejects.tsv").read_bytes() for name in ("here", "there")]
    assert rejects[0] == rejects[1]
    assert len(rejects[0].splitlines()) == 1 + sum(here.info.rejected.values()) > 15
    there.check()
    monkeypatch.setattr(importer, "ROWS_PER_RANGE", 1000)
    again = import_there(files, tmp_path / "again", context=spark.context)
    assert again.info.content_hash == there.info.content_hash
    assert len(list(again.events().iterdir())) != len(list(there.events().iterdir()))


def test_json_lines_and_parquet(spark, tmp_path):
    rows = [
        {"user": f"u{i % 7}", "query": f"Query {i % 11}", "time": 1_150_000_000 + i % 5} for i in range(200)
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    pq.write_table(pa.Table.from_pylist(rows[::-1]), tmp_path / "log.parquet", row_group_size=50)
    files = [tmp_path / "log.parquet", tmp_path / "log.jsonl"]
    here = import_log(files, tmp_path / "here")
    there = import_there(files, tmp_path / "there", context=spark.context)
    same_store(here, there)
    assert (tmp_path / "here.rejects.tsv").read_bytes() == (tmp_path / "there.rejects.tsv").read_bytes()


def test_what_one_task_reads_whole(spark, tmp_path):
    """Packed text whatever its name, texts of several lines, other encodings and times, and formats that
    cannot be cut between two lines.
    """
    rows = [f"u{i % 5},query {i % 9},2006-03-01 10:0{i % 10}:00\n" for i in range(60)]
    several = "".join(f'u{i % 5},"first\nsecond {i % 4}",2006-03-01 10:0{i % 10}:00\n' for i in range(30))
    (tmp_path / "packed").write_bytes(gzip.compress(("user,query,time\n" + "".join(rows)).encode()))
    zstd = pa.compress(("user,query,time\n" + "".join(rows[::-1])).encode(), "zstd", asbytes=True)
    (tmp_path / "z.csv.zst").write_bytes(zstd)
    (tmp_path / "lines.csv").write_text("user,query,time\n" + several)
    (tmp_path / "latin.csv").write_text("user,query,time\nu1,Größe,01.03.2006 10:00\n", encoding="latin-1")
    (tmp_path / "sogou.txt").write_text(
        "".join(f"00:0{i}:00\tu{i}\t[query {i}]\t1 1\twww.a.example\n" for i in range(9))
    )
    for name, options in (
        ("packed", {}),
        ("z.csv.zst", {}),
        ("lines.csv", {"quoted_lines": True}),
        ("latin.csv", {"encoding": "latin-1", "time_format": "%d.%m.%Y %H:%M"}),
        ("sogou.txt", {"format": "sogou", "date": "2006-03-01"}),
    ):
        here = import_log(tmp_path / name, tmp_path / f"here-{name}", **options)
        there = import_there(tmp_path / name, tmp_path / f"there-{name}", context=spark.context, **options)
        same_store(here, there)


SEARCHES = [
    {"user": f"u{i % 7}", "query": f"Query {i % 9}", "time": 1_150_000_000 + i % 5, "rank": 1, "url": "/x"}
    for i in range(60)
]
WITHOUT_CLICKS = [{name: row[name] for name in ("user", "query", "time")} for row in SEARCHES]
NAMED = {"columns": {"user": "user", "query": "query", "time": "time", "url": "link"}}


def json_lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("".join(f"{n}\tq {n}\t2006-03-01 10:00:0{n}\r" for n in range(9)), {}),
        ("user,query,time\r" + "".join(f"u{n},q,2006-03-01 10:00:0{n}\r" for n in range(9)), {}),
        (json_lines(SEARCHES).replace("\n", "\r"), {}),
        (json_lines([{"_index": "i", "_source": row} for row in SEARCHES]), {}),
        (json.dumps({"hits": {"hits": [{"_source": row} for row in SEARCHES]}}), {}),
        ("\n".join(json.dumps(row, indent=1) for row in SEARCHES), {}),
        (json_lines([*WITHOUT_CLICKS * 600, {**WITHOUT_CLICKS[0], "link": "/x"}]), NAMED),
    ],
    ids=["AOL, CR", "CSV, CR", "JSON, CR", "elasticdump", "_search", "indented", "late field"],
)
def test_lines_that_are_not_rows_as_they_lie_there(spark, tmp_path, text, options):
    """Once tasks cut such files at newlines, and said that they hold no rows."""
    (tmp_path / "log").write_text(text, newline="")
    here = import_log(tmp_path / "log", tmp_path / "here", **options)
    assert here.info.rows >= 9
    same_store(here, import_there(tmp_path / "log", tmp_path / "there", context=spark.context, **options))


def test_a_field_that_no_record_has_is_refused_there(spark, tmp_path):
    """Once a misspelt url lost all clicks in silence: each task knew only its own lines."""
    (tmp_path / "log.jsonl").write_text(json_lines(SEARCHES))
    with pytest.raises(InputError, match="has a field 'link'"):
        import_there(tmp_path / "log.jsonl", tmp_path / "there", context=spark.context, **NAMED)


def test_what_tasks_notice_is_told_here(spark, tmp_path):
    """Of lines that are cut, and of a file that one task reads whole; each sentence once."""
    late = [*WITHOUT_CLICKS * 600, {**WITHOUT_CLICKS[0], "remark": 3}]
    (tmp_path / "lines").write_text(json_lines(late))
    (tmp_path / "whole").write_text(json.dumps(late))
    for name in ("lines", "whole"):
        told: dict[str, list[str]] = {"here": [], "there": []}
        import_log(tmp_path / name, tmp_path / f"here-{name}", tell=told["here"].append)
        context = spark.context
        there = tmp_path / f"there-{name}"
        import_there(tmp_path / name, there, context=context, tell=told["there"].append)
        assert told["there"] == told["here"]
        assert "fields that its first 500 have not" in told["here"][0]


def test_paths_from_where_the_command_is_given(spark, tmp_path, monkeypatch):
    """Tasks run elsewhere: the import and a release find logs and store all the same."""
    make_log(tmp_path, [(f"u{i % 4}", f"query {i % 3}", i, None) for i in range(40)])
    monkeypatch.chdir(tmp_path)
    there = import_there("log.tsv", "there", context=spark.context)
    assert there.info.rows == 40
    log = LogStore.open("there")
    secret = KeyedRandomness(bytes(32), private=False)
    found = parse("FTu(k=4)").protect(log, secret, engine=Borrowed(spark, log))
    assert found.tables["queries"].num_rows == 3


@pytest.mark.parametrize(
    ("name", "data", "options", "said"),
    [
        ("log.tsv", b"1\tx\tnever\n" * 30, {"format": "aol"}, "Not one row could be imported. Rejected: 30"),
        ("log.csv", b'user,query,time\n1,"x,5\n2,y",6\n', {}, "opened in line 2 of log.csv is closed"),
        (
            "log.tsv",
            b"1\tx\t2006-03-01 10:00:00\n1\tx\t?\n",
            {"strict": True, "format": "aol"},
            "Line 2 of log.tsv",
        ),
    ],
)
def test_bad_input_is_told_and_nothing_is_left(spark, tmp_path, name, data, options, said):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        import_there(tmp_path / name, tmp_path / "store", context=spark.context, **options)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_name_that_is_taken_is_told_before_spark_is_started(tmp_path, monkeypatch):
    monkeypatch.setattr(importer, "start", None)
    (tmp_path / "log.tsv").write_text(HEADER + "u1\tred shoes\t2006-03-01 10:00:00\t\t\n")
    (tmp_path / "store").mkdir()
    with pytest.raises(InputError, match="exists already"):
        import_there(tmp_path / "log.tsv", tmp_path / "store")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.tsv", "store"]
