"""The engine against plain Python loops over the same rows."""

from __future__ import annotations

import itertools
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.artifacts.kinds import ARTIFACTS, PART_ARTIFACTS, WINDOW, Artifact
from crowdlog.engine import bound
from crowdlog.engine.connection import Engine
from crowdlog.engine.count import histogram
from crowdlog.engine.log_source import LogSource
from crowdlog.engine.mine import mine
from tests.support.logs import make_log

USERS, TEXTS = ("ann", "bob", "cyd"), ("a", "b", "c a a")
rows_of_a_log = st.lists(
    st.tuples(
        st.sampled_from(USERS),
        st.sampled_from(TEXTS),
        st.integers(0, 12).map(lambda n: n * 500),
        st.sampled_from([None, "http://x", "http://www.X/1", "http://y:80"]),
    ),
    min_size=1,
    max_size=25,
)


def impressions(rows):
    """Per user the impressions in order: (query, seconds).

    Rows of the same user, time and query are one; ties keep the order of reading.
    """
    found: dict[str, list[tuple[str, int]]] = {user: [] for user in USERS}
    for user, query, second, _url in sorted(rows, key=lambda row: row[2]):
        if (query, second) not in found[user]:
            found[user].append((query, second))
    return found


def clicks(rows):
    found: dict[str, list[tuple[str, str]]] = {user: [] for user in USERS}
    for user, query, _second, url in sorted(rows, key=lambda row: row[2]):
        if url:
            found[user].append((query, url))
    return found


def pairs(history, scope):
    result = []
    session = 0
    numbered = []
    for i, (query, second) in enumerate(history):
        if i and second - history[i - 1][1] > 26 * 60:
            session += 1
        numbered.append((query, session))
    for later in range(len(numbered)):
        for earlier in range(later):
            (first, one), (second, other) = numbered[earlier], numbered[later]
            near = {
                "pair": later - earlier == 1 and one == other,
                "session-pair": one == other,
                "window-pair": later - earlier < WINDOW,
            }[scope]
            if near and first != second:
                result.append((first, second))
    return result


def parts(rows, user, kind):
    """Words and sites, one after the other."""
    if kind in ("word", "word-pair"):
        for query, _second in impressions(rows)[user]:
            words = query.split()
            yield from words if kind == "word" else itertools.pairwise(words)
    for query, url in clicks(rows)[user]:
        site = url.lower().removeprefix("http://").removeprefix("www.").split("/")[0].split(":")[0]
        yield from {
            "site": [site],
            "query-site": [(query, site)],
            "word-site": [(word, site) for word in query.split()],
        }.get(kind, [])


def expected(rows, artifact):
    """Per user the artifacts in order."""
    if artifact.kind == "query":
        return {user: [query for query, _ in history] for user, history in impressions(rows).items()}
    if artifact.kind == "click":
        return clicks(rows)
    if artifact.kind in PART_ARTIFACTS:
        return {user: list(parts(rows, user, artifact.kind)) for user in USERS}
    found = {user: pairs(history, artifact.scope) for user, history in impressions(rows).items()}
    return (
        found
        if artifact.directed
        else {user: [tuple(sorted(pair)) for pair in each] for user, each in found.items()}
    )


def named(log, artifact, keys):
    with Engine(log) as engine:
        columns = [column.to_pylist() for column in LogSource(engine).texts(artifact, keys).values()]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


@pytest.mark.parametrize("kind", ARTIFACTS)
@settings(max_examples=12)
@given(rows=rows_of_a_log)
def test_counts_are_those_of_a_plain_loop(kind, rows):
    artifact = Artifact(kind)
    per_user = expected(rows, artifact)
    with tempfile.TemporaryDirectory() as folder:
        log = make_log(Path(folder), rows)
        with Engine(log) as engine:
            counts = histogram(LogSource(engine).artifacts(artifact), users=True)
        names = named(log, artifact, counts.key)
    assert dict(zip(names, counts.impressions.tolist(), strict=True)) == dict(
        Counter(item for items in per_user.values() for item in items)
    )
    assert dict(zip(names, counts.users.tolist(), strict=True)) == dict(
        Counter(item for items in per_user.values() for item in set(items))
    )


@pytest.mark.parametrize("kind", ["query", "click", "word", "word-site"])
@settings(max_examples=12)
@given(rows=rows_of_a_log, d=st.integers(1, 4))
def test_first_d_and_first_distinct_d(kind, rows, d):
    artifact = Artifact(kind)
    per_user = expected(rows, artifact)
    with tempfile.TemporaryDirectory() as folder:
        log = make_log(Path(folder), rows)
        with Engine(log) as engine:
            mined = LogSource(engine).artifacts(artifact)
            first = histogram(bound.first(mined, d), users=False)
            distinct = histogram(bound.first_distinct(mined, d), users=False)
        got_first = dict(zip(named(log, artifact, first.key), first.impressions.tolist(), strict=True))
        got_distinct = dict(
            zip(named(log, artifact, distinct.key), distinct.impressions.tolist(), strict=True)
        )
    assert got_first == dict(Counter(item for items in per_user.values() for item in items[:d]))
    assert got_distinct == dict(
        Counter(item for items in per_user.values() for item in list(dict.fromkeys(items))[:d])
    )


def test_random_bounds_keep_d_per_user_and_follow_the_secret(tmp_path):
    log = make_log(tmp_path, [(user, f"q{i}", 60 * i, None) for user in USERS for i in range(40)])
    chosen = {}
    with Engine(log) as engine:
        for secret in ("one", "two"):
            for name, choose in (("repeats", bound.random), ("distinct", bound.random_distinct)):
                table = (
                    choose(mine(engine.events, Artifact("query")), 5, secret)
                    .select("user", "key")
                    .to_pyarrow()
                )
                chosen[secret, name] = sorted(
                    zip(table["user"].to_pylist(), table["key"].to_pylist(), strict=True)
                )
                assert Counter(user for user, _ in chosen[secret, name]) == {0: 5, 1: 5, 2: 5}
        again = (
            bound.random(mine(engine.events, Artifact("query")), 5, "one").select("user", "key").to_pyarrow()
        )
    assert (
        sorted(zip(again["user"].to_pylist(), again["key"].to_pylist(), strict=True))
        == chosen["one", "repeats"]
    )
    assert chosen["one", "repeats"] != chosen["two", "repeats"]
    assert chosen["one", "distinct"] != chosen["two", "distinct"]
