"""TREC Session track topics (XML): sessions of interactions, each a query with its results and clicks, and a
current query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from xml.etree.ElementTree import Element, ParseError

from crowdlog.errors import InputError
from crowdlog.log.columns import Batch, batch_of_rows
from crowdlog.log.formats.day import day_of
from crowdlog.log.formats.lines import Row
from crowdlog.log.formats.options import ReadOptions
from crowdlog.log.rejects import GOOD
from crowdlog.log.sources import SourceFile
from crowdlog.progress import Advance


def read(source: SourceFile, options: ReadOptions) -> Callable[[Advance], Iterator[Batch]]:
    """The topics tell no day: without --date or a day in the file's name they stand in 1970; only the order
    in a session has a meaning.
    """
    source.head()
    return partial(_read, source, day_of(source, options) or date(1970, 1, 1))


def _read(source: SourceFile, day: date, advance: Advance) -> Iterator[Batch]:
    """One batch per session; its number stands for the line."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    number = 0
    try:
        events = iterparse(_Stream(source.blocks(1 << 16, advance)), events=("start", "end"))
        root = None
        for event, element in events:
            root = element if root is None else root
            if event == "end" and element.tag == "session":
                number += 1
                rows = list(_rows(element, number, day))
                root.clear()
                if rows:
                    yield batch_of_rows(
                        rows, [number] * len(rows), [GOOD] * len(rows), [b"\t".join(row) for row in rows]
                    )
    except ParseError as error:
        raise InputError(
            f"{source.name} is not well-formed XML at line {error.position[0]}. Correct it or get it again."
        ) from error
    except LookupError as error:
        raise InputError(
            f"{source.name} says that it has an encoding which is not known. Convert it to UTF-8."
        ) from error
    except DefusedXmlException as error:
        raise InputError(
            f"{source.name} defines entities of its own, which could fill the memory. Remove its DOCTYPE."
        ) from error


class _Stream:
    """What iterparse reads from."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks

    def read(self, _size: int = -1) -> bytes:
        return next(self._blocks, b"")


def _rows(session: Element, number: int, day: date) -> Iterator[Row]:
    user = session.get("userid") or f"session {session.get('num') or number}"
    for asked in (*session.iter("interaction"), *session.iter("currentquery")):
        time = _time(asked.get("starttime") or session.get("starttime") or "", day)
        head = (_bytes(user), _bytes(asked.findtext("query")), time)
        results = {result.get("rank"): result for result in asked.iter("result")}
        clicks = [_click(click, results) for click in asked.iter("click")]
        yield from ((*head, *click) for click in clicks or [(b"", b"")])


def _click(click: Element, results: dict[str | None, Element]) -> tuple[bytes, bytes]:
    """Rank and address; older tracks name the document instead."""
    rank = (click.findtext("rank") or "").strip()
    result = results.get(rank)
    places = [click, *([result] if result is not None else [])]
    found = (
        place.findtext(tag) for place in places for tag in ("url", "docno", "clueweb09id", "clueweb12id")
    )
    return _bytes(rank), _bytes(next((text for text in found if text), ""))


def _bytes(text: str | None) -> bytes:
    return (text or "").strip().encode("utf-8")


def _time(text: str, day: date) -> bytes:
    """A time of day, seconds since the session's start, or a whole date and time, as the import reads it."""
    if re.fullmatch(r"\d{1,2}:\d\d:\d\d(\.\d+)?", text):
        return f"{day} {text.split('.')[0]:0>8}".encode()
    if re.fullmatch(r"\d{1,7}(\.\d+)?", text):
        midnight = (day - date(1970, 1, 1)).days * 86400
        return str(midnight + int(float(text))).encode().rjust(9, b"0")
    return text.encode()
