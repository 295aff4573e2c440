"""Events made by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crowdlog.utility.events import Events


def clicks_log(rows: Sequence[tuple[int, int, int]]) -> Events:
    """Rows of (query, url or -1, rank), each of a user and a session of its own."""
    query, url, rank = (np.array(column) for column in zip(*rows, strict=True))
    n = np.arange(len(rows))
    return Events(n, n, query, url, rank, np.ones(len(rows), bool), n)


def sessions_log(sessions: Sequence[Sequence[tuple[int, int]]]) -> Events:
    """Sessions of (query, url or -1), each of another user; every row an impression."""
    rows = [row for session in sessions for row in session]
    number = np.repeat(np.arange(len(sessions)), [len(session) for session in sessions])
    query, url = np.array(rows, np.int64).reshape(-1, 2).T
    return Events(number, np.arange(len(rows)), query, url, (url >= 0).astype(int), np.ones(len(rows), bool), number)


def queries_log(sessions: Sequence[Sequence[int]]) -> Events:
    """Sessions of queries without clicks."""
    return sessions_log([[(query, -1) for query in session] for session in sessions])
