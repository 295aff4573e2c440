"""Rows of the log in AOL's layout, and rows of the label file, written into byte buffers."""

from __future__ import annotations

from typing import NamedTuple

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.clicks import put_url
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.labels import add, hash_bytes
from crowdlog.log.synth.render import put, put_number, put_token
from crowdlog.log.synth.rng import one_of, uniform
from crowdlog.log.synth.world import World

HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
LABEL_HEADER = b"query\ttopic\tsensitive\n"
ROW_BYTES = 640  # room for one row: a query of at most 512 bytes, a URL of at most 60
MOST_PAGES = 5
# 12.0 requests for a next page on 33.65 new queries per user (docs/synthetic.md): q/(1 − q) = 12.0/33.65, a
# little more as pages are cut at five.
_NEXT_PAGE = 0.264
# Places in `Output.done`.
USED, LABELS_USED, ROWS, CLICKS, QUERIES, USERS, DISTINCT = range(7)
_TAB, _NEWLINE = 9, 10


class Output(NamedTuple):
    """Buffers to fill. `seen` is empty when no labels are wanted; `limit` is the most rows."""

    rows: U8
    labels: U8
    seen: U64
    done: I64
    limit: int


@kernel
def _put_time(w: World, out: U8, at: int, time: int) -> int:
    day, second = time // 86_400, time % 86_400
    at = put_token(w, out, at, w.ints[w.day + day])
    out[at] = 32
    for part, mark in ((second // 3600, 58), (second // 60 % 60, 58), (second % 60, _TAB)):
        out[at + 1], out[at + 2], out[at + 3] = 48 + part // 10, 48 + part % 10, mark
        at += 3
    return at + 1


@kernel
def _begin_row(w: World, out: Output, user: int, query: U8, length: int, time: int) -> int:
    at = put_number(out.rows, out.done[USED], user)
    out.rows[at] = _TAB
    at = put(out.rows, at + 1, query, 0, length)
    out.rows[at] = _TAB
    return _put_time(w, out.rows, at + 1, time)


@kernel
def _end_row(out: Output, at: int) -> None:
    out.rows[at] = _NEWLINE
    out.done[USED] = at + 1
    out.done[ROWS] += 1


@kernel
def put_impression(
    w: World,
    state: U64,
    out: Output,
    user: int,
    query: U8,
    length: int,
    time: int,
    recipe: I64,
    ranks: I64,
    clicks: int,
) -> int:
    """One new query: a row per click (or one without), then its next pages, each a row at a later time.

    Returns the time of the last.
    """
    for i in range(max(clicks, 1)):
        at = _begin_row(w, out, user, query, length, time)
        if clicks:
            at = put_number(out.rows, at, ranks[i])
        out.rows[at] = _TAB
        at += 1
        if clicks:
            at = put_url(w, out.rows, at, recipe, ranks[i])
        _end_row(out, at)
        if out.done[ROWS] >= out.limit:
            return time
    for _page in range(MOST_PAGES):
        if uniform(state) >= _NEXT_PAGE or out.done[ROWS] >= out.limit:
            break
        time += one_of(state, w.ints, w.gap, w.gaps)
        at = _begin_row(w, out, user, query, length, time)
        out.rows[at] = _TAB
        _end_row(out, at + 1)
    return time


@kernel
def put_label(w: World, out: Output, query: U8, length: int, topic: int) -> None:
    """Write query, topic and sensitivity when this text is seen for the first time."""
    if len(out.seen) == 0 or not add(out.seen, hash_bytes(query, length)):
        return
    at = put(out.labels, out.done[LABELS_USED], query, 0, length)
    out.labels[at] = _TAB
    at = put_token(w, out.labels, at + 1, w.ints[w.topic_name + topic])
    out.labels[at], out.labels[at + 1], out.labels[at + 2] = _TAB, 48 + w.ints[w.sensitive + topic], _NEWLINE
    out.done[LABELS_USED] = at + 3
    out.done[DISTINCT] += 1
