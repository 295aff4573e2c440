"""Every export an owner may have is read whole, or refused with a sentence that helps; nothing is lost in
silence.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer, SimpleHTTPRequestHandler

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError
from crowdlog.log.formats.exports import EXPORTS
from crowdlog.log.formats.roles import guess_roles, looks_like_names
from crowdlog.log.importer import import_log
from tests.log.formats.shapes import NESTED, OTHER, OWN, SHAPES, START, _csv, _json, _nested, _ubi, searches

BY_NAME = {shape.name: shape for shape in SHAPES}


def taken(store, times: str) -> list[tuple]:
    """User, query, time and url of every row, sorted."""
    events = pq.read_table(store.events()).to_pylist()
    users = pq.read_table(store.users())["text"].to_pylist()
    queries = store.query_texts(range(store.info.queries)).to_pylist()
    urls = store.url_texts(range(store.info.urls)).to_pylist()
    return sorted(
        (
            users[e["user"]],
            queries[e["query"]],
            datetime.fromtimestamp(e["time"], UTC).strftime(times),
            "" if e["url"] is None else urls[e["url"]],
        )
        for e in events
    )


def expected(shape) -> list[tuple]:
    return sorted(
        (s.user, s.query, s.time.strftime(shape.times), (s.url or "") if shape.clicks else "")
        for s in searches()
    )


@pytest.mark.parametrize("shape", SHAPES, ids=[shape.name for shape in SHAPES])
def test_each_export_is_read_whole_or_refused_with_a_sentence(tmp_path, shape):
    files = shape.write(tmp_path)
    if shape.refused:
        with pytest.raises(InputError, match=shape.refused) as caught:
            import_log(files, tmp_path / "store", **shape.options)
        assert not any(s.query in str(caught.value) or s.user in str(caught.value) for s in searches())
        assert not (tmp_path / "store").exists()
        return
    store = import_log(files, tmp_path / "store", **shape.options)
    found = taken(store, shape.times)
    # A UBI or Matomo click is a row of its own beside the search: the search then stands there twice.
    if len(found) > len(searches()):
        found = [row for row in found if row[3] or not any(r[:3] == row[:3] and r[3] for r in found)]
    assert found == expected(shape)
    assert store.info.rejected == {}
    assert store.info.impressions == len({row[:3] for row in expected(shape)})
    assert store.info.clicks == sum(bool(row[3]) for row in expected(shape))


def test_there_are_the_shapes_of_the_review_and_more():
    assert len(SHAPES) >= 42
    assert len(BY_NAME) == len(SHAPES)


def test_the_page_tells_of_every_shape_what_the_import_does():
    assert set(EXPORTS) == set(BY_NAME)
    for name, how in EXPORTS.items():
        shape = BY_NAME[name]
        assert how.startswith("no:") == bool(shape.refused), name
        assert ("--columns" in how) == ("columns" in shape.options), name
        assert ("--yes" in how) == ("confirm" in shape.options), name


@pytest.mark.parametrize("role", ["user", "query", "time", "rank", "url"])
@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_a_misspelt_column_is_refused_in_every_format(tmp_path, role, kind):
    """Once a misspelt url in JSON Lines lost all clicks without a word."""
    columns = {name: name for name in OWN}
    if kind == "csv":
        (path,) = _csv(OWN)(tmp_path)
    elif kind == "parquet":
        (path,) = BY_NAME["Parquet, time stamps with zone"].write(tmp_path)
    else:
        columns = dict(NESTED)
        (path,) = _json(_nested)(tmp_path)
    with pytest.raises(InputError, match="typo"):
        import_log(path, tmp_path / "store", columns={**columns, role: "typo"})
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("typo", ["ulr", "clickedulr", "click_url", "link"])
@pytest.mark.parametrize("kind", ["csv", "json"])
def test_a_url_column_by_another_name_is_asked_about(tmp_path, typo, kind):
    """Once `user,query,time,rank,ulr` was read with a word of nothing, and without one click."""
    head = [*OWN[:4], typo]
    if kind == "csv":
        (path,) = _csv(head)(tmp_path)
    else:
        (path,) = _json(
            lambda s: dict(zip(head, (s.user, s.query, str(s.time), s.rank, s.url), strict=True))
        )(tmp_path)
    with pytest.raises(InputError, match=f"url={typo} is right, add --yes"):
        import_log(path, tmp_path / "store")
    store = import_log(path, tmp_path / "store", confirm=lambda _guess: True)
    assert store.info.clicks == sum(s.url is not None for s in searches())


def test_columns_that_are_not_read_are_told_by_name(tmp_path):
    (path,) = _csv([*OWN[:4], "destination"])(tmp_path)
    told: list[str] = []
    import_log(path, tmp_path / "store", tell=told.append)
    assert told == ["Not read: destination. --columns says otherwise."]
    said = {name: name for name in OWN[:3]}
    import_log(path, tmp_path / "again", columns=said, tell=told.append)
    assert len(told) == 1, "who names the columns knows which ones are left"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ([""], "1 without a name"),
        (["", " "], "2 without a name"),
        (["", "destination"], "destination and 1 without a name"),
    ],
)
def test_columns_without_a_name_are_counted(tmp_path, more, told):
    """Once the sentence was "Not read: ."."""
    path = tmp_path / "log.csv"
    path.write_text(",".join([*OWN, *more]) + "\n" + f"u,q,2024-03-01 10:00:00,1,/x{',7' * len(more)}\n")
    sentences: list[str] = []
    import_log(path, tmp_path / "store", tell=sentences.append)
    assert sentences == [f"Not read: {told}. --columns says otherwise."]
    (tmp_path / "log.json").write_text('{"a": 1}}')
    with pytest.raises(InputError, match="it has none"):
        import_log(tmp_path / "log.json", tmp_path / "second")


@pytest.mark.parametrize("name", ["CSV", "TSV", "JSON", "UTF-16", "gzip"])
def test_lines_may_end_with_a_carriage_return_alone(tmp_path, name):
    """Once the whole file was one line, a header without rows."""
    if name == "JSON":
        (path,) = _json(lambda s: dict(zip(OWN, (s.user, s.query, str(s.time), s.rank, s.url), strict=True)))(
            tmp_path
        )
    else:
        (path,) = _csv(OWN)(tmp_path)
    text = path.read_text()
    assert "\n" in text
    assert "\t" not in text
    expected = import_log(path, tmp_path / "plain").info
    data = text.replace("\n", "\r").replace(",", "\t" if name == "TSV" else ",").encode()
    data = data.decode().encode("utf-16") if name == "UTF-16" else data
    path.write_bytes(gzip.compress(data) if name == "gzip" else data)
    info = import_log(path, tmp_path / "store").info
    assert (info.rows, info.clicks, info.rejected) == (expected.rows, expected.clicks, {})
    assert info.content_hash == expected.content_hash


def test_one_slip_of_the_pen_is_known_and_two_are_not():
    assert guess_roles(["usre", "qeury", "tme", "rnak", "ulr"]) == dict(
        zip(OWN, ["usre", "qeury", "tme", "rnak", "ulr"], strict=True)
    )
    assert guess_roles(["user", "query", "post", "erl", "rating", "tone"]).keys() == {"user", "query"}


@pytest.mark.parametrize("text", ["[]", "{}", " [ ]", "\n\n"])
def test_an_export_without_records_is_said_to_be_empty(tmp_path, text):
    (tmp_path / "log.json").write_text(text)
    with pytest.raises(InputError, match=r"is empty|hold no rows"):
        import_log(tmp_path / "log.json", tmp_path / "store")


def test_a_field_that_only_late_records_have_is_no_mistake(tmp_path):
    rows = [{"user": f"u{i}", "query": "q", "time": 1_700_000_000 + i} for i in range(3000)]
    rows[-1]["url"] = "/x"
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = {name: name for name in ("user", "query", "time", "url")}
    assert import_log(tmp_path / "log.jsonl", tmp_path / "store", columns=columns).info.clicks == 1


def test_a_guess_is_shown_by_names_and_needs_a_yes(tmp_path):
    (path,) = _csv(OTHER)(tmp_path)
    with pytest.raises(InputError) as caught:
        import_log(path, tmp_path / "store")
    assert "visitor_id, search term, created_at" in str(caught.value)
    assert "user=visitor_id,query=search term,time=created_at,rank=position,url=clicked_url" in str(
        caught.value
    )
    shown = []
    import_log(path, tmp_path / "store", confirm=lambda guess: shown.append(guess) or True)
    assert shown[0].roles == dict(zip(OWN, OTHER, strict=True))


def test_a_first_row_is_never_taken_for_a_header():
    assert not looks_like_names(["u17", "cheap flights", "2024-03-01 10:00:00"])
    assert not looks_like_names(["4711", "session", "user"])
    assert not looks_like_names(["somebody", "cheap flights"])
    assert looks_like_names(["Visitor ID", "Search Term", "price"])


def test_roles_are_guessed_by_the_most_telling_name():
    assert guess_roles(["session_id", "user_id", "q", "ts"]) == {
        "user": "user_id",
        "query": "q",
        "time": "ts",
    }
    nested = ["client.id", "search.query", "@timestamp"]
    assert guess_roles(nested) == dict(zip(OWN, nested, strict=False))
    assert "user" not in guess_roles(["date", "search_term", "users"]), "a sum is no person"
    assert "user" not in guess_roles(["query", "clicks", "impressions"])


def test_day_and_month_are_not_guessed(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user,query,time\nu,x,03/04/2024 10:00:00\nu,y,05/06/2024 10:00:00\n")
    with pytest.raises(InputError, match=r"more than one way .*%d/%m/%Y.*%m/%d/%Y"):
        import_log(path, tmp_path / "store")
    info = import_log(path, tmp_path / "store", time_format="%m/%d/%Y %H:%M:%S").info
    assert datetime.fromtimestamp(info.first_time, UTC) == datetime(2024, 3, 4, 10, tzinfo=UTC)
    told = "u,y,25/06/2024 10:00:00\nv,y,26/06/2024 10:00:00\n"
    path.write_text(f"user,query,time\nu,x,03/04/2024 10:00:00\n{told}")
    info = import_log(path, tmp_path / "other").info
    assert datetime.fromtimestamp(info.first_time, UTC) == datetime(2024, 4, 3, 10, tzinfo=UTC)


@pytest.mark.parametrize("odd", ["25/06/2024", "06/25/2024"])
@pytest.mark.parametrize("times", [1, 5])
def test_the_rows_of_one_person_do_not_say_which_is_the_day_of_all(tmp_path, odd, times):
    """Nobody's rows are read in another way because of somebody else's."""
    rows = [f"u{i},q{i},0{i % 9 + 1}/0{i % 8 + 1}/2024 10:00:00\n" for i in range(300)]
    path = tmp_path / "log.csv"
    path.write_text("user,query,time\n" + "".join(rows) + f"w,y,{odd} 10:00:00\n" * times)
    with pytest.raises(InputError, match=r"more than one way .*one user alone tell which\. Say it with"):
        import_log(path, tmp_path / "store")
    assert not (tmp_path / "store").exists()
    info = import_log(path, tmp_path / "store", time_format="%d/%m/%Y %H:%M:%S").info
    assert info.rejected == ({} if odd.startswith("25") else {"unreadable time": times})


@pytest.mark.parametrize("rows", [25, 2500])
def test_nor_do_those_of_whoever_stands_first_in_the_file(tmp_path, rows):
    """Logs are often sorted by user: the first rows, or all that are looked at, may be of one."""
    days = [13 + i % 15 if i < 25 else 1 + i % 12 for i in range(rows)]
    first = [f"w,v{i},{day}/01/2024 10:00:00\n" for i, day in enumerate(days)]
    others = [f"x{i},q{i},0{i % 9 + 1}/0{i % 8 + 1}/2024 10:00:00\n" for i in range(300)]
    path = tmp_path / "log.csv"
    path.write_text("user,query,time\n" + "".join(first + others))
    with pytest.raises(InputError, match=r"more than one way .*one user alone tell which\. Say it with"):
        import_log(path, tmp_path / "store")


def test_an_odd_row_among_clear_ones_is_lost_alone(tmp_path):
    rows = [f"u{i},q{i},{i % 28 + 1:02d}/0{i % 8 + 1}/2024 10:00:00\n" for i in range(300)]
    path = tmp_path / "log.csv"
    path.write_text("user,query,time\n" + "".join(rows) + "w,y,06/25/2024 10:00:00\n" * 5)
    info = import_log(path, tmp_path / "store").info
    assert (info.rows, info.rejected) == (300, {"unreadable time": 5})


def test_times_in_no_spelling_say_what_to_do(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user,query,time\nu,CANARY,yesterday\nu,x,last week\n")
    with pytest.raises(InputError, match=r"no spelling that is known\. Say it with --time-format") as caught:
        import_log(path, tmp_path / "store")
    assert "CANARY" not in str(caught.value)
    with pytest.raises(InputError, match="'%Q' is no spelling"):
        import_log(path, tmp_path / "store", time_format="%Q")


def test_one_column_plays_one_role_and_a_day_is_not_ignored(tmp_path):
    (path,) = _csv(OWN)(tmp_path)
    with pytest.raises(InputError, match="'user' two roles"):
        import_log(path, tmp_path / "store", columns={"user": "user", "query": "query", "time": "user"})
    with pytest.raises(InputError, match="--date is for"):
        import_log(path, tmp_path / "store", date="2024-01-01")


def test_a_search_for_true_or_a_bracket_is_a_search(tmp_path):
    rows = [{"user": "u", "query": q, "time": 1_700_000_000} for q in ("true", "[a]", "{b}", "null", "7")]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    store = import_log(tmp_path / "log.jsonl", tmp_path / "store")
    assert sorted(store.query_texts(range(5)).to_pylist()) == ["7", "[a]", "null", "true", "{b}"]


def test_what_ubi_leaves_out_is_told(tmp_path):
    told: list[str] = []
    files = _ubi(tmp_path)
    lost = {"action_name": "click", "query_id": "gone", "event_attributes": {"object": {"object_id": "/x"}}}
    with files[1].open("a") as file:
        file.write(json.dumps(lost) + "\n")
    import_log(files, tmp_path / "store", tell=told.append)
    assert "1 of 41 clicks belong to no query of the export and were left out." in told
    assert any(sentence.startswith("120 events are no clicks") for sentence in told)


def _clicked(query, url, **client):
    done = {"action_name": "click", "query_id": query, "event_attributes": {"object": {"object_id": url}}}
    return json.dumps(done | client) + "\n"


def test_a_click_of_ubi_is_its_clients_alone(tmp_path):
    """A page that is kept for several people has one id for all of them: once a click on it was everybody's
    who saw it, and who made up another's id had the other's clicks.
    """
    told: list[str] = []
    page = {"query_id": "page", "user_query": "weather", "timestamp": "2024-03-01T10:00:00Z"}
    asked = [{**page, "client_id": client} for client in ("a", "b")] + [
        {**page, "query_id": "own", "client_id": "c"}
    ]
    files = [tmp_path / "ubi_queries.ndjson", tmp_path / "ubi_events.ndjson"]
    files[0].write_text("".join(json.dumps(row) + "\n" for row in asked))
    files[1].write_text(
        _clicked("page", "/of-a", client_id="a")
        + _clicked("own", "/of-c")  # only one client has this id
        + _clicked("page", "/whose")
        + _clicked("own", "/of-a-stranger", client_id="d")
    )
    store = import_log(files, tmp_path / "store", tell=told.append)
    rows = pq.read_table(store.events(), columns=["user", "url"]).to_pylist()
    users = pq.read_table(store.path / "users.parquet")["text"].to_pylist()
    urls = store.url_texts(range(store.info.urls)).to_pylist()
    found = {(users[row["user"]], None if row["url"] is None else urls[row["url"]]) for row in rows}
    assert found == {("a", "/of-a"), ("b", None), ("c", "/of-c")}
    assert len(rows) == 3
    sentence = "2 of 4 clicks are of another client than the query they name, or of one that several clients"
    assert any(each.startswith(sentence) for each in told)


def test_what_is_no_search_is_told_for_a_server_log(tmp_path):
    told: list[str] = []
    import_log(BY_NAME["nginx or Apache access log"].write(tmp_path), tmp_path / "store", tell=told.append)
    assert told == ["132 of 292 requests of access.log are neither searches nor clicks."]
    path = tmp_path / "other.log"
    path.write_text(
        '1.2.3.4 - - [01/Mar/2024:10:00:00 +0000] "GET /find?words=x HTTP/1.1" 200 1 "-" "M"\n' * 3
    )
    with pytest.raises(InputError, match="--query-parameter"):
        import_log(path, tmp_path / "second")
    import_log(path, tmp_path / "second", query_parameter="words", tell=told.append)
    assert "network addresses with their browsers" in told[-1]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("place", ["-", "/dev/stdin"])
def test_standard_input_is_read_and_no_copy_is_left(tmp_path, pack, place):
    (path,) = _csv(OWN)(tmp_path)
    answer = subprocess.run(
        [sys.executable, "-m", "crowdlog.cli", "import", place, "-o", str(tmp_path / "store"), "--json"],
        input=pack(path.read_bytes()),
        capture_output=True,
        check=True,
    )
    assert json.loads(answer.stdout)["rows"] == 120
    assert sorted(p.name for p in tmp_path.iterdir()) == ["log.csv", "store"]
    assert not [p for p in (tmp_path / "store").iterdir() if "partial" in p.name]


@pytest.mark.parametrize(
    "name",
    [
        *("JSON array", "Elasticsearch `_search` answer", "Matomo Live.getLastVisitsDetails (JSON)"),
        *("OpenSearch UBI queries", "nginx or Apache access log", "CSV in Latin-1"),
    ],
)
def test_a_packed_export_is_read_as_the_plain_one(tmp_path, name):
    shape = BY_NAME[name]
    (plain,) = shape.write(tmp_path)
    packed = tmp_path / f"{plain.name}.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    stores = [
        import_log(path, tmp_path / f"store-{path.suffix[1:]}", **shape.options) for path in (plain, packed)
    ]
    assert stores[0].info.content_hash == stores[1].info.content_hash
    assert not [path for path in tmp_path.rglob("*") if "partial" in path.name]


def test_numbers_of_queries_are_no_queries(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user_id,query_id,time\n" + "a,17,2024-03-01 10:00:00\n" * 3)
    with pytest.raises(InputError, match="numbers of queries, not their words: export the words"):
        import_log(path, tmp_path / "store")


def test_a_packed_parquet_file_is_to_be_unpacked(tmp_path):
    (plain,) = BY_NAME["Parquet with days"].write(tmp_path)
    packed = tmp_path / "log.parquet.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    with pytest.raises(InputError, match="packed once more: unpack it"):
        import_log(packed, tmp_path / "store")


def test_a_named_pipe_is_read(tmp_path):
    (path,) = _csv(OWN)(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(path.read_bytes()))
    writer.start()
    assert import_log(tmp_path / "pipe", tmp_path / "store").info.rows == 120
    writer.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_args: object) -> None:
        return


@pytest.fixture
def serving(tmp_path):
    """A web server of the folder."""
    server = HTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_addresses_of_the_web_and_of_object_stores(tmp_path, serving):
    _csv(OWN)(tmp_path)
    assert import_log(f"{serving}/log.csv?secret=1", tmp_path / "one").info.rows == 120
    with pytest.raises(InputError, match=r"does not give none\.csv: it answered 404"):
        import_log(f"{serving}/none.csv?secret=1", tmp_path / "two")
    with pytest.raises(InputError, match="begin with ftp://"):
        import_log("ftp://a.example/x", tmp_path / "two")


class _Bucket(BaseHTTPRequestHandler):
    """What an S3 store answers to HEAD and GET of one object."""

    data = b""

    def log_message(self, *_args: object) -> None:
        return

    def do_HEAD(self) -> None:
        self._head(200, len(self.data))

    def do_GET(self) -> None:
        first, _dash, last = self.headers.get("Range", f"bytes=0-{len(self.data) - 1}")[6:].partition("-")
        part = self.data[int(first) : int(last) + 1]
        self._head(206, len(part))
        self.wfile.write(part)

    def _head(self, code: int, size: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(size))
        self.send_header("Last-Modified", "Fri, 01 Mar 2024 10:00:00 GMT")
        self.send_header("ETag", '"x"')
        self.end_headers()


def test_an_object_store_is_read(tmp_path, monkeypatch):
    (path,) = _csv(OWN)(tmp_path)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "k")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    handler = type("Bucket", (_Bucket,), {"data": path.read_bytes()})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        place = f"s3://logs/log.csv?region=x&scheme=http&endpoint_override=127.0.0.1:{server.server_port}"
        assert import_log(place, tmp_path / "store").info.rows == 120
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_yandex_sessions(tmp_path):
    lines = ["0\tM\t3\t5", "0\t0\tQ\t0\t77\t12,13\t70,1\t71,2", "0\t9\tC\t0\t71", "0\t20\tT\t1\t78\t14\t72,1"]
    (tmp_path / "train").write_text("\n".join(lines) + "\n")
    store = import_log(tmp_path / "train", tmp_path / "store")
    day = datetime.fromtimestamp(3 * 86400, UTC).strftime("%Y-%m-%d")
    assert taken(store, "%Y-%m-%d %S") == [
        ("5", "12 13", f"{day} 00", ""),
        ("5", "12 13", f"{day} 00", "71"),
        ("5", "14", f"{day} 20", ""),
    ]


def test_a_log_without_times_gives_what_needs_none(tmp_path):
    from crowdlog.mechanisms import parse
    from crowdlog.privacy.randomness import SeededRandomness

    told: list[str] = []
    shape = BY_NAME["CSV without times"]
    store = import_log(shape.write(tmp_path), tmp_path / "store", tell=told.append, **shape.options)
    assert not store.info.has_times
    assert "The log has no times" in told[0]
    options = {"i_know": True, "randomness": SeededRandomness(1), "budget": (50, 0.5)}
    released = parse("Korolova(epsilon=9, delta=1e-2, d=4)").release(store, tmp_path / "out", **options)
    assert "queries" in released.label.tables
    for spelling in ("Crowd(epsilon=2.3, delta=1e-3)", "Pseudonyms()"):
        with pytest.raises(InputError, match="imported without times"):
            parse(spelling).release(store, tmp_path / "other", **options)


def test_parquet_names_may_differ_in_case(tmp_path):
    rows = {"USER": ["u"], "Query": ["x"], "Time": [int(START.timestamp())]}
    pq.write_table(pa.table(rows), tmp_path / "log.parquet")
    assert import_log(tmp_path / "log.parquet", tmp_path / "store").info.rows == 1


def test_odd_rows_at_the_beginning_do_not_say_in_which_encoding_all_are(tmp_path):
    """Three rows of one person in Latin-1, long before the others' rows beyond ASCII."""
    odd = "user,query,time\n" + "w,caf\xe9,2024-03-01 10:00:00\n" * 3
    plain = "".join(f"u{i},weather,2024-03-01 10:00:00\n" for i in range(5000))
    path = tmp_path / "log.csv"
    path.write_bytes(odd.encode("latin-1") + plain.encode() + "v,Zürich,2024-03-01 10:00:00".encode())
    with pytest.raises(InputError, match="begins as a text in iso8859-1, and other lines of it are UTF-8"):
        import_log(path, tmp_path / "store")
    assert not (tmp_path / "store").exists()
    info = import_log(path, tmp_path / "store", encoding="utf-8").info
    assert (info.rows, info.rejected) == (5001, {"undecodable text": 3})
    path.write_bytes(
        odd.encode("latin-1") + plain.encode() + "v,Zürich,2024-03-01 10:00:00".encode("latin-1")
    )
    assert import_log(path, tmp_path / "all").info.rows == 5004
