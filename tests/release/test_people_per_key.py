"""People behind a key are counted some users at a time, each person once."""

from __future__ import annotations

import random
from collections import defaultdict

import pyarrow.parquet as pq
import pytest

from crowdlog.release import people_per_key
from crowdlog.release.people_per_key import HeldKeys
from tests.support.logs import make_log


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    draw = random.Random(3)
    rows = [
        (f"u{draw.randrange(11)}", f"query {draw.randrange(6)}", i, draw.choice(["http://a.com", None]))
        for i in range(60)
    ]
    return make_log(tmp_path_factory.mktemp("log[1]*"), rows)


@pytest.mark.parametrize("at_once", [1, 4, 100])
@pytest.mark.parametrize("column", ["query", "url"])
def test_each_key_has_the_users_of_all_items_that_hold_it(log, column, at_once, monkeypatch):
    monkeypatch.setattr(people_per_key, "_AT_ONCE", at_once)
    held, users = HeldKeys(), defaultdict(set)
    keys = {0: (0, 0, 2), 1: (2,), 2: (1, 2), 3: (), 4: (1,)}  # nothing holds 3; an item may hold a key twice
    for item, mine in keys.items():
        for key in mine:
            held.add(item, key)
    for event in pq.read_table(log.events()).to_pylist():
        for key in keys.get(event[column], ()):
            users[key].add(event["user"])
    assert held.people(log, column, 4, "Counting").tolist() == [len(users[key]) for key in range(4)]


def test_nothing_held_is_nobody(log):
    assert HeldKeys().people(log, "query", 2, "Counting").tolist() == [0, 0]
