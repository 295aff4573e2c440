"""Every format gives the same store for the same made-up log, is recognised, and says clearly what is
missing.
"""

import json
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log

# user, query, time, rank, url
ROWS = [
    ("u1", "red shoes", "2006-03-01 10:00:00", "1", "http://a.example"),
    ("u1", 'say "hi", twice', "2006-03-01 10:05:00", "", ""),
    ("u2", "北京 天气", "2006-03-01 10:00:07", "12", "http://b.example/x;y"),
]
NAMED = "user=who,query=what,time=when,rank=pos,url=link"
COLUMNS = dict(part.split("=") for part in NAMED.split(","))


def quoted(value: str) -> str:
    return '"' + value.replace('"', '""') + '"'


def got(store) -> list[tuple]:
    events = pq.read_table(store.events()).to_pylist()
    users = pq.read_table(store.users())["text"].to_pylist()
    queries = store.query_texts(range(store.info.queries)).to_pylist()
    urls = store.url_texts(range(store.info.urls)).to_pylist()
    return [
        (
            users[e["user"]],
            queries[e["query"]],
            datetime.fromtimestamp(e["time"], UTC).strftime("%Y-%m-%d %H:%M:%S"),
            "" if e["rank"] is None else str(e["rank"]),
            "" if e["url"] is None else urls[e["url"]],
        )
        for e in events
    ]


def write(tmp_path, kind: str):
    path = tmp_path / "log"
    texts = {
        "csv": "user,query,time,rank,url\n" + "".join(",".join(map(quoted, row)) + "\n" for row in ROWS),
        "semicolons": "\ufeffURL;User;Query;extra;Time;Rank\r\n"
        + "".join(f"{quoted(link)};{u};{quoted(q)};;{t};{r}\r\n" for u, q, t, r, link in ROWS),
        "tsv": "user\tquery\ttime\trank\turl\n" + "".join("\t".join(row) + "\n" for row in ROWS),
        "aol": "".join("\t".join(row if row[4] else row[:3]) + "\n" for row in ROWS),
        "jsonl": "".join(
            json.dumps(dict(zip(["user", "query", "time", "rank", "url"], row, strict=True))) + "\n"
            for row in ROWS
        ),
    }
    if kind == "parquet":
        users, queries, times, ranks, urls = zip(*ROWS, strict=True)
        stamps = pa.array([datetime.fromisoformat(t) for t in times], pa.timestamp("ms"))
        floats = pa.array([float(r) if r else None for r in ranks])
        pq.write_table(
            pa.table(
                {
                    "user": pa.array(users).dictionary_encode(),
                    "query": queries,
                    "time": stamps,
                    "rank": floats,
                    "url": urls,
                }
            ),
            path,
        )
    else:
        path.write_bytes(texts[kind].encode())
    return path


@pytest.mark.parametrize("kind", ["csv", "semicolons", "tsv", "aol", "jsonl", "parquet"])
def test_each_format_is_recognised_and_read(tmp_path, kind):
    store = import_log(write(tmp_path, kind), tmp_path / "store", strict=True)
    assert got(store) == ROWS
    assert store.info.formats == [{"semicolons": "csv"}.get(kind, kind)]


