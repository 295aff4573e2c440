"""The same terms may come to a service twice, also at the same moment and to two of its workers: it answers
as once, and the key that a collection lives by is never written again or destroyed.
"""

import pytest

from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.storage import StorageDown
from tests.crowd.services.members import RANDOM, SmallCrowd
from tests.crowd.services.test_workers import at_once

ROUNDS, AT_ONCE = 8, 6


def patient(task):
    """A task that another worker keeps from its work is tried again, as every caller does."""

    def run():
        for _ in range(200):
            try:
                return task()
            except StorageDown:
                continue
        raise AssertionError("never free")

    return run


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_terms_that_come_at_once_have_one_key_that_stays(tmp_path, request, database):
    url = None if database == "sqlite" else request.getfixturevalue("postgres_url")
    with SmallCrowd(tmp_path, url) as crowd:
        folder = tmp_path / "several"
        folder.mkdir()
        own = url is not None  # one process has a SQLite file: its threads share one store
        stores = [CollectionStore(url, folder, RANDOM) for _ in range(AT_ONCE if own else 1)]
        for _round in range(ROUNDS):
            manifest = crowd.create() if url is None else _only_elsewhere(crowd)
            path = folder / f"{manifest.id}.rows"
            tasks = [
                patient(lambda n=n, made=manifest: stores[n % len(stores)].create(made))
                for n in range(AT_ONCE)
            ]
            assert at_once(tasks) == [None] * AT_ONCE
            key = path.read_bytes()
            stores[0].advance(manifest.id, "uploading")
            assert at_once(tasks) == [None] * AT_ONCE
            assert path.read_bytes() == key
            assert stores[0].find(manifest.id)[0] == "uploading"
            assert [store.keep(manifest.id, [], 0)["received"] for store in stores] == [0] * len(stores)
        for store in stores:
            store.close()


def _only_elsewhere(crowd: SmallCrowd):
    """New terms, which the shared database does not know yet."""
    manifest = crowd.create()
    with crowd.aggregation._store._database.transaction() as t:
        t.run("DELETE FROM collections WHERE id = ?", (manifest.id,))
    return manifest


def test_a_worker_that_is_refused_leaves_the_key_of_the_others_alone(tmp_path, postgres_url):
    with SmallCrowd(tmp_path, postgres_url) as crowd:
        manifest = _only_elsewhere(crowd)
        path = tmp_path / "aggregation" / f"{manifest.id}.rows"
        key = path.read_bytes()
        store = CollectionStore(postgres_url, tmp_path / "aggregation", RANDOM)
        with store._database.claim("create"), pytest.raises(StorageDown, match="at this moment"):
            store.create(manifest)
        assert path.read_bytes() == key
        store.close()


def test_a_lost_answer_of_the_database_does_not_cost_the_key(tmp_path, monkeypatch):
    """The row may be there although the database was gone before it said so."""
    with SmallCrowd(tmp_path) as crowd:
        folder = tmp_path / "other"
        folder.mkdir()
        store = CollectionStore(None, folder, RANDOM)
        transaction = store._database.transaction
        calls = []

        class Lost:
            def __enter__(self):
                self.inner = transaction()
                return self.inner.__enter__()

            def __exit__(self, *exc):
                self.inner.__exit__(*exc)
                calls.append(1)
                if len(calls) == 2:
                    raise StorageDown("The database of this service cannot be used now.")

        with monkeypatch.context() as patch:
            patch.setattr(store._database, "transaction", Lost)
            with pytest.raises(StorageDown):
                store.create(crowd.manifest)
        store.create(crowd.manifest)
        store.advance(crowd.manifest.id, "uploading")
        assert store.keep(crowd.manifest.id, [], 0)["received"] == 0
        store.close()


def test_every_service_agrees_to_the_same_terms_again_and_at_once(tmp_path):
    with SmallCrowd(tmp_path) as crowd:
        crowd.open_uploads()
        sent = crowd.mixes[0]._batches._pool(crowd.manifest.id).key
        for service in (*crowd.mixes, crowd.aggregation):
            answers = at_once([lambda own=service: own.register(crowd.manifest)] * AT_ONCE)
            assert len(set(answers)) == 1
        assert crowd.mixes[0].state(crowd.manifest.id)["state"] == "open"
        assert crowd.mixes[0]._batches._pool(crowd.manifest.id).key == sent
        fresh = crowd.create()
        key = crowd.server._keys.read(fresh.collection.voprf_public.hex())
        listed = crowd.server.listed()
        answers = at_once([lambda: crowd.server.register(fresh)] * AT_ONCE)
        assert len(set(answers)) == 1
        assert crowd.server.listed() == listed
        assert crowd.server._keys.read(fresh.collection.voprf_public.hex()) == key
