"""Requests are answered by many threads: while one looks which keys are gone, another reads one more."""

import pytest

from crowdlog.crowd.services import keyfile
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.collections import CollectionStore
from crowdlog.crowd.services.identity import Identity
from tests.crowd.services.members import RANDOM, SmallCrowd


def test_a_key_may_be_read_while_others_are_looked_at(tmp_path, monkeypatch):
    identity = Identity(tmp_path, "somebody", RANDOM)
    known, read_now = identity.make_issuer(), identity.make_issuer()
    first, other = identity.issuer(known), identity.issuer(read_now)
    identity._issuers.pop(read_now)
    looked = Identity._path

    def path(self, public):
        self._issuers[read_now] = other  # another thread
        return looked(self, public)

    monkeypatch.setattr(Identity, "_path", path)
    assert identity.issuer(known) is first


def test_a_key_of_rows_may_be_read_while_others_are_looked_at(tmp_path, monkeypatch):
    with SmallCrowd(tmp_path) as crowd:
        store, name, other = crowd.aggregation._store, crowd.manifest.id, crowd.create(title="another").id
        key, looked = store._key(name), CollectionStore._key_path

        def path(self, collection_id):
            self._keys[other] = b"0" * 32  # another thread
            return looked(self, collection_id)

        monkeypatch.setattr(CollectionStore, "_key_path", path)
        assert store._key(name) == key


def test_a_key_that_is_dropped_meanwhile_is_gone_and_no_fault(tmp_path, monkeypatch):
    identity = Identity(tmp_path, "somebody", RANDOM)
    public = identity.make_issuer()
    identity.issuer(public)
    identity.destroy_issuer(public)
    with pytest.raises(Refused, match="has ended"):
        identity.issuer(public)


@pytest.mark.parametrize("moment", ["before it is opened", "before it is removed"])
def test_two_workers_may_destroy_a_secret_at_once(tmp_path, monkeypatch, moment):
    """As at the start, when a crash stopped a cancellation: each of them goes on with it."""
    path = tmp_path / "secret"
    keyfile.write_secret(path, b"secret")
    forced = keyfile.force_to_disk

    def removed_first(at):
        path.unlink(missing_ok=True)
        forced(at)

    if moment == "before it is opened":
        monkeypatch.setattr(type(path), "exists", lambda _self: True)
        path.unlink()
    else:
        monkeypatch.setattr(keyfile, "force_to_disk", removed_first)
    keyfile.destroy_secret(path)
    monkeypatch.undo()
    assert not path.exists()
