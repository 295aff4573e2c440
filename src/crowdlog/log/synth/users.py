"""One user after another: who she is, when she searches, what she searches, as bytes of a log."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.clicks import MOST_CLICKS, draw_ranks
from crowdlog.log.synth.draw import fresh, reformulate, secret
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.recipe import SUBTOPIC, WIDTH, any_city
from crowdlog.log.synth.render import LONGEST, render
from crowdlog.log.synth.rng import below, by_weight, one_of, scramble, start_stream, uniform
from crowdlog.log.synth.rows import (
    CLICKS,
    MOST_PAGES,
    QUERIES,
    ROW_BYTES,
    ROWS,
    USED,
    USERS,
    Output,
    put_impression,
    put_label,
)
from crowdlog.log.synth.tables import DAYS, MOST_QUERIES
from crowdlog.log.synth.world import World

_TIMEOUT = 26 * 60  # seconds (spec 0)
_ID_STEP = 37  # AOL's 657,426 users have numbers up to 24 million
# How often a session begins with an own earlier query, how often the session goes on with one, says the last
# otherwise, or stays with its subject.
_BACK, _AGAIN, _REWORD, _STAY = 0.36, 0.14, 0.38, 0.60
_INTERESTS: np.ndarray[tuple[int], np.dtype[np.float64]] = np.array(
    [0.30, 0.45, 0.55]
)  # shares of own first, second, third interest; the rest is everybody's


class Desk(NamedTuple):
    """What the work on one user needs, allocated once."""

    state: U64
    history: I64
    opens: U8
    starts: I64
    query: U8
    ranks: I64
    interests: I64


class Secrets(NamedTuple):
    """The planted secrets of a run of users."""

    of_user: I64  # for each user of the run the number of her secret, or -1
    text: U8
    start: I64


def new_desk() -> Desk:
    """Room for the busiest user."""
    n = MOST_QUERIES
    return Desk(
        state=np.zeros(1, np.uint64), history=np.zeros((n, WIDTH), np.int64), opens=np.zeros(n, np.uint8),
        starts=np.zeros(n, np.int64), query=np.zeros(LONGEST, np.uint8),
        ranks=np.zeros(MOST_CLICKS, np.int64),
        interests=np.zeros(3, np.int64),
    )  # fmt: skip


@kernel
def user_id(user: int) -> int:
    """The number in the log of the user-th user: growing, with holes."""
    return 1 + user * _ID_STEP + int(scramble(user) % np.uint64(_ID_STEP))


@kernel
def _insert(times: I64, n: int, time: int) -> None:
    """Keep times[:n + 1] sorted with one more."""
    while n > 0 and times[n - 1] > time:
        times[n] = times[n - 1]
        n -= 1
    times[n] = time


@kernel
def _plan_sessions(w: World, desk: Desk, n: int) -> None:
    """Mark the queries that open a session and draw when, in seconds from the first midnight, sorted.

    Busy users have longer sessions.
    """
    state = desk.state
    opening = (0.36 + 0.36 * uniform(state)) * (1.0 - 0.18 * min(n, 150) / 150.0)
    sessions = 0
    first = below(state, DAYS - 1)
    span = 1 + below(state, DAYS - 1 - first)
    if n > 30:
        first, span = 0, DAYS - 1
    for i in range(n):
        desk.opens[i] = 1 if i == 0 or uniform(state) < opening else 0
        if desk.opens[i]:
            day = first + below(state, span)
            _insert(desk.starts, sessions, day * 86_400 + one_of(state, w.ints, w.second, w.seconds))
            sessions += 1


@kernel
def _topic(w: World, state: U64, interests: I64) -> int:
    u = uniform(state)
    for i in range(3):
        if u < _INTERESTS[i]:
            return int(interests[i])
    return by_weight(state, w.cum, w.subtopic_cum, w.subtopics)


@kernel
def _copy(history: I64, old: int, new: int) -> None:
    for k in range(WIDTH):
        history[new, k] = history[old, k]


@kernel
def _next_query(w: World, desk: Desk, i: int, topic: int, home: int) -> None:
    """Write the i-th recipe of the history."""
    state, recipe = desk.state, desk.history[i]
    u = uniform(state)
    if i and u < (_BACK if desk.opens[i] else _AGAIN):
        _copy(desk.history, below(state, i), i)
    elif i and not desk.opens[i] and u < _AGAIN + _REWORD:
        _copy(desk.history, i - 1, i)
        reformulate(w, state, recipe, topic, home)
    elif i and not desk.opens[i] and desk.history[i - 1, SUBTOPIC] < w.subtopics and uniform(state) < _STAY:
        fresh(w, state, recipe, desk.history[i - 1, SUBTOPIC], home)
    else:
        fresh(w, state, recipe, topic, home)


@kernel
def _write_user(w: World, desk: Desk, secrets: Secrets, out: Output, user: int, n: int, planted: int) -> None:
    state = desk.state
    home = any_city(w, state)
    for i in range(3):
        desk.interests[i] = by_weight(state, w.cum, w.subtopic_cum, w.subtopics)
    when = below(state, n)
    _plan_sessions(w, desk, n)
    name, time, session = user_id(user), -_TIMEOUT, 0
    for i in range(n):
        if desk.opens[i]:
            time = max(desk.starts[session], time + _TIMEOUT + 1 + below(state, 1_800))
            session += 1
        else:
            time += one_of(state, w.ints, w.gap, w.gaps)
        _next_query(w, desk, i, _topic(w, state, desk.interests), home)
        if planted >= 0 and i == when:
            secret(w, desk.history[i], planted)
        recipe = desk.history[i]
        length = render(w, desk.query, recipe, secrets.text, secrets.start)
        clicks = draw_ranks(w, state, recipe, desk.ranks)
        put_label(w, out, desk.query, length, recipe[SUBTOPIC])
        time = put_impression(w, state, out, name, desk.query, length, time, recipe, desk.ranks, clicks)
        out.done[QUERIES] += 1
        out.done[CLICKS] += clicks
        if out.done[ROWS] >= out.limit:
            return


@kernel
def write_users(w: World, desk: Desk, secrets: Secrets, out: Output, seed: int, first: int, end: int) -> int:
    """Write users first … end − 1 until the output is full or has its rows; return the first user not
    written.
    """
    for user in range(first, end):
        start_stream(desk.state, seed, user)
        n = one_of(desk.state, w.ints, w.volume, w.volumes)
        if len(out.rows) - out.done[USED] < n * (1 + MOST_PAGES + MOST_CLICKS) * ROW_BYTES:
            return user
        _write_user(w, desk, secrets, out, user, n, secrets.of_user[user - first])
        out.done[USERS] += 1
        if out.done[ROWS] >= out.limit:
            return user + 1
    return end
