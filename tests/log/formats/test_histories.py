"""What volunteers have: histories of browsers and the export of an account become search logs."""

import json
import sqlite3
from contextlib import closing

import duckdb
import pytest

from crowdlog.errors import InputError
from crowdlog.log.formats.search_pages import query_of
from crowdlog.log.importer import import_log

SEARCH = "https://www.google.com/search?q=blue+sky&hl=en"
PAGE = "https://sky.example/blue"
OTHER = "https://mail.example/inbox"
AT = 1_700_000_000


def rows(store):
    events = duckdb.sql(
        f"SELECT q.text, e.time, u.text FROM '{store.events()}' e "
        f"JOIN '{store.queries()}' q ON q.id = e.query "
        f"LEFT JOIN '{store.urls()}' u ON u.id = e.url ORDER BY e.row"
    )
    return events.fetchall()


def chromium(path):
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT);"
            "CREATE TABLE visits (id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, "
            "from_visit INTEGER)"
        )
        database.executemany("INSERT INTO urls VALUES (?, ?, '')", [(1, SEARCH), (2, PAGE), (3, OTHER)])
        stamps = [(AT + second + 11_644_473_600) * 1_000_000 for second in range(3)]
        database.executemany(
            "INSERT INTO visits VALUES (?, ?, ?, ?)",
            [(1, 1, stamps[0], 0), (2, 2, stamps[1], 1), (3, 3, stamps[2], 0)],
        )
        database.commit()


def firefox(path):
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT);"
            "CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, from_visit INTEGER, place_id INTEGER, "
            "visit_date INTEGER)"
        )
        database.executemany("INSERT INTO moz_places VALUES (?, ?)", [(1, SEARCH), (2, PAGE), (3, OTHER)])
        database.executemany(
            "INSERT INTO moz_historyvisits VALUES (?, ?, ?, ?)",
            [(1, 0, 1, AT * 10**6), (2, 1, 2, (AT + 1) * 10**6), (3, 0, 3, (AT + 2) * 10**6)],
        )
        database.commit()


@pytest.mark.parametrize("browser", [chromium, firefox])
def test_a_browsers_searches_and_what_was_opened_from_them(browser, tmp_path):
    path = tmp_path / "History"
    browser(path)
    before = path.read_bytes()
    store = import_log([path], tmp_path / "store")
    assert rows(store) == [("blue sky", AT, None), ("blue sky", AT, PAGE)]
    assert store.info.users == 1
    assert path.read_bytes() == before


def test_an_exports_searches_in_any_language_and_in_order(tmp_path):
    entries = [
        {"header": "Suche", "title": "Gesucht nach: x", "titleUrl": SEARCH, "time": "2023-11-14T22:13:20.5Z"},
        {"header": "Suche", "title": "Besucht", "titleUrl": PAGE, "time": "2023-11-14T22:13:19Z"},
        {"header": "Suche", "title": "ohne Adresse", "time": "2023-11-14T22:13:18Z"},
        {"titleUrl": "https://www.google.de/search?q=früher", "time": "2023-11-14T22:13:10+00:00"},
    ]
    path = tmp_path / "MyActivity.json"
    path.write_text(json.dumps(entries))
    store = import_log([path], tmp_path / "store")
    assert rows(store) == [("früher", AT - 10, None), ("blue sky", AT, None)]


@pytest.mark.parametrize(
    ("url", "query"),
    [
        (SEARCH, "blue sky"),
        ("https://duckduckgo.com/?t=h_&q=two%20words&ia=web", "two words"),
        ("https://www.bing.com/search?q=a%2Bb", "a+b"),
        ("https://de.search.yahoo.com/search?p=x", "x"),
        ("https://www.google.com/maps?q=x", None),
        ("https://google.evil.example/page?q=x", None),
        ("https://www.google.com/search?q=+", None),
        ("http://[broken", None),
        ("about:blank", None),
    ],
)
def test_which_pages_are_searches(url, query):
    assert query_of(url) == query


def test_other_databases_and_damaged_exports_are_refused(tmp_path):
    strange = tmp_path / "strange.db"
    with closing(sqlite3.connect(strange)) as database:
        database.execute("CREATE TABLE secrets (canary TEXT)")
    with pytest.raises(InputError, match="not the history of a known browser"):
        import_log([strange], tmp_path / "a")
    cut = tmp_path / "MyActivity.json"
    cut.write_text('[{"titleUrl": "canary')
    with pytest.raises(InputError, match="no whole JSON") as refusal:
        import_log([cut], tmp_path / "b")
    assert "canary" not in str(refusal.value)
