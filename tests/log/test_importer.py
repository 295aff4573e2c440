"""Whole imports of small made-up logs."""

import gzip
import random
import re
import stat

import numpy as np
import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.normalise import normalise
from crowdlog.log.store import LogStore

HEADER = "AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
LOG = HEADER + (
    "7\tRed  Shoes \t2006-03-01 10:00:00\t1\thttp://a.example\n"
    "7\tred shoes\t2006-03-01 10:00:00\t3\thttp://b.example\n"
    "7\tred shoes\t2006-03-01 10:01:00\t\t\n"
    "7\t-\t2006-03-01 10:02:00\t\t\n"
    "9\tCafé MÜNCHEN\t2006-03-02 00:00:01\t\t\n"
)


def rows(store: LogStore) -> list[dict]:
    return pq.read_table(store.events()).to_pylist()


def make(tmp_path, text, name="log.tsv", **options) -> LogStore:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_log(path, tmp_path / "store", **options)


def test_three_rows_of_one_query_are_two_impressions_and_two_clicks(tmp_path):
    store = make(tmp_path, LOG)
    events = rows(store)
    assert [e["row"] for e in events] == [0, 1, 2, 3]
    assert [e["user"] for e in events] == [0, 0, 0, 1]
    assert [e["query"] for e in events] == [0, 0, 0, 1]
    assert [e["impression"] for e in events] == [True, False, True, True]
    assert [e["rank"] for e in events] == [1, 3, None, None]
    assert [e["url"] for e in events] == [0, 1, None, None]
    assert [e["nth_impression"] for e in events] == [0, 0, 1, 0]
    assert [e["nth_click"] for e in events] == [0, 1, None, None]
    assert [e["gap"] for e in events] == [None, None, 60, None]
    assert events[0]["time"] == 1141207200
    assert (store.info.rows, store.info.users, store.info.queries, store.info.urls) == (4, 2, 2, 2)
    assert (store.info.clicks, store.info.impressions, store.info.scrubbed) == (2, 3, 1)
    assert store.query_texts([1, 0, 1]).to_pylist() == ["café münchen", "red shoes", "café münchen"]
    assert store.url_texts(np.array([1])).to_pylist() == ["http://b.example"]


def test_next_pages_can_be_merged_and_dashes_kept(tmp_path):
    store = make(tmp_path, LOG, merge_next_page=True, keep_dash=True)
    events = rows(store)
    assert [e["impression"] for e in events] == [True, False, False, True, True]
    assert [e["nth_impression"] for e in events] == [0, 0, 0, 1, 0]
    assert store.info.scrubbed == 0


def test_same_log_same_hash_however_it_is_packed(tmp_path):
    plain = make(tmp_path, LOG).info
    (tmp_path / "log.tsv.gz").write_bytes(gzip.compress(LOG.encode()))
    (tmp_path / "log.tsv.zst").write_bytes(zstandard.compress(LOG.encode()))
    folder = tmp_path / "folder"
    folder.mkdir()
    first, second = LOG[: LOG.index("7\t-")], HEADER + LOG[LOG.index("7\t-") :]
    (folder / "1.tsv").write_text(first)
    (folder / "2.tsv").write_text(second.rstrip("\n").replace("\n", "\r\n"))
    (folder / "README.txt").write_text("about")
    for source in ("log.tsv.gz", "log.tsv.zst", "folder"):
        assert (
            import_log(tmp_path / source, tmp_path / f"store-{source}").info.content_hash
            == plain.content_hash
        )
    other = import_log([folder / "2.tsv", folder / "1.tsv"], tmp_path / "other").info
    assert other.rows == plain.rows
    assert other.content_hash != plain.content_hash


def test_users_spread_over_files_come_together(tmp_path):
    random.seed(1)
    truth = [
        (f"u{random.randrange(50)}", f"q{random.randrange(9)}", random.randrange(10_000)) for _ in range(3000)
    ]
    for part in range(3):
        lines = [
            f"{u}\t{q}\t{np.datetime64(t, 's').astype(str).replace('T', ' ')}\t\t\n"
            for u, q, t in truth[part * 1000 : part * 1000 + 1000]
        ]
        (tmp_path / f"{part}.tsv").write_text("".join(lines))
    store = import_log([tmp_path / f"{part}.tsv" for part in range(3)], tmp_path / "store")
    users = pq.read_table(store.users())["text"].to_pylist()
    queries = store.query_texts(range(store.info.queries)).to_pylist()
    got = [(users[e["user"]], e["time"], queries[e["query"]]) for e in rows(store)]
    first = {user: i for i, user in reversed(list(enumerate(u for u, _q, _t in truth)))}
    expected = sorted(enumerate(truth), key=lambda item: (first[item[1][0]], item[1][2], item[0]))
    assert got == [(u, t, q) for _i, (u, q, t) in expected]


