"""Times, ranks and texts against Python's own readers."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.log.columns import pack_texts
from crowdlog.log.importer import import_log
from crowdlog.log.parse import NOBODY, check_texts, read_ranks, read_times
from crowdlog.log.rejects import NO_USER, RANK, TIME, TOO_LONG, UNDECODABLE


def times(values: list[str]) -> list[int | None]:
    column = pack_texts([value.encode() for value in values])
    out, reason = np.empty(len(values), np.int64), np.zeros(len(values), np.uint8)
    read_times(column.data, column.start, column.size, out, reason)
    assert set(reason.tolist()) <= {0, TIME}
    return [None if bad else int(t) for t, bad in zip(out, reason, strict=True)]


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_are_those_of_the_calendar(moment):
    expected = int((moment.replace(microsecond=0) - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    text = f"{moment.year:04}-{moment:%m-%d %H:%M:%S}"
    assert times([text, text.replace(" ", "T") + "Z", text + ".25", text + "+00:00", text + "-0130"]) == [
        expected
    ] * 4 + [expected + 5400]


def test_times_of_digits():
    assert times(["970916105432", "20060301100000", "1141207200", "1141207200999", "0", "040229000000"]) == [
        int(datetime(1997, 9, 16, 10, 54, 32, tzinfo=UTC).timestamp()),
        1141207200,
        1141207200,
        1141207200,
        0,
        int(datetime(2004, 2, 29, tzinfo=UTC).timestamp()),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "never",
        "2006-02-29 10:00:00",
        "1900-02-29 10:00:00",
        "2006-13-01 10:00:00",
        "2006-00-01 10:00:00",
        "2006-01-00 10:00:00",
        "2006-03-01 24:00:00",
        "2006-03-01 10:60:00",
        "2006-03-01 10:00:60",
        "2006/03/01 10:00:00",
        "2006-03-01x10:00:00",
        "2006-03-01 10:00",
        "2006-03-01 10:00:00.",
        "2006-03-01 10:00:00+1",
        "2006-03-01 10:00:00+99:00",
        "2006-03-01 10:00:00 PM",
        "20060301",
        "-5",
        "0000-01-01 00:00:00",
        "123456789012345",
        "999999999999999999999999",
    ],
)
def test_what_is_no_time(text):
    assert times([text]) == [None]


@given(st.lists(st.binary(max_size=30)))
def test_no_bytes_crash_the_time_reader(values):
    assert len(times([value.decode("latin-1") for value in values])) == len(values)


def test_ranks():
    good = [b"", b"0", b"17", b"999999999", b"1.0", b"20.000000000000", b"0.0"]
    bad = [b"1000000000", b"-1", b"1.5", b"1.50", b"1.", b".0", b"1.0.0", b"1000000000.0", b"x"]
    column = pack_texts(good + bad)
    out, reason = np.empty(len(good + bad), np.int64), np.zeros(len(good + bad), np.uint8)
    read_ranks(column.data, column.start, column.size, out, reason)
    assert out[: len(good)].tolist() == [-1, 0, 17, 999999999, 1, 20, 0]
    assert reason.tolist() == [0] * len(good) + [RANK] * len(bad)


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=12),
            st.sampled_from(NOBODY).map(bytes.upper),
            st.text(max_size=9).map(lambda text: text.encode("utf-8", "surrogatepass")),
        )
    )
)
def test_texts_are_checked_as_python_does(values):
    column, reason = pack_texts(values), np.zeros(len(values), np.uint8)
    check_texts(column.data, column.start, column.size, True, reason)
    for i, value in enumerate(values):
        trimmed = value.strip(bytes(range(1, 33)))
        assert column[i] == trimmed
        try:
            trimmed.decode()
            nobody = trimmed.lower() in (b"", *NOBODY)
            expected = UNDECODABLE if b"\0" in trimmed else NO_USER if nobody else 0
        except UnicodeDecodeError:
            expected = UNDECODABLE
        assert reason[i] == expected


@pytest.mark.parametrize("name", [*NOBODY, b"NULL", b"NaN", b" None ", b"\\N"])
def test_who_is_not_known_is_no_person(name):
    """Nor is a query of that name rejected, nor a user whose name only begins so."""
    column, reason = pack_texts([name, name + b"a"]), np.zeros(2, np.uint8)
    check_texts(column.data, column.start, column.size, True, reason)
    assert reason.tolist() == [NO_USER, 0]
    reason[:] = 0
    check_texts(column.data, column.start, column.size, False, reason)
    assert reason.tolist() == [0, 0]
    assert (column[0], column[1]) == (b"", (name + b"a").strip())


def test_the_word_null_is_no_click_and_no_rank(tmp_path):
    """Once each search without a click counted as one on the address "null", or was refused for its rank."""
    clicks = ("1,/x", "null,null", "NULL,NULL", "\\N,\\N", ",None", ",")
    rows = "".join(f"u{i},q,2024-03-01 10:00:00,{click}\n" for i, click in enumerate(clicks))
    (tmp_path / "log.csv").write_text("user,query,time,rank,url\n" + rows)
    info = import_log(tmp_path / "log.csv", tmp_path / "store").info
    assert (info.rows, info.clicks, info.urls, info.rejected) == (6, 1, 1, {})


def test_long_texts_and_earlier_reasons():
    column, reason = pack_texts([b"x" * 4096, b"x" * 4097, b"\xff"]), np.array([0, 0, TIME], np.uint8)
    check_texts(column.data, column.start, column.size, False, reason)
    assert reason.tolist() == [0, TOO_LONG, TIME]