def test_columns_can_be_named(tmp_path):
    header, numbers = (
        "pos,when,x,what,link,who\n",
        {"user": "6", "query": "4", "time": "2", "rank": "1", "url": "5"},
    )
    body = "".join(f"{r},{t},,{quoted(q)},{link},{u}\n" for u, q, t, r, link in ROWS)
    (tmp_path / "named.csv").write_text(header + body)
    (tmp_path / "bare.csv").write_text(body)
    lines = (
        json.dumps({"who": u, "what": q, "when": t, "pos": int(r) if r else None, "link": link or None})
        for u, q, t, r, link in ROWS
    )
    (tmp_path / "log.jsonl").write_text("\n".join(lines))
    pq.write_table(
        pa.table(dict(zip(COLUMNS.values(), map(list, zip(*ROWS, strict=True)), strict=True))),
        tmp_path / "log.parquet",
    )
    for name, columns in [
        ("named.csv", COLUMNS),
        ("bare.csv", numbers),
        ("log.jsonl", COLUMNS),
        ("log.parquet", COLUMNS),
    ]:
        assert (
            got(import_log(tmp_path / name, tmp_path / f"{name}.store", columns=columns, strict=True)) == ROWS
        )


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl", "log.parquet"])
def test_a_missing_column_is_named(tmp_path, name):
    path = tmp_path / name
    if name == "log.parquet":
        pq.write_table(pa.table({"who": ["u"], "what": ["CANARY"], "when": ["2006-03-01 10:00:00"]}), path)
    else:
        path.write_text(
            "who,CANARY,when\n" if name == "log.csv" else '{"who": "u", "what": "CANARY", "when": ""}\n'
        )
    with pytest.raises(InputError, match="'nowhere'") as caught:
        import_log(path, tmp_path / "store", columns={"user": "who", "query": "nowhere", "time": "when"})
    assert "CANARY" not in str(caught.value)
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_a_quoted_field_may_hold_newlines_and_line_numbers_stay_true(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('user,query,time\nu1,"two\nlines",2006-03-01 10:00:00\nu1,bad,never\n')
    store = import_log(path, tmp_path / "store", quoted_lines=True)
    assert store.query_texts([0]).to_pylist() == ["two lines"]
    assert (tmp_path / "store.rejects.tsv").read_text().splitlines()[
        1
    ] == "log.csv\t4\tunreadable time\tu1,bad,never"


def test_a_stray_quote_does_not_swallow_the_rows_of_others(tmp_path):
    """Two quotation marks of one person, 100 people between them: refused, not read as one long query."""
    path = tmp_path / "log.csv"
    others = "".join(f"u{i},weather,2006-03-01 10:00:00\n" for i in range(100))
    path.write_text(
        f'user,query,time\nodd,"CANARY,2006-03-01 10:00:00\n{others}odd,"CANARY,2006-03-01 10:00:00\n'
    )
    with pytest.raises(InputError, match=r"opened in line 2 of log\.csv is closed in a later line") as caught:
        import_log(path, tmp_path / "store")
    assert "CANARY" not in str(caught.value)
    assert not (tmp_path / "store").exists()
    assert import_log(path, tmp_path / "store", format="csv", quoted_lines=True).info.users == 1


def test_one_odd_row_does_not_decide_the_format(tmp_path):
    """An Excite log in which somebody asked for a time stamp: read as AOL's, 500 rows were lost."""
    path = tmp_path / "log.tsv"
    lines = [f"u{i}\t970916{i % 24:02d}1234\tweather" for i in range(500)]
    lines[3] = "odd\t970916101234\t2006-03-01 07:17:12"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match="look like aol and others like excite"):
        import_log(path, tmp_path / "store")
    assert import_log(path, tmp_path / "store", format="excite").info.users == 500


def test_a_guess_that_loses_most_rows_is_refused(tmp_path):
    path = tmp_path / "log.tsv"
    rows = [f"u{i}\tweather\t2006-03-01 10:00:{i:02d}" for i in range(25)]
    path.write_text("\n".join(rows + ["nonsense"] * 30) + "\n")
    with pytest.raises(InputError, match=r"More than half of the rows .* Rejected: 30 × "):
        import_log(path, tmp_path / "store")
    assert import_log(path, tmp_path / "store", format="aol").info.rejected == {"wrong number of columns": 30}


