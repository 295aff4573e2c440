"""One user after another: who she is, when she searches, what she searches, as bytes of a log."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.sessions import SESSION_MINUTES, longest_pause
from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.choice import History, begin_history, new_history, next_search, plant
from crowdlog.log.synth.clicks import MOST_CLICKS, draw_ranks
from crowdlog.log.synth.habits import Habits, draw_habits, new_habits
from crowdlog.log.synth.kernel import entry, kernel
from crowdlog.log.synth.labels import hash_bytes
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.recipe import SUBTOPIC, any_city
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
    Search,
    put_impression,
    put_label,
    put_pages,
)
from crowdlog.log.synth.tables import DAYS, MOST_QUERIES
from crowdlog.log.synth.world import World

_TIMEOUT = longest_pause(SESSION_MINUTES)
_ID_STEP = 37  # AOL's 657,426 users have numbers up to 24 million
_INTERESTS: np.ndarray[tuple[int], np.dtype[np.float64]] = np.array(
    [0.30, 0.45, 0.55]
)  # shares of own first, second, third interest; the rest is everybody's


class UserWorkspace(NamedTuple):
    """What the work on one user needs, allocated once."""

    state: U64
    scratch: U64
    history: History
    habits: Habits
    starts: I64
    query: U8
    ranks: I64
    interests: I64


class Secrets(NamedTuple):
    """The planted secrets of a run of users."""

    of_user: I64  # for each user of the run the number of her secret, or -1
    text: U8
    start: I64


def new_workspace() -> UserWorkspace:
    """Room for the busiest user."""
    return UserWorkspace(
        state=np.zeros(1, np.uint64),
        scratch=np.zeros(1, np.uint64),
        history=new_history(MOST_QUERIES),
        habits=new_habits(),
        starts=np.zeros(MOST_QUERIES, np.int64),
        query=np.zeros(LONGEST, np.uint8),
        ranks=np.zeros(MOST_CLICKS, np.int64),
        interests=np.zeros(3, np.int64),
    )


@entry
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
def _plan_sessions(w: World, p: Population, workspace: UserWorkspace, n: int) -> None:
    """Mark the queries that open a session and draw when, in seconds from the first midnight, sorted.

    People differ, and busy ones have longer sessions.
    """
    state = workspace.state
    opens = workspace.history.opens
    single = (p.single_session - 0.15 + 0.3 * uniform(state)) * (1.06 - 0.12 * min(n, 150) / 150.0)
    sessions = 0
    first = below(state, DAYS - 1)
    span = 1 + below(state, DAYS - 1 - first)
    if n > 30:
        first, span = 0, DAYS - 1
    for i in range(n):
        ends = single if i and opens[i - 1] else 1.0 - p.session_goes_on
        opens[i] = 1 if i == 0 or uniform(state) < ends else 0
        if opens[i]:
            day = first + below(state, span)
            _insert(workspace.starts, sessions, day * 86_400 + one_of(state, w.ints, w.second, w.seconds))
            sessions += 1


@kernel
def _topic(w: World, state: U64, interests: I64) -> int:
    u = uniform(state)
    for i in range(3):
        if u < _INTERESTS[i]:
            return int(interests[i])
    return by_weight(state, w.cum, w.subtopic_cum, w.subtopics)


@kernel
def _be_somebody(w: World, p: Population, workspace: UserWorkspace, n: int) -> int:
    """Draw a person's interests, habits and sessions; return her home."""
    state = workspace.state
    home = any_city(w, state)
    for i in range(3):
        workspace.interests[i] = by_weight(state, w.cum, w.subtopic_cum, w.subtopics)
    _plan_sessions(w, p, workspace, n)
    begin_history(workspace.history)
    draw_habits(w, p, state, workspace.habits, n, workspace.interests[0])
    return home


@kernel
def _write_search(
    w: World,
    p: Population,
    workspace: UserWorkspace,
    secrets: Secrets,
    out: Output,
    user: int,
    i: int,
    time: int,
) -> int:
    """Write the i-th search of the history; return the time of its last page."""
    past = workspace.history
    recipe = past.recipe[i]
    need = past.need[i]
    length = render(w, workspace.query, recipe, secrets.text, secrets.start)
    page = hash_bytes(workspace.query, length)
    old = past.repeats[i]
    clicked = past.clicked[old] if old >= 0 else 0
    clicks = draw_ranks(w, p, workspace.state, recipe, need, page, clicked, workspace.ranks)
    past.clicked[i] = workspace.ranks[0] if clicks else 0
    put_label(w, out, workspace.query, length, page, recipe[SUBTOPIC])
    search = Search(user, length, time, need, page, past.task[i])
    put_impression(w, p, out, search, workspace.query, recipe, workspace.ranks, clicks)
    out.done[QUERIES] += 1
    out.done[CLICKS] += clicks
    return put_pages(w, p, workspace.state, out, search, workspace.query)


@kernel
def _write_user(
    w: World,
    p: Population,
    workspace: UserWorkspace,
    secrets: Secrets,
    out: Output,
    user: int,
    n: int,
    planted: int,
) -> None:
    state = workspace.state
    past = workspace.history
    home = _be_somebody(w, p, workspace, n)
    when = below(state, n)
    time = -_TIMEOUT
    session = 0
    for i in range(n):
        if past.opens[i]:
            time = max(workspace.starts[session], time + _TIMEOUT + 1 + below(state, 1_800))
            session += 1
        else:
            time += one_of(state, w.ints, w.gap, w.gaps)
        topic = _topic(w, state, workspace.interests)
        next_search(w, p, state, workspace.scratch, workspace.habits, past, i, topic, home)
        if planted >= 0 and i == when:
            plant(w, past, i, planted)
        time = _write_search(w, p, workspace, secrets, out, user_id(user), i, time)
        if out.done[ROWS] >= out.limit:
            return


@entry
def write_users(
    w: World,
    p: Population,
    workspace: UserWorkspace,
    secrets: Secrets,
    out: Output,
    seed: int,
    first: int,
    end: int,
) -> int:
    """Write users first … end − 1 until the output is full or has its rows; return the first user not
    written.
    """
    for user in range(first, end):
        start_stream(workspace.state, seed, user)
        n = one_of(workspace.state, w.ints, w.volume, w.volumes)
        if len(out.rows) - out.done[USED] < n * (1 + MOST_PAGES + MOST_CLICKS) * ROW_BYTES:
            return user
        _write_user(w, p, workspace, secrets, out, user, n, secrets.of_user[user - first])
        out.done[USERS] += 1
        if out.done[ROWS] >= out.limit:
            return user + 1
    return end
