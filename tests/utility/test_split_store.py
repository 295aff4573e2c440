from collections import Counter

import pyarrow.parquet as pq
import pytest

from crowdlog.errors import InputError
from crowdlog.utility.splits import split_store

ROWS = [
    (
        str(user),
        100 * i,
        f"query {(user * i) % 7}",
        1 + i if i % 2 else None,
        f"http://u{i}.com" if i % 2 else None,
    )
    for user in range(1, 41)
    for i in range(5)
]


def rows_of(store):
    """The rows of a store with their texts."""
    events = pq.read_table(store.events()).to_pylist()
    users, queries, urls = (
        pq.read_table(path)["text"].to_pylist() for path in (store.users(), store.queries(), store.urls())
    )
    return Counter(
        (
            users[e["user"]],
            e["time"],
            queries[e["query"]],
            e["rank"],
            None if e["url"] is None else urls[e["url"]],
        )
        for e in events
    )


@pytest.mark.parametrize("by", ["user", "row"])
def test_the_parts_are_the_log(make_store, tmp_path, by):
    store = make_store(ROWS)
    rest, test = split_store(store, tmp_path / "parts", folds=3, by=by)
    assert rows_of(rest) + rows_of(test) == rows_of(store)
    shared = {row[0] for row in rows_of(rest)} & {row[0] for row in rows_of(test)}
    assert bool(shared) == (by == "row")
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == ["rest", "test"]


def test_nothing_is_overwritten_and_no_part_is_empty(make_store, tmp_path):
    store = make_store(ROWS[:5])
    (tmp_path / "parts").mkdir()
    with pytest.raises(InputError, match="exists already"):
        split_store(store, tmp_path / "parts")
    with pytest.raises(InputError, match="leaves one part empty"):
        split_store(store, tmp_path / "other")
    assert not (tmp_path / "other").exists()