def test_an_open_quote_is_an_error(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text('user,query,time\nu1,"CANARY,2006-03-01 10:00:00\n')
    with pytest.raises(InputError, match=r"opened in line 2 of log\.csv is never closed"):
        import_log(path, tmp_path / "store")


@pytest.mark.parametrize("last", ["", '"'])
def test_what_is_said_about_a_quote_between_tabs_helps(tmp_path, last):
    """There quotes mean something because the header is in them, whatever --format says."""
    path = tmp_path / "log.tsv"
    header, rows = '"user"\t"query"\t"time"\n', [f"u{n}\tq{n}\t2006-03-01 10:00:00\n" for n in range(9)]
    rows[3], rows[5] = rows[3].replace("q3", '"q3'), rows[5].replace("q5", last + "q5")
    path.write_text(header + "".join(rows))
    for said in ({}, {"format": "tsv"}):
        with pytest.raises(InputError, match="if quotes mean nothing, take those of the header off"):
            import_log(path, tmp_path / "store", **said)
    path.write_text(header.replace('"', "") + "".join(rows))
    assert import_log(path, tmp_path / "store").info.users == 9


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_quotes_of_excels_unicode_text_are_no_part_of_a_query(tmp_path, encoding):
    """Once `"swim, pool"` was another query than the same words of somebody else, and quotes were doubled."""
    path = tmp_path / "log.txt"
    rows = [(u, quoted(q) if '"' in q else q, *rest) for u, q, *rest in ROWS]
    text = "user\tquery\ttime\trank\turl\r\n" + "".join("\t".join(row) + "\r\n" for row in rows)
    path.write_bytes(text.encode(encoding))
    assert got(import_log(path, tmp_path / "store")) == ROWS
    path.write_bytes(text.replace('twice"', "twice").encode(encoding))
    with pytest.raises(InputError, match="or save what is in UTF-16 as UTF-8"):
        import_log(path, tmp_path / "other")


def test_quotes_between_tabs_that_look_like_csv_are_told(tmp_path):
    """They are kept, because a query may be in quotes; doubled ones are no query."""
    path = tmp_path / "log.tsv"

    def told(query: str) -> list[str]:
        path.write_text(f"user\tquery\ttime\nu1\t{query}\t2006-03-01 10:00:00\nu2\tx\t2006-03-01 10:00:00\n")
        said: list[str] = []
        import_log(path, tmp_path / f"store-{len(query)}", tell=said.append)
        return [line for line in said if "quotes" in line]

    for query in ('"red shoes"', 'say "hi"', '""'):
        assert told(query) == []
    (line,) = told(quoted('say "hi", twice'))
    assert "stand in quotes with doubled ones inside" in line
    assert "twice" not in line


def test_bad_json_lines_are_set_aside(tmp_path):
    path = tmp_path / "log.jsonl"
    good = '{"user": 1, "query": "x", "time": 1141207200.5}\n'
    path.write_text(
        good
        + 'nonsense\n[1]\n{"user": {}, "query": "x", "time": 1}\n{"user": 1, "query": "\\ud800", "time": '
        '1}\n{"query": "x", "time": 1}\n'
    )
    info = import_log(path, tmp_path / "store", format="jsonl").info
    assert (info.rows, info.first_time) == (1, 1141207200)
    assert info.rejected == {"no user": 1, "unreadable record": 4}


def test_excite(tmp_path):
    path = tmp_path / "excite.log"
    path.write_text("AB12\t970916105432\tTwo  Words\nCD34\t970916001949\t\n")
    store = import_log(path, tmp_path / "store")
    assert got(store) == [("AB12", "two words", "1997-09-16 10:54:32", "", "")]
    assert store.info.formats == ["excite"]


def test_a_day_without_a_time_is_no_moment_of_1970(tmp_path):
    """Six digits were taken for seconds since 1970."""
    path = tmp_path / "excite.log"
    path.write_text("AB12\t970916105432\twords\nCD34\t970916\tother words\n")
    info = import_log(path, tmp_path / "store", format="excite").info
    assert (info.rows, info.rejected) == (1, {"unreadable time": 1})


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_two_columns_of_one_name_are_refused(tmp_path, kind):
    """Which one is the user was a guess nobody was told of."""
    path = tmp_path / f"log.{kind}"
    if kind == "csv":
        path.write_text("user,user,query,time\n" + "a,b,words,2006-03-01 07:17:12\n" * 3)
    else:
        columns = [pa.array(["a"]), pa.array(["b"]), pa.array(["words"]), pa.array([1_141_171_200])]
        pq.write_table(pa.Table.from_arrays(columns, names=["user", "user", "query", "time"]), path)
    with pytest.raises(InputError, match="several columns called 'user'"):
        import_log(path, tmp_path / "store")


def test_a_first_line_that_is_cut_off_is_not_taken_for_the_header(tmp_path):
    """Every row was said to have the wrong number of columns."""
    more = range(15_000)
    path = tmp_path / "log.csv"
    header = ",".join(["user", "query", "time", *(f"c{i}" for i in more)])
    path.write_text(header + "\n" + ("a,words,2006-03-01 07:17:12" + "," * len(more) + "\n") * 3)
    with pytest.raises(InputError, match=r"first line of log\.csv is longer than 65,536 bytes"):
        import_log(path, tmp_path / "store")


def test_xml_of_an_unknown_encoding_is_refused(tmp_path):
    path = tmp_path / "sessions.xml"
    path.write_bytes(b'<?xml version="1.0" encoding="klingon"?><sessions><session num="1"/></sessions>')
    with pytest.raises(InputError, match="an encoding which is not known"):
        import_log(path, tmp_path / "store", format="trec-session", date="2012-01-01")


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8"])
def test_sogou(tmp_path, encoding):
    path = tmp_path / "access_log.20080601.decode.filter"
    lines = [
        "00:00:05\t11\t[北京天气]\t8 1\ta.example/1\n",
        "00:00:09\t11\t[北京天气]\t3 2\tb.example/2\n",
        "00:01:00\t22\t[x]\t1 1\tc.example\n",
        "bad\n",
    ]
    path.write_bytes("".join(lines).encode(encoding))
    store = import_log(path, tmp_path / "store")
    assert got(store) == [
        ("11", "北京天气", "2008-06-01 00:00:05", "8", "a.example/1"),
        ("11", "北京天气", "2008-06-01 00:00:05", "3", "b.example/2"),
        ("22", "x", "2008-06-01 00:01:00", "1", "c.example"),
    ]
    assert (store.info.impressions, store.info.formats, store.info.rejected) == (
        2,
        ["sogou"],
        {"wrong number of columns": 1},
    )


def test_sogou_with_whole_times_and_without_a_day(tmp_path):
    path = tmp_path / "log.txt"
    path.write_bytes("20111230000005\tab\t奇艺高清\t1\t1\thttp://q.example/\n".encode("gb18030"))
    assert got(import_log(path, tmp_path / "store"))[0] == (
        "ab",
        "奇艺高清",
        "2011-12-30 00:00:05",
        "1",
        "http://q.example/",
    )
    path.write_bytes(b"00:00:05\t11\t[x]\t8 1\ta.example/1\n")
    with pytest.raises(InputError, match="--date"):
        import_log(path, tmp_path / "other")
    assert got(import_log(path, tmp_path / "other", date="2008-06-02"))[0][2] == "2008-06-02 00:00:05"
    with pytest.raises(InputError, match="YYYY-MM-DD"):
        import_log(path, tmp_path / "third", date="yesterday")


SESSIONS = """<?xml version="1.0"?>
<sessiontrack2012>
  <session num="1" starttime="10:15:13.8">
    <topic num="3"><title>not a query</title></topic>
    <interaction num="1" starttime="10:15:13.826211" type="reformulate">
      <query>Pocono mountains</query>
      <results>
        <result rank="1"><url>http://a.example</url><title>t</title></result>
        <result rank="2"><url>http://b.example</url></result>
      </results>
      <clicked>
        <click num="1" starttime="10:15:52.1" endtime="10:16:50.2"><rank>2</rank></click>
        <click num="2" starttime="10:16:52.1" endtime="10:17:50.2"><rank>1</rank><docno>d</docno></click>
      </clicked>
    </interaction>
    <currentquery starttime="10:18:00"><query>pocono park</query></currentquery>
  </session>
  <session num="2" userid="ann"><interaction num="1" starttime="61.5"><query>x</query></interaction></session>
</sessiontrack2012>
"""


def test_trec_sessions(tmp_path):
    path = tmp_path / "topics.xml"
    path.write_text(SESSIONS)
    store = import_log(path, tmp_path / "store", date="2012-01-02")
    assert got(store) == [
        ("session 1", "pocono mountains", "2012-01-02 10:15:13", "2", "http://b.example"),
        ("session 1", "pocono mountains", "2012-01-02 10:15:13", "1", "d"),
        ("session 1", "pocono park", "2012-01-02 10:18:00", "", ""),
        ("ann", "x", "2012-01-02 00:01:01", "", ""),
    ]
    assert store.info.formats == ["trec-session"]
    assert import_log(path, tmp_path / "undated").info.last_time < 86400


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SESSIONS[:700], "not well-formed XML at line"),
        ('<!DOCTYPE a [<!ENTITY b "bbb">]>' + SESSIONS.split("\n", 1)[1], "DOCTYPE"),
    ],
)
def test_bad_xml_is_one_clear_sentence(tmp_path, text, message):
    path = tmp_path / "topics.xml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        import_log(path, tmp_path / "store")
    assert [p.name for p in tmp_path.iterdir()] == ["topics.xml"]


