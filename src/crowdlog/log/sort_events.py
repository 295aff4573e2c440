"""Sort events by (user, time, order of reading) and derive what the engine counts with: impressions, their
numbers, and the gaps between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from crowdlog.log.spill import Events

_NONE = -1  # gaps are never negative in sorted events
_FEW = 32  # rows of one moment up to which looking back row by row beats sorting


@njit(cache=True, nogil=True)
def _is_sorted(user: NDArray[Any], time: NDArray[Any]) -> bool:
    for i in range(1, len(user)):
        if user[i] < user[i - 1] or (user[i] == user[i - 1] and time[i] < time[i - 1]):
            return False
    return True


def sort_events(events: Events) -> Events:
    """Stable: ties keep the order of reading."""
    if _is_sorted(events["user"], events["time"]):
        return events
    order = np.lexsort((events["time"], events["user"]))
    return {column: values[order] for column, values in events.items()}


@njit(cache=True, nogil=True)
def _first_of_query(query: NDArray[Any], low: int, high: int, first: NDArray[Any]) -> None:
    """For the rows low … high-1 of one user and moment: the first row with the same query."""
    if high - low <= _FEW:
        for i in range(low, high):
            j = low
            while query[j] != query[i]:
                j += 1
            first[i] = j
        return
    order = np.argsort(query[low:high], kind="mergesort")
    for k in range(high - low):
        i = low + order[k]
        first[i] = first[low + order[k - 1]] if k > 0 and query[low + order[k - 1]] == query[i] else i


@njit(cache=True, nogil=True)
def _derive(
    user: NDArray[Any], time: NDArray[Any], query: NDArray[Any], url: NDArray[Any], merge: bool,
    impression: NDArray[Any], nth_impression: NDArray[Any], nth_click: NDArray[Any], gap: NDArray[Any],
    first: NDArray[Any],
) -> None:  # fmt: skip
    """Fill the derived columns. All rows of one impression carry the same nth_impression and gap."""
    low, n = 0, len(user)
    impressions, clicks, previous = 0, 0, -1  # of the current user; previous: row of the last impression
    while low < n:
        if low == 0 or user[low] != user[low - 1]:
            impressions, clicks, previous = 0, 0, -1
        high = low + 1
        while high < n and user[high] == user[low] and time[high] == time[low]:
            high += 1
        _first_of_query(query, low, high, first)
        for i in range(low, high):
            j = first[i]
            # A next page: the last impression's query again, later, without a click.
            again = (
                merge
                and j == i
                and high == low + 1
                and url[i] < 0
                and previous >= 0
                and query[previous] == query[i]
            )
            impression[i] = j == i and not again
            if again:
                nth_impression[i], gap[i] = nth_impression[previous], gap[previous]
            elif j < i:
                nth_impression[i], gap[i] = nth_impression[j], gap[j]
            else:
                nth_impression[i] = impressions
                gap[i] = time[i] - time[previous] if previous >= 0 else _NONE
                impressions += 1
                previous = i
            nth_click[i] = _NONE
            if url[i] >= 0:
                nth_click[i] = clicks
                clicks += 1
        low = high


def derive(events: Events, *, merge_next_page: bool) -> Events:
    """Add `impression`, `nth_impression`, `nth_click` and `gap` to sorted events of whole users; -1 stands
    for null.
    """
    n = len(events["user"])
    added: Events = {
        "impression": np.empty(n, np.bool_),
        "nth_impression": np.empty(n, np.int32),
        "nth_click": np.empty(n, np.int32),
        "gap": np.empty(n, np.int64),
    }
    _derive(
        events["user"],
        events["time"],
        events["query"],
        events["url"],
        merge_next_page,
        *added.values(),
        np.empty(n, np.int64),
    )
    return events | added
