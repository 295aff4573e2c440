"""Opening a store, and what is none."""

import json

import numpy as np
import pytest

from crowdlog.errors import InputError
from crowdlog.log.importer import import_log
from crowdlog.log.store import LogStore


@pytest.fixture
def store(tmp_path) -> LogStore:
    (tmp_path / "log.tsv").write_text(
        "".join(f"u{i % 7}\tquery {i}\t2006-03-01 10:00:{i % 60:02}\t\t\n" for i in range(100))
    )
    return import_log(tmp_path / "log.tsv", tmp_path / "store")


def test_it_opens_again(store):
    assert LogStore.open(store.path) == store
    assert LogStore.open(str(store.path)).info.queries == 100
    tables = {"events.parquet", "queries.parquet", "urls.parquet", "users.parquet"}
    assert {p.name for p in store.path.iterdir()} == {*tables, "store.json", "ledger.sqlite", "ledger.head"}
    assert store.ledger().parent == store.path


def test_a_store_knows_when_another_lies_in_its_place(store, tmp_path):
    assert store.is_still_there()
    again = import_log(tmp_path / "log.tsv", tmp_path / "again")
    assert again.info.content_hash == store.info.content_hash
    store.path.rename(tmp_path / "moved")
    assert not store.is_still_there()
    again.path.rename(store.path)
    assert not store.is_still_there()


def test_texts_come_in_the_order_asked(store):
    ids = np.random.default_rng(1).integers(0, 100, 500)
    texts = store.query_texts(ids).to_pylist()
    assert texts == [f"query {i}" for i in ids]
    assert store.query_texts([]).to_pylist() == []
    assert store.url_texts([]).to_pylist() == []
    for bad in ([100], [-1]):
        with pytest.raises(IndexError):
            store.query_texts(bad)


def test_what_is_no_store(tmp_path):
    with pytest.raises(InputError, match="There is no log store"):
        LogStore.open(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"no store\.json"):
        LogStore.open(tmp_path)


def test_a_damaged_store_is_refused(store):
    info = store.path / "store.json"
    values = json.loads(info.read_text())
    for text, message in [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        (json.dumps(values | {"version": 99}), "another version"),
    ]:
        info.write_text(text)
        with pytest.raises(InputError, match=message):
            LogStore.open(store.path)
    info.write_text(json.dumps(values))
    with store.events().open("ab") as file:
        file.write(b"x")
    with pytest.raises(InputError, match=r"damaged: events\.parquet"):
        LogStore.open(store.path)
    store.events().unlink()
    with pytest.raises(InputError, match=r"damaged: events\.parquet"):
        LogStore.open(store.path)