def test_damaged_parquet(tmp_path):
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1" + b"\0" * 100)
    with pytest.raises(InputError, match="no readable Parquet"):
        import_log(path, tmp_path / "store")
    pq.write_table(pa.table({"user": ["u"], "query": [["list"]], "time": [1]}), path)
    with pytest.raises(InputError, match="neither text, number nor time"):
        import_log(path, tmp_path / "store")


def test_an_unknown_format_names_the_options(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("CANARY is not a log\n")
    with pytest.raises(
        InputError, match=r"format of log\.txt is not recognised\. Say it with --format aol\|csv"
    ) as caught:
        import_log(path, tmp_path / "store")
    assert "CANARY" not in str(caught.value)
    with pytest.raises(InputError, match="no format 'word'"):
        import_log(path, tmp_path / "store", format="word")
    with pytest.raises(InputError, match="--columns needs user"):
        import_log(path, tmp_path / "store", columns={"user": "a"})


@pytest.mark.parametrize("head", ["", "query\n", "Search Term\r\n"])
@pytest.mark.parametrize("said", [None, "csv"])
def test_queries_alone_have_no_person(tmp_path, head, said):
    """The advice to say a format would lead nowhere."""
    path = tmp_path / "queries.csv"
    path.write_text(f"{head}canary one\ncanary two\n", newline="")
    with pytest.raises(InputError, match=r"[Tt]here is no person in it.*Export one row per search") as caught:
        import_log(path, tmp_path / "store", format=said)
    assert "canary" not in str(caught.value)
    assert ("--columns" in str(caught.value)) == (said is None and not head)


def test_queries_alone_in_a_folder_of_a_person_are_not_taken_for_nobodys(tmp_path):
    (tmp_path / "log" / "user=7").mkdir(parents=True)
    (tmp_path / "log" / "user=7" / "queries.csv").write_text("query\nmaps\n")
    with pytest.raises(InputError, match="--columns") as caught:
        import_log(tmp_path / "log", tmp_path / "store")
    assert "no person" not in str(caught.value)


@pytest.mark.parametrize("head", ["<html><body>", "\n<!DOCTYPE html>\n<HTML>"])
def test_a_takeout_in_html_is_told_how_to_export_it(tmp_path, head):
    """HTML is what Google Takeout makes unless she chooses."""
    path = tmp_path / "MyActivity.html"
    path.write_text(f'{head}<div class="outer-cell">Searched for CANARY<br>Mar 1, 2024, 10:00:00</div>')
    with pytest.raises(InputError, match="choose JSON instead of HTML") as caught:
        import_log(path, tmp_path / "store")
    assert "CANARY" not in str(caught.value)


def test_an_unclosed_quote_at_a_block_boundary_is_read_right(tmp_path):
    """Undoubling quotes changes the buffer;
    what is carried to the next block must be the file's own bytes.
    """
    from crowdlog.log.scan import LineLayout, read_delimited
    from crowdlog.log.sources import SourceFile

    path = tmp_path / "log.csv"
    text = 'u,"a ""b"" c",1\n' * 50
    path.write_text(text)
    for size in range(1, 40):
        batches = list(read_delimited(SourceFile(path), LineLayout(",", (0, 1, 2), quoted=True), size=size))
        queries = [batch.columns[1][i] for batch in batches for i in range(len(batch))]
        assert queries == [b'a "b" c'] * 50
        assert [batch.raw(i) for batch in batches for i in range(len(batch))] == [b'u,"a ""b"" c",1'] * 50
        assert [int(line) for batch in batches for line in batch.line] == list(range(1, 51))
