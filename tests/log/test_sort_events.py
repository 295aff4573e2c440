"""Sorting and the derived columns against a slow, plain reading of their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from crowdlog.log.sort_events import derive, sort_events

ROW = st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 2), st.integers(-1, 2))


def events(rows: list[tuple[int, int, int, int]]) -> dict[str, np.ndarray]:
    user, time, query, url = (
        np.array([row[i] for row in rows], kind)
        for i, kind in enumerate((np.int32, np.int64, np.int32, np.int32))
    )
    return {
        "user": user,
        "time": time,
        "query": query,
        "rank": np.arange(len(rows), dtype=np.int32),
        "url": url,
    }


def expected(rows: list[tuple[int, int, int, int]]) -> list[tuple[bool, int, int, int]]:
    result, seen, clicks, last = [], {}, {}, {}
    for user, time, query, url in rows:
        mine = seen.setdefault(user, {})
        new = (time, query) not in mine
        if new:
            mine[time, query] = (len(mine), time - last[user] if user in last else -1)
            last[user] = time
        click = -1
        if url >= 0:
            click = clicks.get(user, 0)
            clicks[user] = click + 1
        result.append((new, mine[time, query][0], click, mine[time, query][1]))
    return result


@given(st.lists(ROW, max_size=150))
def test_derived_columns(rows):
    unsorted = events(rows)
    got = derive(sort_events(unsorted), merge_next_page=False)
    order = sorted(range(len(rows)), key=lambda i: (rows[i][0], rows[i][1], i))
    assert got["rank"].tolist() == order
    names = ("impression", "nth_impression", "nth_click", "gap")
    assert list(zip(*(got[name].tolist() for name in names), strict=True)) == expected(
        [rows[i] for i in order]
    )


def test_a_next_page_is_the_last_query_again_later_and_without_a_click():
    rows = [
        (0, 0, 5, -1),
        (0, 9, 5, -1),
        (0, 10, 5, 1),
        (0, 20, 5, -1),
        (0, 30, 6, -1),
        (0, 40, 5, -1),
        (1, 41, 5, -1),
    ]
    got = derive(events(rows), merge_next_page=True)
    assert got["impression"].tolist() == [True, False, True, False, True, True, True]
    assert got["nth_impression"].tolist() == [0, 0, 1, 1, 2, 3, 0]
    assert got["gap"].tolist() == [-1, -1, 10, 10, 20, 10, -1]
