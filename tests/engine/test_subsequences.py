"""Sessions and subsequences against plain Python loops over the same rows."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdlog.engine import subsequences
from crowdlog.engine.subsequences import Naming, Sessions, count_subsequences, cut_sessions
from tests.support.logs import make_log

USERS, TEXTS = ("ann", "bob"), ("a", "b", "c")
rows_of_a_log = st.lists(
    st.tuples(
        st.sampled_from(USERS), st.sampled_from(TEXTS), st.integers(0, 30).map(lambda n: n * 500), st.none()
    ),
    min_size=1,
    max_size=30,
)


def plain_sessions(rows, l_s, l_q):
    """(user, session): split above 30 minutes, a query again at once is a next page, two queries at least,
    then the bounds.
    """
    found = []
    for user in USERS:
        times = list(
            dict.fromkeys(
                (second, query)
                for name, query, second, _ in sorted(rows, key=lambda row: row[2])
                if name == user
            )
        )
        sessions, last = [], None
        for second, query in times:
            if last is None or second - last > 1800:
                sessions.append([])
            if not sessions[-1] or sessions[-1][-1] != query:
                sessions[-1].append(query)
            last = second
        found += [(user, session[:l_q]) for session in sessions if len(session) >= 2][:l_s]
    return found


def named(log, sessions):
    texts = log.query_texts(np.arange(log.info.queries)).to_pylist()
    users = pq.read_table(log.users())["text"].to_pylist()
    return [
        (users[user], [texts[query] for query in row if query >= 0])
        for user, row in zip(sessions.owner, sessions.queries.tolist(), strict=True)
    ]


def counts(log, found):
    texts = log.query_texts(np.arange(log.info.queries)).to_pylist()
    members = found.members(np.arange(len(found.count)))
    return {
        tuple(texts[q] for q in sequence): int(count)
        for sequence, count in zip(members, found.count, strict=True)
    }


@settings(max_examples=20)
@given(rows=rows_of_a_log, l_s=st.integers(1, 3), l_q=st.integers(2, 5))
def test_sessions_and_counts_are_those_of_a_plain_loop(rows, l_s, l_q):
    with tempfile.TemporaryDirectory() as folder:
        log = make_log(Path(folder), rows)
        sessions = cut_sessions(log, 30, l_s, l_q, Naming())
        wanted = plain_sessions(rows, l_s, l_q)
        assert sorted(named(log, sessions)) == sorted(wanted)
        occurrences, people = (
            counts(log, count_subsequences(sessions, log.info.queries, people=people))
            for people in (False, True)
        )
    listed = [
        (user, sequence)
        for user, session in wanted
        for size in range(2, l_q + 1)
        for sequence in combinations(session, size)
    ]
    assert occurrences == Counter(sequence for _, sequence in listed)
    assert people == Counter(sequence for _, sequence in set(listed))


def test_a_session_of_four_queries_has_eleven_subsequences():
    assert (
        count_subsequences(Sessions(np.array([[0, 1, 2, 3]]), np.zeros(1, np.int64)), 4).count.tolist()
        == [1] * 11
    )


def test_no_sessions_no_sequences():
    assert len(count_subsequences(Sessions(np.zeros((0, 3), np.int64), np.zeros(0, np.int64)), 5).count) == 0


def test_chunks_do_not_cut_sessions(tmp_path, monkeypatch):
    log = make_log(tmp_path, [(user, f"q{i % 7}", 60 * i, None) for user in USERS for i in range(40)])
    whole = cut_sessions(log, 30, 2, 5, Naming())
    monkeypatch.setattr(subsequences, "CHUNK", 3)
    chunked = cut_sessions(log, 30, 2, 5, Naming())
    assert (chunked.queries.tolist(), chunked.owner.tolist()) == (
        whole.queries.tolist(),
        whole.owner.tolist(),
    )


def test_topics_replace_queries_and_queries_without_topic_are_left_out(tmp_path):
    log = make_log(
        tmp_path, [("ann", query, 60 * i, None) for i, query in enumerate(("a", "a", "b", "c", "d"))]
    )
    ids = {text: i for i, text in enumerate(log.query_texts(np.arange(4)).to_pylist())}
    topic = np.full(4, -1, np.int64)
    topic[[ids["a"], ids["b"]]], topic[ids["d"]] = 0, 1
    assert cut_sessions(log, 30, 1, 5, Naming(topic=topic)).queries.tolist() == [[0, 0, 1, -1, -1]]
