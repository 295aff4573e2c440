"""Rows of the log in AOL's layout, and rows of the label file, written into byte buffers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.clicks import put_url
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.labels import add
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.render import put, put_number, put_token
from crowdlog.log.synth.rng import one_of, uniform
from crowdlog.log.synth.world import World

HEADER = b"AnonID\tQuery\tQueryTime\tItemRank\tClickURL\n"
LABEL_HEADER = b"query\ttopic\tsensitive\n"
TASK_HEADER = b"AnonID\tQueryTime\tQuery\tTask\n"
ROW_BYTES = 640  # room for one row: a query of at most 512 bytes, a URL of at most 60
MOST_PAGES = 12
# Places in `Output.done`.
USED, LABELS_USED, TASKS_USED, ROWS, CLICKS, QUERIES, USERS, DISTINCT = range(8)
_TAB, _NEWLINE = 9, 10


class Output(NamedTuple):
    """Buffers to fill. `seen` is empty when no labels are wanted, `tasks` when no tasks are; `limit` is the
    most rows.
    """

    rows: U8
    labels: U8
    tasks: U8
    seen: U64
    done: I64
    limit: int


class Search(NamedTuple):
    """One search as its row shows it, with the need and the task behind it."""

    user: int
    length: int
    time: int
    need: int
    page: np.uint64  # a number of the text
    task: int


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
def _put_task(w: World, out: Output, user: int, query: U8, length: int, time: int, task: int) -> None:
    """One line of the task file for a search."""
    if len(out.tasks) == 0:
        return
    at = put_number(out.tasks, out.done[TASKS_USED], user)
    out.tasks[at] = _TAB
    at = _put_time(w, out.tasks, at + 1, time)
    at = put(out.tasks, at, query, 0, length)
    out.tasks[at] = _TAB
    at = put_number(out.tasks, at + 1, task)
    out.tasks[at] = _NEWLINE
    out.done[TASKS_USED] = at + 1


@kernel
def put_impression(
    w: World, p: Population, out: Output, search: Search, query: U8, recipe: I64, ranks: I64, clicks: int
) -> None:
    """One new query: a row per click, or one without."""
    _put_task(w, out, search.user, query, search.length, search.time, search.task)
    for i in range(max(clicks, 1)):
        at = _begin_row(w, out, search.user, query, search.length, search.time)
        if clicks:
            at = put_number(out.rows, at, ranks[i])
        out.rows[at] = _TAB
        at += 1
        if clicks:
            at = put_url(w, p, out.rows, at, recipe, search.need, search.page, ranks[i])
        _end_row(out, at)
        if out.done[ROWS] >= out.limit:
            return


@kernel
def put_pages(w: World, p: Population, state: U64, out: Output, search: Search, query: U8) -> int:
    """The next pages of a search, each a row at a later time; returns the time of the last."""
    time = search.time
    chance = p.next_page
    for _page in range(MOST_PAGES):
        if uniform(state) >= chance or out.done[ROWS] >= out.limit:
            break
        chance = p.page_after_page
        time += one_of(state, w.ints, w.page_gap, w.page_gaps)
        _put_task(w, out, search.user, query, search.length, time, search.task)
        at = _begin_row(w, out, search.user, query, search.length, time)
        out.rows[at] = _TAB
        _end_row(out, at + 1)
    return time


@kernel
def put_label(w: World, out: Output, query: U8, length: int, page: np.uint64, topic: int) -> None:
    """Write query, topic and sensitivity when this text is seen for the first time."""
    if len(out.seen) == 0 or not add(out.seen, page):
        return
    at = put(out.labels, out.done[LABELS_USED], query, 0, length)
    out.labels[at] = _TAB
    at = put_token(w, out.labels, at + 1, w.ints[w.topic_name + topic])
    out.labels[at], out.labels[at + 1], out.labels[at + 2] = _TAB, 48 + w.ints[w.sensitive + topic], _NEWLINE
    out.done[LABELS_USED] = at + 3
    out.done[DISTINCT] += 1
