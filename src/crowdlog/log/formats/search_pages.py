"""Which addresses of web pages are searches, and for what: how a browser's history becomes a search log."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch, batch_of_rows
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance

USER = b"me"  # a history is one person's
_ROWS = 1 << 14  # rows of a batch
# name of the engine in its host: paths of its result pages, and the parameter with the query
_ENGINES = {
    "google": (("/search",), "q"),
    "bing": (("/search",), "q"),
    "duckduckgo": (("/", "/html", "/html/", "/lite", "/lite/"), "q"),
    "yahoo": (("/search", "/search/"), "p"),
    "ecosia": (("/search",), "q"),
    "startpage": (("/do/search", "/sp/search", "/do/dsearch"), "query"),
    "brave": (("/search",), "q"),
    "yandex": (("/search", "/search/"), "text"),
    "baidu": (("/s",), "wd"),
    "qwant": (("/", ""), "q"),
}

Visit = tuple[int, int | None, int, str]  # number, number of the visit it came from, seconds since 1970, URL
Row = tuple[bytes, bytes, bytes, bytes, bytes]  # texts in the order of ROLES


def query_of(url: str) -> str | None:
    """What is searched for at this address; None for any other page."""
    try:
        place = urlsplit(url)
        labels = (place.hostname or "").split(".")
    except ValueError:
        return None
    for engine, (paths, name) in _ENGINES.items():
        if engine in labels[:-1] and place.path in paths:
            query = " ".join(parse_qs(place.query).get(name, [""])[0].split())
            return query or None
    return None


def searches(visits: Iterable[Visit], *, trails: bool = False) -> Iterator[Row]:
    """A row for each search, and one for each page that was opened from its results; with `trails` also for
    pages opened from these, and so on.
    """
    known: dict[int, tuple[str, int]] = {}
    for number, origin, time, url in visits:
        query = query_of(url)
        if query is not None:
            known[number] = (query, time)
            yield _row(query, time, "")
        elif origin in known and url.startswith(("http://", "https://")):
            yield _row(*known[origin], url)
            if trails:
                known[number] = known[origin]


def _row(query: str, time: int, url: str) -> Row:
    return USER, query.encode(), str(time).encode(), b"", url.encode()


def batches(rows: Iterable[Row]) -> Iterator[Batch]:
    """Rows in batches; they count from 1."""
    part: list[Row] = []
    first = 1
    for row in rows:
        part.append(row)
        if len(part) == _ROWS:
            yield _batch(part, first)
            first += len(part)
            part = []
    if part:
        yield _batch(part, first)


def _batch(part: list[Row], first: int) -> Batch:
    numbers = range(first, first + len(part))
    return batch_of_rows(part, numbers, [0] * len(part), [b"\t".join(row) for row in part])


def visits_of(source: SourceFile, statement: str) -> Iterator[Visit]:
    """The visits that a browser's own database holds, read without changing it."""
    # Without a write-ahead log beside it the file can be read as it lies, also while it is locked.
    waiting = source.local.with_name(source.local.name + "-wal").exists()
    mode = "mode=ro" if waiting else "mode=ro&immutable=1"
    try:
        address = f"{source.local.resolve().as_uri()}?{mode}"
        with closing(sqlite3.connect(address, uri=True)) as database:
            yield from database.execute(statement)
    except sqlite3.Error as error:
        raise InputError(
            f"{source.name} cannot be read as a browser's history: it is damaged, of another kind or in use. "
            "Close the browser, or copy the file and import the copy."
        ) from error


def history_reader(
    statement: str,
) -> Callable[[SourceFile, ReadOptions], Callable[[Advance], Iterator[Batch]]]:
    """A format's `read` for a browser's database; `statement` selects its visits, oldest first."""

    def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
        source.head()

        def rows(advance: Advance) -> Iterator[Batch]:
            yield from batches(searches(visits_of(source, statement), trails=options.trails))
            advance(source.size)

        return rows

    return read


def tables_of(source: SourceFile) -> set[str]:
    """The names of a database's tables."""
    return {str(row[0]) for row in visits_of(source, "SELECT name FROM sqlite_master WHERE type = 'table'")}
