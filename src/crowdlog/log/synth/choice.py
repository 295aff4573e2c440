"""What a person searches next, and which task it belongs to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crowdlog.log.synth.arrays import I64, U8, U64
from crowdlog.log.synth.habits import Habits, any_portal, favourite, found_again
from crowdlog.log.synth.kernel import kernel
from crowdlog.log.synth.needs import OWN, PERSON, PORTAL, kind_of, new_need, own_need, rank_of, write_secret
from crowdlog.log.synth.population import Population
from crowdlog.log.synth.recipe import TYPO, WIDTH
from crowdlog.log.synth.rng import skewed, uniform
from crowdlog.log.synth.variants import MOST_VARIANTS, misspell, write_variant
from crowdlog.log.synth.world import World

# Places in `History.now`: tasks so far, the last task, the one before it.
TASKS, LAST, BEFORE = 0, 1, 2


class History(NamedTuple):
    """One person's searches and tasks so far. A task is a need of hers, with all searches for it."""

    recipe: I64
    need: I64
    task: I64
    clicked: I64  # the rank she clicked first, 0 for none
    repeats: I64  # the earlier search that this one repeats, or -1
    opens: U8
    task_need: I64
    now: I64


def new_history(searches: int) -> History:
    """Room for the busiest person."""
    return History(
        recipe=np.zeros((searches, WIDTH), np.int64),
        need=np.zeros(searches, np.int64),
        task=np.zeros(searches, np.int64),
        clicked=np.zeros(searches, np.int64),
        repeats=np.zeros(searches, np.int64),
        opens=np.zeros(searches, np.uint8),
        task_need=np.zeros(searches, np.int64),
        now=np.zeros(3, np.int64),
    )


@kernel
def begin_history(past: History) -> None:
    """Forget the person before."""
    past.now[TASKS] = 0
    past.now[LAST] = past.now[BEFORE] = -1


@kernel
def _task_of(past: History, need: int) -> int:
    """The task of a need: the one she has, or a new one (what nobody shares is always new)."""
    for task in range(past.now[TASKS] if rank_of(need) < OWN else 0):
        if past.task_need[task] == need:
            return task
    task = int(past.now[TASKS])
    past.task_need[task] = need
    past.now[TASKS] += 1
    return task


@kernel
def _turn_to(past: History, i: int, task: int) -> None:
    if task != past.now[LAST]:
        past.now[BEFORE] = past.now[LAST]
        past.now[LAST] = task
    past.task[i] = task
    past.need[i] = past.task_need[task]


@kernel
def _repeat(past: History, i: int, old: int) -> None:
    for k in range(WIDTH):
        past.recipe[i, k] = past.recipe[old, k]
    past.repeats[i] = old
    _turn_to(past, i, past.task[old])


@kernel
def _older_task(p: Population, state: U64, past: History, opens: bool) -> int:
    """The task at hand or an older one to go on with, or -1 for something new."""
    tasks, last, before = past.now[TASKS], past.now[LAST], past.now[BEFORE]
    if tasks == 0:
        return -1
    u = uniform(state)
    if opens:
        # the recent past more often
        return tasks - 1 - skewed(state, tasks) if u < p.resume_open else -1
    stay = p.stay
    if kind_of(past.task_need[last]) == PORTAL:
        stay *= 0.2  # who has reached her portal is done
    if u < stay:
        return int(last)
    if u < stay + p.back and before >= 0:
        return int(before)
    return -1


@kernel
def _new_task(w: World, p: Population, state: U64, past: History, topic: int) -> int:
    if uniform(state) < p.portal_visit:
        return _task_of(past, any_portal(w, state, w.portals, p.visit_exponent))
    return _task_of(past, new_need(w, p, state, topic))


@kernel
def _say(
    w: World, p: Population, state: U64, scratch: U64, past: History, i: int, variant: int, home: int
) -> None:
    write_variant(w, scratch, past.recipe[i], past.need[i], variant, p.name_salt, home)
    if uniform(state) < p.misspelt:
        misspell(state, past.recipe[i])


@kernel
def next_search(
    w: World,
    p: Population,
    state: U64,
    scratch: U64,
    habits: Habits,
    past: History,
    i: int,
    topic: int,
    home: int,
) -> None:
    """Write the i-th search of the history."""
    opens = past.opens[i] == 1
    past.repeats[i] = -1
    need = favourite(state, habits, opens)
    if need >= 0:
        _turn_to(past, i, _task_of(past, need))
        write_variant(w, scratch, past.recipe[i], need, 0, p.name_salt, home)
        return
    last = past.now[LAST]
    if i and past.recipe[i - 1, TYPO] > 0 and not opens and uniform(state) < 0.6:
        _turn_to(past, i, last)
        write_variant(w, scratch, past.recipe[i], past.need[i], 0, p.name_salt, home)
    elif i and uniform(state) < (p.refind_open if opens else p.refind_within):
        _repeat(past, i, found_again(p, state, habits, i))
    else:
        task = _older_task(p, state, past, opens)
        new = task < 0
        if new:
            task = _new_task(w, p, state, past, topic)
        _turn_to(past, i, task)
        _say(w, p, state, scratch, past, i, 0 if new else 1 + skewed(state, MOST_VARIANTS), home)


@kernel
def plant(w: World, past: History, i: int, number: int) -> None:
    """Make the i-th search a planted secret: a task of its own, about a person, that nobody shares."""
    write_secret(w, past.recipe[i], number)
    past.repeats[i] = -1
    _turn_to(past, i, _task_of(past, own_need(PERSON, number)))
