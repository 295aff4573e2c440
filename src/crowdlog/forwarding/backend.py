"""A small real search engine for trials: SQLite's full text search over public word pairs.

The index is in memory and nothing that is asked is written anywhere; counts are kept.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from functools import cache
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from crowdlog.crowd.services.app import build_app
from crowdlog.crowd.services.fields import AnyObject, Integer, ListOf
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.openapi import Operation
from crowdlog.errors import InputError
from crowdlog.privacy.randomness import Randomness

TITLES = 50_000
_LIST = "frequency_bigramdictionary_en_243_342.txt"  # of symspellpy: public, carried by the package
_MOST_FOUND = 10
_MOST_WORDS = 32


@cache
def public_titles(most: int = TITLES) -> list[str]:
    """Return the most frequent English word pairs of a public list."""
    text = files("symspellpy").joinpath(_LIST).read_text(encoding="utf-8-sig")
    pairs = [line.split() for line in text.splitlines()]
    pairs.sort(key=lambda pair: (-int(pair[2]), pair[0], pair[1]))
    return [f"{first} {second}" for first, second, _count in pairs[:most]]


class TitleIndex:
    """Titles that can be searched for words; all words must occur."""

    def __init__(self, titles: list[str]) -> None:
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        self._database.execute("create virtual table page using fts5(title)")
        self._database.executemany("insert into page (title) values (?)", ((title,) for title in titles))

    def find(self, query: str) -> list[str]:
        """Return the best titles; [] for a query without words."""
        words = re.findall(r"\w+", query)[:_MOST_WORDS]
        if not words:
            return []
        # quoted, a word is a word and never an operator of the search language
        asked = " ".join(f'"{word}"' for word in words)
        found = self._database.execute(
            "select title from page where page match ? order by rank, rowid limit ?", (asked, _MOST_FOUND)
        )
        return [title for (title,) in found]

    def close(self) -> None:
        self._database.close()


class SearchBackend:
    """The engine as a service: GET /search?q=…, and how many searches it answered."""

    token = ""
    limits = Limits(requests_per_second=0)

    def __init__(self, randomness: Randomness, titles: list[str] | None = None) -> None:
        self.randomness = randomness
        self._index = TitleIndex(titles or public_titles())
        self.answered = 0

    def app(self) -> Starlette:
        return build_app("crowdlog trial search engine", self)

    def operations(self) -> list[Operation]:
        found = {"results": ListOf(AnyObject("A title."), _MOST_FOUND, 0)}
        return [
            Operation("GET", "/search", "Search; the query is the parameter q.", self._search, found),
            Operation(
                "GET", "/count", "Searches answered so far.", self._count, {"answered": Integer(0, 2**53)}
            ),
        ]

    async def work(self) -> None:
        await asyncio.Event().wait()

    def close(self) -> None:
        self._index.close()

    async def _search(self, request: Request) -> Response:
        query = request.query_params.get("q", "")
        if not 1 <= len(query) <= 1000:
            raise InputError("'q' must be a text of 1 to 1000 characters.")
        self.answered += 1
        return JSONResponse({"results": [{"title": title} for title in self._index.find(query)]})

    async def _count(self, _request: Request) -> Response:
        return JSONResponse({"answered": self.answered})
