"""Rows of logs made by hand, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crowdlog.measure.log_arrays import LogArrays


def arrays(**columns: Any) -> LogArrays:
    """These columns."""
    return LogArrays(columns.__getitem__)


def clicks_log(rows: Sequence[tuple[int, int, int]]) -> LogArrays:
    """Rows of (query, url or -1, rank), each of a user and a session of its own."""
    query, url, rank = (np.array(column) for column in zip(*rows, strict=True))
    n = np.arange(len(rows))
    return arrays(
        user=n, time=n, query=query, url=url, rank=rank, impression=np.ones(len(rows), bool), session=n
    )


def sessions_log(sessions: Sequence[Sequence[tuple[int, int]]]) -> LogArrays:
    """Sessions of (query, url or -1), each of another user; every row an impression."""
    rows = [row for session in sessions for row in session]
    number = np.repeat(np.arange(len(sessions)), [len(session) for session in sessions])
    query, url = np.array(rows, np.int64).reshape(-1, 2).T
    seen = np.ones(len(rows), bool)
    return arrays(
        user=number,
        time=np.arange(len(rows)),
        query=query,
        url=url,
        rank=(url >= 0).astype(int),
        impression=seen,
        session=number,
    )


def queries_log(sessions: Sequence[Sequence[int]]) -> LogArrays:
    """Sessions of queries without clicks."""
    return sessions_log([[(query, -1) for query in session] for session in sessions])
