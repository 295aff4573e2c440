"""Histories are read some rows at a time, and are those of the whole log."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest

from crowdlog.clusters.profiles import query_profiles
from crowdlog.clusters.user_rows import read_user_rows
from crowdlog.log import parts
from tests.support.logs import make_log

HOSTS = ("http://shop.a.com", "http://news.a.com/x", "http://b.com", "http://c.co.uk", None)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    draw = random.Random(15)
    rows = [
        (f"u{user}", f"query {draw.randrange(9)}", 50 * user + i, draw.choice(HOSTS))
        for user in range(17)
        for i in range(draw.randrange(1, 9))
    ]
    return make_log(tmp_path_factory.mktemp("rows"), rows)


@pytest.fixture
def small_batches(monkeypatch):
    whole = parts.batches
    for module in ("user_rows", "profiles"):
        monkeypatch.setattr(
            f"crowdlog.clusters.{module}.batches", lambda path, columns: whole(path, columns, 3)
        )


@pytest.mark.usefixtures("small_batches")
def test_rows_of_every_user_are_those_of_the_log(log):
    events = pq.read_table(log.events()).to_pylist()
    urls = pq.read_table(log.urls())["text"].to_pylist()
    wanted, people = defaultdict(list), defaultdict(set)
    for event in events:
        if event["impression"]:
            url = None if event["url"] is None else urls[event["url"]].split("//")[1].split("/")[0]
            wanted[event["user"]].append((event["query"], event["time"], event["rank"] or 0, url))
            for i in range(0 if url is None else len(url.split("."))):
                people[".".join(url.split(".")[i:])].add(event["user"])
    rows = read_user_rows(log)
    names = [*rows.sites.name.to_pylist(), None]
    assert len(rows) == log.info.users
    for user in range(len(rows)):
        mine = range(rows.start[user], rows.start[user + 1])
        found = [(rows.query[i], rows.time[i], rows.rank[i], names[rows.site[i]]) for i in mine]
        assert found == wanted[user]
    counted = dict(zip(names, rows.people_of_site.tolist(), strict=False))
    assert counted == {site: len(users) for site, users in people.items()}


@pytest.mark.usefixtures("small_batches")
def test_profiles_are_the_counts_of_each_user(log):
    table = pq.read_table(log.events())
    seen = table.filter(table["impression"])
    wanted = np.zeros((log.info.users, log.info.queries), int)
    np.add.at(wanted, (seen["user"].to_numpy(), seen["query"].to_numpy()), 1)
    found = query_profiles(log)
    assert len(found) == log.info.users
    for user in range(len(found)):
        mine = slice(found.start[user], found.start[user + 1])
        assert found.item[mine].tolist() == np.flatnonzero(wanted[user]).tolist()
        assert found.weight[mine].tolist() == wanted[user][wanted[user] > 0].tolist()
