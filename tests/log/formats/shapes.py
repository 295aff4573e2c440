"""The exports that owners of logs really have, made of one invented log: for tests and docs/formats.md.

A shape writes its files and says what an import must make of them: all searches and clicks, or a refusal with
a sentence.
"""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

START = datetime(2024, 3, 14, 9, 0, 0, tzinfo=UTC)
WORDS = "shoes boots laces café müsli lamp desk chair tent map".split()


@dataclass(frozen=True)
class Search:
    user: str
    query: str
    time: datetime
    url: str | None = None
    rank: int | None = None


def searches() -> list[Search]:
    """120 searches of 30 people, 40 of them with one click; no person asks one query twice."""
    draw = random.Random(7)
    made = []
    for i in range(120):
        user = f"u{i % 30:02d}"
        query = f"{WORDS[(i // 30) * 2 + draw.randrange(2)]} {WORDS[draw.randrange(8)]}"
        time = START + timedelta(days=i // 8, minutes=37 * (i % 8), seconds=draw.randrange(60))
        clicked = i % 3 == 0
        made.append(
            Search(
                user,
                query,
                time,
                f"/item/{draw.randrange(20)}" if clicked else None,
                1 + i % 5 if clicked else None,
            )
        )
    return made


@dataclass(frozen=True)
class Shape:
    """`read`: options of an import that must take every row; `refused`: words of the sentence if it cannot.

    `clicks`: whether the export tells them. `times`: how exact they are.
    """

    name: str
    write: Callable[[Path], list[Path]]
    options: dict[str, Any] = field(default_factory=dict)
    refused: str | None = None
    clicks: bool = True
    times: str = "%Y-%m-%d %H:%M:%S"


def _file(folder: Path, name: str, data: str | bytes) -> list[Path]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return [path]


def _csv(
    header: list[str] | None,
    time: str | Callable[[datetime], str] = "%Y-%m-%d %H:%M:%S",
    *,
    delimiter: str = ",",
    encoding: str = "utf-8",
    clicks: bool = True,
    name: str = "log.csv",
    quoted: bool = False,
) -> Callable[[Path], list[Path]]:
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL

    def spelled(moment: datetime) -> str:
        return moment.strftime(time) if isinstance(time, str) else time(moment)

    def write(folder: Path) -> list[Path]:
        text = io.StringIO()
        out = csv.writer(text, delimiter=delimiter, lineterminator="\n", quoting=quoting)
        if header:
            out.writerow(header)
        for s in searches():
            row = [s.user, s.query, spelled(s.time)]
            out.writerow([*row, s.rank or "", s.url or ""] if clicks else row)
        return _file(folder, name, text.getvalue().encode(encoding))

    return write


def _json(
    record: Callable[[Search], dict[str, Any]], *, shape: str = "lines", name: str = "log.jsonl"
) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        made = [record(s) for s in searches()]
        if shape == "lines":
            return _file(folder, name, "".join(json.dumps(r) + "\n" for r in made))
        if shape == "array":
            return _file(folder, name, json.dumps(made, indent=1))
        hits = [{"_index": "log", "_id": str(i), "_source": r} for i, r in enumerate(made)]
        if shape == "dump":
            return _file(folder, name, "".join(json.dumps(h) + "\n" for h in hits))
        return _file(folder, name, json.dumps({"took": 3, "hits": {"total": 120, "hits": hits}}, indent=1))

    return write


def _iso(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


OWN = ["user", "query", "time", "rank", "url"]
OTHER = ["visitor_id", "search term", "created_at", "position", "clicked_url"]
YES = {"confirm": lambda _guess: True}


def _nested(s: Search) -> dict[str, Any]:
    found: dict[str, Any] = {
        "@timestamp": _iso(s.time),
        "client": {"id": s.user},
        "search": {"query": s.query},
    }
    if s.url:
        found["click"] = {"url": s.url, "rank": s.rank}
    return found


NESTED = {
    "user": "client.id",
    "query": "search.query",
    "time": "@timestamp",
    "rank": "click.rank",
    "url": "click.url",
}


def _ubi(folder: Path, *, queries: bool = True, events: bool = True, words: bool = False) -> list[Path]:
    """`words`: events repeat the query's."""
    asked, done = [], []
    for i, s in enumerate(searches()):
        asked.append(
            {
                "query_id": f"q{i}",
                "client_id": s.user,
                "user_query": s.query,
                "timestamp": _iso(s.time),
                "application": "shop",
                "query_response_id": f"r{i}",
            }
        )
        done.append(
            {
                "action_name": "impression",
                "query_id": f"q{i}",
                "client_id": s.user,
                "timestamp": _iso(s.time),
                "event_attributes": {"object": {"object_id": "/seen"}},
            }
        )
        if s.url:
            attributes = {"object": {"object_id": s.url}, "position": {"ordinal": s.rank}}
            done.append(
                {
                    "action_name": "click",
                    "query_id": f"q{i}",
                    "client_id": s.user,
                    "timestamp": _iso(s.time + timedelta(seconds=9)),
                    "event_attributes": attributes,
                }
            )
        if words:
            done = [{"user_query": s.query} | row for row in done]
    made: list[Path] = []
    for name, rows in (("ubi_queries", asked if queries else []), ("ubi_events", done if events else [])):
        if rows:
            made += _file(folder, f"{name}.ndjson", "".join(json.dumps(r) + "\n" for r in rows))
    return made


def _access(folder: Path) -> list[Path]:
    lines = []
    for i, s in enumerate(searches()):
        words = s.query.replace(" ", "+")
        head = f"10.0.0.{int(s.user[1:])} - {s.user} [{s.time.strftime('%d/%b/%Y:%H:%M:%S +0000')}]"
        lines.append(f'{head} "GET /search?q={words}&page=1 HTTP/1.1" 200 512 "-" "Mozilla/5.0 (X11)"')
        page = f"https://a.example/search?q={words}"
        lines.append(f'{head} "GET /static/app.css HTTP/1.1" 200 99 "{page}" "Mozilla/5.0"')
        if s.url:
            lines.append(f'{head} "GET {s.url} HTTP/1.1" 200 5 "{page}&page=1" "Mozilla/5.0 (X11)"')
        if i % 10 == 0:
            lines.append(f'{head} "GET /search?q=lost HTTP/1.1" 500 5 "-" "Mozilla/5.0"')
    return _file(folder, "access.log", "\n".join(lines) + "\n")


def _solr(*, person: bool) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        lines = []
        for s in searches():
            words = s.query.replace(" ", "+")
            who = f"&uid={s.user}" if person else ""
            lines.append(
                f"{s.time.strftime('%Y-%m-%d %H:%M:%S')}.123 INFO  (qtp1-17) [   x:shop] o.a.s.c.S.Request "
                f"[shop]  webapp=/solr path=/select params={{q={words}&rows=10&wt=json{who}}} "
                "hits=7 status=0 QTime=2"
            )
            lines.append(
                f"{s.time.strftime('%Y-%m-%d %H:%M:%S')}.125 INFO  (main) o.a.s.c.Core opened searcher"
            )
        return _file(folder, "solr.log", "\n".join(lines) + "\n")

    return write


def _slow(*, as_json: bool, person: bool = True) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        lines = []
        for s in searches():
            body = json.dumps({"query": {"bool": {"must": [{"match": {"title": {"query": s.query}}}]}}})
            who = s.user if person else ""
            if as_json:
                lines.append(
                    json.dumps(
                        {
                            "@timestamp": s.time.strftime("%Y-%m-%dT%H:%M:%S.120Z"),
                            "log.level": "WARN",
                            "event.dataset": "elasticsearch.index_search_slowlog",
                            "elasticsearch.slowlog.id": who,
                            "elasticsearch.slowlog.source": body,
                        }
                    )
                )
            else:
                lines.append(
                    f"[{s.time.strftime('%Y-%m-%dT%H:%M:%S')},120][WARN ][index.search.slowlog.query] "
                    "[n] [shop][0] "
                    f"took[5ms], took_millis[5], total_hits[3 hits], source[{body}], id[{who}], "
                )
        return _file(folder, "slow.log", "\n".join(lines) + "\n")

    return write


def _matomo(folder: Path) -> list[Path]:
    visits: dict[str, list[dict[str, Any]]] = {}
    for s in searches():
        stamp = int(s.time.timestamp())
        actions = visits.setdefault(s.user, [{"type": "action", "url": "/home", "timestamp": stamp}])
        actions.append({"type": "search", "siteSearchKeyword": s.query, "timestamp": stamp})
        if s.url:
            actions.append({"type": "action", "url": s.url, "timestamp": stamp + 5})
        actions.append({"type": "event", "timestamp": stamp + 6})
    made = [
        {"idSite": 1, "idVisit": i, "visitorId": u, "actionDetails": a}
        for i, (u, a) in enumerate(visits.items())
    ]
    return _file(folder, "visits.json", json.dumps(made))


def _ga4_rows() -> list[dict[str, Any]]:
    rows = []

    def event(name: str, s: Search, told: dict[str, str]) -> dict[str, Any]:
        params = [{"key": k, "value": {"string_value": v, "int_value": None}} for k, v in told.items()]
        return {
            "event_date": s.time.strftime("%Y%m%d"),
            "event_timestamp": _ms(s.time) * 1000,
            "event_name": name,
            "event_params": params,
            "user_pseudo_id": s.user,
        }

    for s in searches():
        rows.append(event("page_view", s, {"page_location": "/"}))
        rows.append(event("view_search_results", s, {"search_term": s.query}))
        if s.url:
            rows.append(event("select_content", s, {"search_term": s.query, "link_url": s.url}))
    return rows


def _ga4(folder: Path) -> list[Path]:
    return _file(folder, "events.json", "".join(json.dumps(r) + "\n" for r in _ga4_rows()))


def _ga4_parquet(folder: Path) -> list[Path]:
    path = folder / "events.parquet"
    pq.write_table(pa.Table.from_pylist(_ga4_rows()), path)
    return [path]


def _tripclick(s: Search) -> dict[str, Any]:
    return {
        "Id": 1,
        "SessionId": s.user,
        "DateCreated": f"/Date({_ms(s.time)})/",
        "Keywords": s.query,
        "Documents": [1, 2],
        "Url": s.url,
        "Title": "t",
    }


def _parquet(
    columns: Callable[[list[Search]], dict[str, Any]], name: str = "log.parquet"
) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        pq.write_table(pa.table(columns(searches())), folder / name)
        return [folder / name]

    return write


def _columns(found: list[Search], time: pa.DataType, names: list[str] = OWN) -> dict[str, Any]:
    times = pa.array([s.time for s in found], pa.timestamp("us", "UTC")).cast(time)
    values = [
        [s.user for s in found],
        [s.query for s in found],
        times,
        [s.rank for s in found],
        [s.url for s in found],
    ]
    return dict(zip(names, values, strict=True))


def _spark(folder: Path) -> list[Path]:
    """A folder as Spark writes it, by day."""
    by_day: dict[str, list[Search]] = {}
    for s in searches():
        by_day.setdefault(s.time.strftime("%Y-%m-%d"), []).append(s)
    for day, found in by_day.items():
        part = folder / "out" / f"dt={day}"
        part.mkdir(parents=True)
        pq.write_table(pa.table(_columns(found, pa.timestamp("us"))), part / "part-00000.snappy.parquet")
        (part / "part-00001.snappy.parquet").touch()
        (part / ".part-00000.snappy.parquet.crc").write_bytes(b"x")
    (folder / "out" / "_SUCCESS").touch()
    return [folder / "out"]


def _hive(folder: Path) -> list[Path]:
    """The day is in the names of folders alone."""
    for s in searches():
        path = folder / "table" / f"day={s.time.strftime('%Y-%m-%d')}" / "000000_0"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        with path.open("a", encoding="utf-8") as file:
            file.write("user_id\tquery\turl\n" if new else "")
            file.write(f"{s.user}\t{s.query}\t{s.url or ''}\n")
    return [folder / "table"]


def _lines(name: str, line: Callable[[int, Search], str], head: str = "") -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        text = head + "".join(line(i, s) + "\n" for i, s in enumerate(searches()))
        return _file(folder, name, text)

    return write


def _xlsx(folder: Path) -> list[Path]:
    return _file(folder, "log.xlsx", b"PK\x03\x04\x14\0\x06\0" + b"\0" * 100)


HOUR = timedelta(hours=1)
MINUTES, DAYS = "%Y-%m-%d %H:%M", "%Y-%m-%d"
SHAPES = [
    Shape("CSV, our own names", _csv(OWN)),
    Shape("CSV with semicolons", _csv(OWN, delimiter=";")),
    Shape("CSV with bars", _csv(OWN, delimiter="|")),
    Shape("CSV, upper case", _csv([name.upper() for name in OWN])),
    Shape("seconds since 1970", _csv(OWN, lambda t: str(int(t.timestamp())))),
    Shape("milliseconds since 1970", _csv(OWN, lambda t: str(_ms(t)))),
    Shape("ISO 8601 with Z", _csv(OWN, _iso)),
    Shape("ISO 8601 with a fraction", _csv(OWN, "%Y-%m-%dT%H:%M:%S.250Z")),
    Shape(
        "ISO 8601 with +02:00",
        _csv(OWN, lambda t: (t + timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M:%S+02:00")),
    ),
    Shape("yyyymmddHHMMSS", _csv(OWN, "%Y%m%d%H%M%S")),
    Shape("AOL TSV", _csv(None, delimiter="\t", name="user-ct-test-collection-01.txt")),
    Shape("Parquet, time stamps with zone", _parquet(lambda f: _columns(f, pa.timestamp("us", "UTC")))),
    Shape("CSV, other names", _csv(OTHER), YES),
    Shape("CSV, a session as user", _csv(["session_id", *OTHER[1:]]), YES),
    Shape("CSV without a header", _csv(None), {"columns": dict(zip(OWN, "12345", strict=True))}),
    Shape(
        "Matomo's table of visits (CSV)",
        _csv(["idvisitor", "search_term", "server_time", "rank", "url"]),
        YES,
    ),
    Shape("OpenSearch UBI queries", lambda f: _ubi(f, events=False), clicks=False),
    Shape("OpenSearch UBI queries and events", _ubi),
    Shape("OpenSearch UBI, events with the words of the query", partial(_ubi, words=True)),
    Shape(
        "OpenSearch UBI events alone",
        lambda f: _ubi(f, queries=False),
        refused="Export the index ubi_queries",
    ),
    Shape("Elasticsearch documents, nested", _json(_nested), YES),
    Shape(
        "Elasticsearch `_search` answer",
        _json(_nested, shape="search", name="hits.json"),
        YES,
    ),
    Shape("elasticdump", _json(_nested, shape="dump"), YES),
    Shape("JSON array", _json(_nested, shape="array", name="log.json"), YES),
    Shape("Elasticsearch slow log, JSON", _slow(as_json=True), clicks=False),
    Shape("Elasticsearch slow log, lines", _slow(as_json=False), clicks=False),
    Shape(
        "Elasticsearch slow log without X-Opaque-Id", _slow(as_json=True, person=False), refused="X-Opaque-Id"
    ),
    Shape("Solr request log with a visitor's id", _solr(person=True), clicks=False),
    Shape("Solr request log", _solr(person=False), refused="Let the search page send a visitor's id"),
    Shape("nginx or Apache access log", _access),
    Shape("Matomo Live.getLastVisitsDetails (JSON)", _matomo),
    Shape("GA4 in BigQuery (JSON)", _ga4),
    Shape("GA4 in BigQuery (Parquet)", _ga4_parquet),
    Shape(
        "GA4, microseconds in CSV",
        _csv(["user_pseudo_id", "search_term", "event_timestamp", "rank", "url"], lambda t: f"{_ms(t)}000"),
        YES,
    ),
    Shape(
        "GA4, yyyymmdd in CSV",
        _csv(["user_pseudo_id", "search_term", "event_date", "rank", "url"], "%Y%m%d"),
        YES,
        times=DAYS,
    ),
    Shape("BigQuery, 'UTC' behind the time", _csv(OWN, "%Y-%m-%d %H:%M:%S UTC")),
    Shape("times without seconds", _csv(OWN, MINUTES), times=MINUTES),
    Shape(
        "PostgreSQL, +02 behind the time",
        _csv(OWN, lambda t: (t + timedelta(hours=2)).strftime("%Y-%m-%d %H:%M:%S.25+02")),
    ),
    Shape("Python's logging, comma before milliseconds", _csv(OWN, "%Y-%m-%d %H:%M:%S,123")),
    Shape("days only", _csv(OWN, DAYS), times=DAYS),
    Shape("dd.mm.yyyy", _csv(OWN, "%d.%m.%Y %H:%M:%S")),
    Shape("mm/dd/yyyy with am and pm", _csv(OWN, "%m/%d/%Y %I:%M:%S %p")),
    Shape("mm/dd/yy", _csv(OWN, "%m/%d/%y %H:%M"), times=MINUTES),
    Shape("Apache's time in CSV", _csv(OWN, "%d/%b/%Y:%H:%M:%S +0000")),
    Shape("ISO 8601 without separators", _csv(OWN, "%Y%m%dT%H%M%SZ")),
    Shape("C and Unix, the year at the end", _csv(OWN, "%a %b %d %H:%M:%S %Y")),
    Shape("Java, zone before the year", _csv(OWN, "%a %b %d %H:%M:%S UTC %Y")),
    Shape(
        "JavaScript, zone in words",
        _csv(OWN, lambda t: f"{t + HOUR:%a %b %d %Y %H:%M:%S} GMT+0100 (Central European Standard Time)"),
    ),
    Shape("Go, zone twice", _csv(OWN, lambda t: f"{t + HOUR:%Y-%m-%d %H:%M:%S}.25 +0100 CET")),
    Shape("Oracle", _csv(OWN, lambda t: f"{t:%d-%b-%y %I.%M.%S}.000000 {t:%p}".upper())),
    Shape("SAS", _csv(OWN, lambda t: f"{t:%d%b%Y:%H:%M:%S}".upper())),
    Shape("DB2", _csv(OWN, "%Y-%m-%d-%H.%M.%S.250000")),
    Shape(
        "Kibana's CSV report",
        _csv(
            ["client_id", "user_query", "@timestamp", "position", "link_url"],
            "%b %d, %Y @ %H:%M:%S.250",
            quoted=True,
        ),
        YES,
    ),
    Shape("TSV, all in quotes", _csv(OWN, delimiter="\t", quoted=True, name="log.tsv")),
    Shape(
        "GA4's report of search terms",
        _lines("ga4.csv", lambda i, s: f"{s.time:%Y%m%d},{s.query},{i}", "Date,Search term,Users\n"),
        refused="there is no person in it",
    ),
    Shape("seconds with a fraction in CSV", _csv(OWN, lambda t: f"{t.timestamp():.3f}")),
    Shape("TripClick", _json(_tripclick)),
    Shape("Excel's Unicode text (UTF-16)", _csv(OWN, delimiter="\t", encoding="utf-16", name="log.txt")),
    Shape("CSV in Latin-1", _csv(OWN, encoding="latin-1")),
    Shape("Excel workbook", _xlsx, refused="Save the sheet as CSV UTF-8"),
    Shape(
        "Matomo's report of keywords",
        _lines("keywords.csv", lambda i, s: f"{s.query},{i},{i}", "label,nb_visits,nb_hits\n"),
        refused="There is no person in it",
    ),
    Shape(
        "Google Search Console",
        _lines(
            "queries.csv",
            lambda i, s: f"{s.query},{i},{i},1%,3.2",
            "Top queries,Clicks,Impressions,CTR,Position\n",
        ),
        refused="There is no person in it",
    ),
    Shape(
        "ORCAS",
        _lines("orcas.tsv", lambda i, s: f"{i}\t{s.query}\tD{i}\thttps://a.example/{i}"),
        refused="There is no person in it",
    ),
    Shape(
        "MS MARCO queries",
        _lines("queries.tsv", lambda i, s: f"{i}\t{s.query}"),
        refused="There is no person in it",
    ),
    Shape(
        "Wikimedia clickstream",
        _lines("clickstream.tsv", lambda i, s: f"other-search\tPage_{i}\texternal\t{i}"),
        refused="There is no person in it",
    ),
    Shape(
        "Wikimedia page views",
        _lines("pageviews", lambda i, s: f"en.m Page_{i} {i} 0"),
        refused="no person in it",
    ),
    Shape(
        "Archive Query Log",
        _json(lambda s: {"serp_id": "x", "url_query": s.query, "timestamp": _iso(s.time)}),
        refused="There is no person in it",
    ),
    Shape(
        "JSON without a user",
        _json(lambda s: {"q": s.query, "ts": _iso(s.time)}),
        refused="there is no person in it",
    ),
    Shape("Spark's output by day", _spark),
    Shape(
        "Hive table with the day in folders",
        _hive,
        {"columns": {"user": "user_id", "query": "query", "time": "day", "url": "url"}},
        times=DAYS,
    ),
    Shape(
        "Parquet with days",
        _parquet(lambda f: _columns(f, pa.timestamp("s")) | {"time": pa.array([s.time.date() for s in f])}),
        times=DAYS,
    ),
    Shape(
        "Parquet, nested",
        _parquet(
            lambda f: {
                "who": [{"id": s.user} for s in f],
                "said": [s.query for s in f],
                "at": [s.time.replace(tzinfo=None) for s in f],
                "clicked": [s.url for s in f],
            }
        ),
        {"columns": {"user": "who.id", "query": "said", "time": "at", "url": "clicked"}},
    ),
    Shape(
        "CSV without times",
        _lines("log.csv", lambda _i, s: f"{s.user},{s.query}", "user_id,query\n"),
        {"columns": {"user": "user_id", "query": "query"}},
        clicks=False,
        times="",
    ),
]
