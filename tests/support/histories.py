"""A browser's history as Chromium keeps it."""

import sqlite3
from contextlib import closing
from pathlib import Path


def browser_history(path: Path, last: str = "third") -> Path:
    """A search, a page opened from it, one opened from that, and so on; and a page opened from nothing.

    `last`: the host, without `.example`, of the last page that was reached from the search.
    """
    pages = ["https://www.google.com/search?q=used+cars"]
    pages += [f"https://{name}.example/" for name in ("first", "second", last, "other")]
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, title TEXT);"
            "CREATE TABLE visits (id INTEGER PRIMARY KEY, url INTEGER, visit_time INTEGER, "
            "from_visit INTEGER)"
        )
        database.executemany("INSERT INTO urls VALUES (?, ?, '')", list(enumerate(pages, 1)))
        start = 1_700_000_000 + 11_644_473_600
        visits = [(n, n, (start + n) * 1_000_000, n - 1 if n < len(pages) else 0) for n in range(1, 6)]
        database.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", visits)
        database.commit()
    return path