BAD = HEADER + (
    "7\tgood\t2006-03-01 10:00:00\t\t\n"
    "7\tCANARY one\t2006-03-01 25:00:00\t\t\n"
    "7\tCANARY two\n"
    "7\tCANARY three\t2006-03-01 10:00:00\tx\thttp://a.example\n"
    "\tCANARY four\t2006-03-01 10:00:00\t\t\n"
    "7\t   \t2006-03-01 10:00:00\t\t\n"
)


def test_bad_rows_are_counted_and_kept_word_for_word(tmp_path):
    text = (
        BAD.encode()
        + b"7\tCANARY \xff\\\t2006-03-01 10:00:00\t\t\n"
        + b"7\t"
        + b"x" * 5000
        + b"\t2006-03-01 10:00:00\t\t\n"
    )
    store = make(tmp_path, text, format="aol")
    assert store.info.rows == 1
    assert store.info.rejected == {
        "no query": 1,
        "no user": 1,
        "over-long text": 1,
        "rank is not a number": 1,
        "undecodable text": 1,
        "unreadable time": 1,
        "wrong number of columns": 1,
    }
    path = tmp_path / "store.rejects.tsv"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    lines = path.read_text().splitlines()
    assert lines[1].split("\t") == [
        "log.tsv",
        "3",
        "unreadable time",
        "7\\tCANARY one\\t2006-03-01 25:00:00\\t\\t",
    ]
    raw = lines[6].split("\t")[3].encode().decode("unicode_escape").encode("latin-1")
    assert raw == text.split(b"\n")[7]
    assert len(lines) == 8


def test_a_rejected_row_is_no_formula_in_a_spreadsheet_and_can_be_read_back(tmp_path):
    row = b"=cmd|' /C calc'!A0,;\"=1+1\"\tq\tno time\t\t"
    make(tmp_path, HEADER.encode() + b"7\ta\t2006-03-01 10:00:00\t\t\n" + row + b"\n", format="aol")
    kept = (tmp_path / "store.rejects.tsv").read_text().splitlines()[1].split("\t")[3]
    assert not re.search(r'(^|[,;])["\s]*[=+@-]', kept)
    assert kept.encode().decode("unicode_escape").encode("latin-1") == row


def test_strict_stops_at_the_first_bad_row_without_its_text(tmp_path):
    with pytest.raises(InputError, match=r"Line 3 of log\.tsv cannot be read: unreadable time") as caught:
        make(tmp_path, BAD, strict=True)
    assert "CANARY" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == ["log.tsv"]


def test_rejects_of_an_earlier_import_do_not_stay(tmp_path):
    (tmp_path / "store.rejects.tsv").write_text("old")
    make(tmp_path, LOG)
    assert not (tmp_path / "store.rejects.tsv").exists()


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=["Cs"])),
            st.integers(0, 2**31),
        )
    )
)
def test_what_goes_in_comes_out(tmp_path_factory, events):
    tmp_path = tmp_path_factory.mktemp("round")
    kept = [(str(u), normalise(q), t) for u, q, t in events if normalise(q) not in ("", "-")]
    text = "".join(
        f"{u}\t{q}\t{np.datetime64(t, 's').astype(str).replace('T', ' ')}\t\t\n" for u, q, t in events
    )
    if not kept:
        with pytest.raises(InputError):
            make(tmp_path, text, format="aol")
        return
    store = make(tmp_path, text, format="aol")
    users = pq.read_table(store.users())["text"].to_pylist()
    queries = store.query_texts(range(store.info.queries)).to_pylist()
    got = [(users[e["user"]], queries[e["query"]], e["time"]) for e in rows(store)]
    assert sorted(got) == sorted(kept)
    assert queries == list(dict.fromkeys(q for _u, q, _t in kept))


@given(st.binary(max_size=300))
def test_no_bytes_crash_an_import(tmp_path_factory, data):
    tmp_path = tmp_path_factory.mktemp("bytes")
    good = b"1\tgood\t2006-03-01 10:00:00\t\t\n"
    store = make(tmp_path, good + data, format="aol")
    assert store.info.rows >= 1
    assert LogStore.open(store.path).info == store.info
