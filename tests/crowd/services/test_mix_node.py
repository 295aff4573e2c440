import asyncio
import hashlib

import httpx
import pytest

from crowdlog.crowd.crypto.envelope import open_layer, seal_layer
from crowdlog.crowd.request_chunks import MOST_ENVELOPES, REQUEST_BYTES, request_chunks
from crowdlog.crowd.services import pool_file
from crowdlog.crowd.services.app import Refused
from crowdlog.crowd.services.batches import BatchStore
from crowdlog.crowd.services.fields import read_object, to_base64
from crowdlog.crowd.services.handover import BATCH, HEARD, TAKEN, batch_message, batch_signed, receipt
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.storage import StorageFull
from crowdlog.crowd.slots import SUBMISSION_OVERHEAD, Submission, submission
from crowdlog.errors import InputError
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, RANDOM, TOKEN, UNLIMITED, SmallCrowd, counted, signed_batch


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


@pytest.fixture
def sent(crowd):
    """What one member sends, with the uploads open."""
    prepared = crowd.prepared(crowd.member(), {f"query {number}": 1 for number in range(10)})
    crowd.open_uploads()
    return [item.submission for item in prepared]


def inside(crowd: SmallCrowd, data: bytes) -> bytes:
    """What the first mix finds in a submission."""
    return open_layer(crowd.mixes[0]._key, Submission.parse(data).envelope)


class NextNode:
    """Takes batches and signs that, as the real one does; it may fail at first, and may refuse every request
    that holds certain bytes.
    """

    crowd: SmallCrowd  # whose next party it is

    def __init__(self, failures: int = 0, hates: bytes = b"", status: int = 400) -> None:
        self.taken, self.requests, self.failures, self.hates, self.status = [], 0, failures, hates, status

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.failures:
            self.failures -= 1
            raise httpx.ConnectError("down")
        self.requests += 1
        second = request.url.host == "mix2.invalid"
        own = (self.crowd.mixes[1] if second else self.crowd.aggregation).identity.signing
        manifest = self.crowd.manifest
        if request.url.path.endswith("/final"):
            return httpx.Response(200, json=receipt(own, HEARD, manifest.collection.id))
        envelopes = read_object(request.content, BATCH)["envelopes"]
        if self.hates in envelopes:
            return httpx.Response(self.status, json={})
        self.taken += envelopes
        return httpx.Response(202, json=receipt(own, TAKEN, batch_message(manifest, envelopes)))


def look_after(crowd: SmallCrowd, after: NextNode, node: MixNode | None = None) -> None:
    """One step of the background task."""
    after.crowd = crowd

    async def step() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(after)) as client:
            await (node or crowd.mixes[0]).sender.look_after(client, crowd.manifest.id)

    asyncio.run(step())


def late(mix: MixNode, crowd: SmallCrowd) -> None:
    """The upload window has passed."""
    mix.clock = lambda: mix.state(crowd.manifest.id)["ends"] + 1


def test_a_pool_stays_behind_and_as_many_at_least_leave(crowd, sent):
    mix, after = crowd.mixes[0], NextNode()
    assert mix.pool == 2
    assert mix.take(crowd.manifest.id, sent[:3]) == {"accepted": 3, "duplicates": 0, "rejected": 0}
    look_after(crowd, after)
    assert after.taken == []
    mix.take(crowd.manifest.id, sent[3:])
    look_after(crowd, after)
    everything = {inside(crowd, data) for data in sent}
    assert len(after.taken) == 8
    assert set(after.taken) < everything
    counts = mix.counts(crowd.manifest.id)
    assert (counts["held"], counts["passed"], counts["batches"], counts["smallest_batch"]) == (2, 8, 1, 8)


def test_the_rest_leaves_when_the_window_has_ended_and_not_before(crowd, sent):
    mix, after = crowd.mixes[0], NextNode()
    mix.take(crowd.manifest.id, sent[:1])
    look_after(crowd, after)
    assert mix.state(crowd.manifest.id)["state"] == "open"
    with pytest.raises(Refused, match="not passed on everything"):
        mix.statistics(crowd.manifest.id)
    late(mix, crowd)
    with pytest.raises(Refused, match="have ended"):
        mix.take(crowd.manifest.id, sent[1:2])
    look_after(crowd, after)
    assert after.taken == [inside(crowd, sent[0])]
    assert mix.state(crowd.manifest.id)["state"] == "ended"
    assert mix.statistics(crowd.manifest.id)["statistics"]["passed"] == 1


def test_nobody_can_ask_a_mix_to_let_envelopes_go(crowd, sent):
    crowd.mixes[0].take(crowd.manifest.id, sent[:1])
    paths = [operation.path for operation in crowd.mixes[0].operations()]
    assert not [path for path in paths if "drain" in path]
    body = {
        "signature": to_base64(crowd.mixes[1].identity.signing.sign("final", crowd.manifest.collection.id))
    }
    assert crowd.mix.post(f"{crowd.at}/final", json=body, headers=OPERATOR).status_code == 403
    assert crowd.mixes[0].counts(crowd.manifest.id)["held"] == 1


def test_a_batch_leaves_in_another_order(tmp_path):
    with SmallCrowd(tmp_path, more={"limit": 100}) as crowd:
        prepared = crowd.prepared(crowd.member(), {f"query {number}": 1 for number in range(60)})
        crowd.open_uploads()
        data = [item.submission for item in prepared]
        crowd.mixes[0].take(crowd.manifest.id, data)
        late(crowd.mixes[0], crowd)
        after = NextNode()
        look_after(crowd, after)
        came = [inside(crowd, one) for one in data]
        assert sorted(after.taken) == sorted(came)
        assert after.taken != came  # the same order has a chance of 1/60!


def test_the_same_envelope_counts_once_also_after_it_has_left_and_after_a_restart(crowd, sent, tmp_path):
    mix, name = crowd.mixes[0], crowd.manifest.id
    mix.take(name, sent)
    assert mix.take(name, sent) == {"accepted": 0, "duplicates": 10, "rejected": 0}
    look_after(crowd, NextNode())
    assert mix.take(name, sent)["duplicates"] == 10
    again = MixNode(tmp_path / "mix1", RANDOM, TOKEN, UNLIMITED, pool=2, delay=0.0, owner="mix people 1")
    assert again.take(name, sent)["duplicates"] == 10
    again.close()


def test_a_slot_lets_one_envelope_in(crowd):
    person = crowd.member()
    first, second = (item.submission for item in crowd.prepared(person, {"a": 1, "b": 1}))
    crowd.open_uploads()
    mix, name, parsed = crowd.mixes[0], crowd.manifest.id, Submission.parse(first)
    reused = submission(
        crowd.manifest.collection, person.admission, parsed.slot, Submission.parse(second).envelope, RANDOM
    )
    assert mix.take(name, [first])["accepted"] == 1
    assert mix.take(name, [reused]) == {"accepted": 0, "duplicates": 0, "rejected": 1}
    assert mix.counts(name)["rejected"] == 1


def test_junk_of_strangers_does_not_come_in(crowd, sent):
    """A4: nobody without a credential can fill a batch."""
    mix, name = crowd.mixes[0], crowd.manifest.id
    size = len(sent[0])
    noise = RANDOM.bytes(size)
    publics = crowd.manifest.collection.mix_publics
    envelope = seal_layer(publics[0], bytes(size - SUBMISSION_OVERHEAD - 48), RANDOM.bytes(32))
    stolen = sent[0][:SUBMISSION_OVERHEAD] + envelope
    for data in (noise, bytes(4) + noise[4:], stolen):
        with pytest.raises((Refused, InputError)):
            mix.take(name, [data])
    counts = mix.counts(name)
    assert (counts["held"], counts["turned_away"]) == (0, 3)


@pytest.mark.parametrize(
    "change", [lambda data: data[:-1], lambda data: data + b"x", lambda _data: b"x" * 300]
)
def test_another_length_is_refused_at_the_door(crowd, sent, change):
    """A1: an empty or a long inside never gets in."""
    answer = crowd.mix.post(f"{crowd.at}/envelopes", json={"submissions": [to_base64(change(sent[0]))]})
    assert answer.status_code == 400
    assert "bytes" in answer.json()["error"]
    counts = crowd.mixes[0].counts(crowd.manifest.id)
    assert (counts["held"], counts["turned_away"]) == (0, 1)


def test_what_is_turned_away_is_seen_in_the_status_also_after_a_restart(crowd, sent):
    """Of junk in every form the operator sees how much there was; what comes at the wrong time is no junk."""
    bodies = [{"submissions": [one]} for one in ("", "?", to_base64(b"x"), to_base64(bytes(10**5)))]
    bodies += [{"submissions": 3}, {}, {"submissions": [to_base64(sent[0]), to_base64(sent[1][:-1])]}]
    for body in bodies:
        assert crowd.mix.post(f"{crowd.at}/envelopes", json=body).status_code == 400
    stranger = {"envelopes": [to_base64(sent[0])], "signature": to_base64(bytes(64))}
    assert crowd.mix.post(f"{crowd.at}/batch", json=stranger).status_code == 403
    unknown = f"/collections/{'0' * 64}/envelopes"
    assert crowd.mix.post(unknown, json={"submissions": 3}).status_code in {400, 404}
    status = crowd.mix.get(f"{crowd.at}/status", headers=OPERATOR).json()
    assert (status["turned_away"], status["accepted"], status["held"]) == (8, 0, 0)
    mix = crowd.mixes[0]
    look_after(crowd, NextNode())
    again = BatchStore(None, mix.folder, RANDOM)
    assert again.counts(crowd.manifest.id)["turned_away"] == 8
    again.close()
    late(mix, crowd)
    assert (
        crowd.mix.post(f"{crowd.at}/envelopes", json={"submissions": [to_base64(sent[0])]}).status_code == 409
    )
    assert mix.counts(crowd.manifest.id)["turned_away"] == 8


def test_a_members_own_empty_envelope_hurts_nobody(crowd, sent):
    """A1 again, from inside: the empty inside has the wrong length for its layer."""
    publics = crowd.manifest.collection.mix_publics
    empty = seal_layer(publics[0], b"", RANDOM.bytes(32))
    with pytest.raises(Refused, match="bytes"):
        crowd.mixes[0].take(crowd.manifest.id, [sent[0][:SUBMISSION_OVERHEAD] + empty])
    after = NextNode()
    crowd.mixes[0].take(crowd.manifest.id, sent)
    late(crowd.mixes[0], crowd)
    look_after(crowd, after)
    assert len(after.taken) == 10


@pytest.mark.parametrize("status", [400, 413, 500])
def test_what_the_next_node_refuses_keeps_nothing_else_waiting_and_stays(crowd, sent, status):
    """Without a receipt nothing is forgotten, and the others do not wait for it."""
    mix, name = crowd.mixes[0], crowd.manifest.id
    mix.take(name, sent)
    late(mix, crowd)
    hated = inside(crowd, sent[4])
    after = NextNode(hates=hated, status=status)
    for _look in range(60):  # each sends on a part at random
        look_after(crowd, after)
    assert sorted(after.taken) == sorted(inside(crowd, data) for data in sent if data != sent[4])
    counts = mix.counts(name)
    assert (counts["passed"], counts["refused"], counts["held"]) == (9, 0, 1)
    assert counts["unproved"] > 0
    after.hates = b""
    look_after(crowd, after)
    assert len(after.taken) == 10
    assert mix.state(name)["state"] == "ended"


@pytest.mark.parametrize("status", [403, 404, 409, 429, 503, 507])
def test_any_other_refusal_is_no_delivery(crowd, sent, status):
    mix, name = crowd.mixes[0], crowd.manifest.id
    mix.take(name, sent)
    late(mix, crowd)
    after = NextNode(hates=inside(crowd, sent[0]), status=status)
    look_after(crowd, after)
    assert mix.counts(name)["held"] == 10
    after.hates = b""
    look_after(crowd, after)
    assert len(after.taken) == 10
    assert mix.counts(name)["held"] == 0


def test_a_next_node_that_is_down_is_asked_again(crowd, sent):
    mix, after = crowd.mixes[0], NextNode(failures=1)
    mix.take(crowd.manifest.id, sent)
    late(mix, crowd)
    with pytest.raises(httpx.ConnectError):
        look_after(crowd, after)
    look_after(crowd, after)
    assert len(after.taken) == 10


def test_a_batch_cut_short_by_a_crash_is_sent_again_as_it_was(crowd, sent, tmp_path):
    mix, name = crowd.mixes[0], crowd.manifest.id
    mix.take(name, sent[:9])
    mix._batches.form(name, 2)  # killed here, or after sending and before forgetting
    leaving = {inner for _name, inner in mix._batches.shuffled(name, 1)}
    again = MixNode(tmp_path / "mix1", RANDOM, TOKEN, UNLIMITED, pool=2, delay=0.0, owner="mix people 1")
    again.take(name, sent[9:])
    after = NextNode()
    look_after(crowd, after, again)
    assert set(after.taken) == leaving
    assert again.counts(name)["held"] == 3
    again.close()


def test_an_answer_that_cannot_be_decoded_does_not_stop_a_mix(crowd, sent, monkeypatch):
    """A next node, or a proxy before it, that answers nonsense must not end the work of this one."""
    mix, garbled = crowd.mixes[0], {"content-encoding": "gzip"}
    mix.take(crowd.manifest.id, sent)
    late(mix, crowd)
    answers = [httpx.Response(202, headers=garbled, stream=httpx.ByteStream(b"no gzip"))]
    after, looks = NextNode(), []
    after.crowd = crowd

    async def answer(request: httpx.Request) -> httpx.Response:
        looks.append(request)
        return answers.pop() if answers else await after(request)

    begun = httpx.AsyncClient
    own = lambda **_options: begun(transport=httpx.MockTransport(answer))  # noqa: E731
    monkeypatch.setattr("crowdlog.crowd.services.batch_sender.httpx.AsyncClient", own)

    async def work() -> None:
        working = asyncio.create_task(mix.sender.work())
        while mix.state(crowd.manifest.id)["state"] != "ended" and not working.done():
            await asyncio.sleep(0.05)
        working.cancel()

    asyncio.run(asyncio.wait_for(work(), 60))
    assert len(looks) == 3
    assert mix.counts(crowd.manifest.id)["passed"] == len(sent)


def test_what_stops_a_mix_while_it_empties_itself_loses_nothing(crowd, sent, monkeypatch):
    mix, after, name = crowd.mixes[0], NextNode(), crowd.manifest.id
    mix.take(name, sent)
    late(mix, crowd)

    def full(*_batch):
        raise StorageFull

    with monkeypatch.context() as patch:
        patch.setattr(BatchStore, "_form", full)  # a full disk, or killed here
        with pytest.raises(StorageFull):
            look_after(crowd, after)
    assert mix.state(name)["state"] == "draining"
    look_after(crowd, after)
    assert set(after.taken) == {inside(crowd, data) for data in sent}
    assert mix.counts(name)["passed"] == len(sent)


def test_later_mixes_take_what_the_mix_before_signed(crowd, sent):
    second, name = crowd.mixes[1], crowd.manifest.id
    envelopes = [inside(crowd, data) for data in sent]
    body = signed_batch(crowd.mixes[0], crowd.manifest, envelopes)
    client = AppClient(second.app())
    assert counted(client.post(f"{crowd.at}/batch", json=body)) == {
        "accepted": 10,
        "duplicates": 0,
        "rejected": 0,
    }
    assert client.post(f"{crowd.at}/batch", json=body).json()["duplicates"] == 10
    forged = signed_batch(second, crowd.manifest, envelopes)
    assert client.post(f"{crowd.at}/batch", json=forged).status_code == 403
    assert client.post(f"{crowd.at}/envelopes", json={"submissions": [to_base64(sent[0])]}).status_code == 403
    junk = [b"x", bytes(len(envelopes[0])), b""]
    with pytest.raises(Refused):
        second.take_batch(name, junk, bytes(64))
    mixed = signed_batch(crowd.mixes[0], crowd.manifest, [*junk[:2], envelopes[0]])
    assert counted(client.post(f"{crowd.at}/batch", json=mixed)) == {
        "accepted": 0,
        "duplicates": 1,
        "rejected": 2,
    }
    assert not batch_signed(crowd.manifest.mixes[0], crowd.manifest, envelopes, bytes(64))


def test_a_later_mix_empties_itself_when_the_one_before_has(crowd, sent):
    second, name = crowd.mixes[1], crowd.manifest.id
    body = signed_batch(crowd.mixes[0], crowd.manifest, [inside(crowd, sent[0])])
    client = AppClient(second.app())
    client.post(f"{crowd.at}/batch", json=body)
    after = NextNode()
    look_after(crowd, after, second)
    assert after.taken == []
    body = {
        "signature": to_base64(crowd.mixes[0].identity.signing.sign("final", crowd.manifest.collection.id))
    }
    early = client.post(f"{crowd.at}/final", json=body)
    assert (early.status_code, second.state(name)["state"]) == (409, "open"), "the mix before lies"
    late(second, crowd)
    for _ in range(2):
        assert client.post(f"{crowd.at}/final", json=body).json()["state"] == "draining"
    look_after(crowd, after, second)
    assert len(after.taken) == 1
    assert second.state(name)["state"] == "ended"


def test_a_full_node_refuses(crowd, sent):
    crowd.mixes[0].most_held = 5
    answer = crowd.mix.post(f"{crowd.at}/envelopes", json={"submissions": [to_base64(data) for data in sent]})
    assert answer.status_code == 503


def test_nothing_comes_in_before_the_key_is_gone(crowd):
    prepared = crowd.prepared(crowd.member(), {"early": 1})
    body = {"submissions": [to_base64(item.submission) for item in prepared]}
    answer = crowd.mix.post(f"{crowd.at}/envelopes", json=body)
    assert answer.status_code == 409
    assert "not open yet" in answer.json()["error"]


def test_a_certificate_of_somebody_else_opens_nothing(crowd):
    async def fetch(answer: dict) -> None:
        def handler(_request: httpx.Request) -> httpx.Response:
            return httpx.Response(200, json=answer)

        async with httpx.AsyncClient(transport=httpx.MockTransport(handler)) as client:
            await crowd.mixes[0].sender.look_after(client, crowd.manifest.id)

    crowd.server.destroy(crowd.manifest.id)
    true = crowd.server.state(crowd.manifest.id)
    for false in ({**true, "destroyed": 5}, {**true, "certificate": ""}, {**true, "destroyed": "x"}, {}):
        asyncio.run(fetch(false))
        assert crowd.mixes[0].state(crowd.manifest.id)["state"] == "waiting"
    asyncio.run(fetch(true))
    assert crowd.mixes[0].state(crowd.manifest.id)["state"] == "open"


def test_no_origin_is_kept(crowd, sent, tmp_path):
    client = AppClient(crowd.mixes[0].app(), address="203.0.113.77", headers={"User-Agent": "canary-agent"})
    client.post(f"{crowd.at}/envelopes", json={"submissions": [to_base64(data) for data in sent]})
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"203.0.113.77" not in kept
    assert b"canary-agent" not in kept


def test_what_has_left_cannot_be_read_from_the_raw_files(crowd, sent, tmp_path):
    """A6: neither the database nor its write-ahead log nor the pool holds what was passed on."""
    mix, folder = crowd.mixes[0], tmp_path / "mix1"
    contents = [inside(crowd, data) for data in sent]

    def found() -> list[bytes]:
        raw = b"".join(path.read_bytes() for path in folder.iterdir())
        return [content for content in contents if content in raw or content[:64] in raw]

    mix.take(crowd.manifest.id, sent)
    assert len(found()) == 10
    look_after(crowd, NextNode())
    assert len(found()) == mix.pool  # the rest has left
    late(mix, crowd)
    look_after(crowd, NextNode())
    assert not found()
    assert not list(folder.glob("*.pool"))


def test_portions_fit_into_requests():
    small, large = [b"x"] * (2 * MOST_ENVELOPES + 1), [bytes(15_000)] * 100
    assert [len(part) for part in request_chunks(small, len)] == [MOST_ENVELOPES, MOST_ENVELOPES, 1]
    assert all(sum(map(len, part)) <= REQUEST_BYTES for part in request_chunks(large, len))
    assert sum(len(part) for part in request_chunks(large, len)) == 100
    assert list(request_chunks([], len)) == []


@pytest.mark.parametrize(
    "body",
    [{}, {"submissions": []}, {"submissions": ["?"]}, {"submissions": ["AAAA"] * (MOST_ENVELOPES + 1)}],
)
def test_bad_bodies_are_refused(crowd, body):
    assert crowd.mix.post(f"{crowd.at}/envelopes", json=body).status_code == 400


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path, crowd):
    """What a mix holds of an open collection, and a function that reads its rows as the disk orders them."""
    url = None if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    folder = tmp_path / "store"
    folder.mkdir()
    found = BatchStore(url, folder, RANDOM)
    found.register(crowd.manifest)
    found.open(crowd.manifest.id, 5, "")

    def rows(table: str) -> list[tuple]:
        ordered = "" if url is None else " ORDER BY ctid"
        statement = f"SELECT * FROM {table} WHERE collection = ?{ordered}"
        return list(found._database.stream(statement, (crowd.manifest.id,)))

    yield found, rows
    found.close()


def waiting(count: int) -> list[tuple[bytes, bytes, bytes]]:
    return [(b"name %02d" % n, b"digest %02d" % n, b"inner %02d" % n) for n in range(count)]


def test_a_batch_is_formed_and_forgotten_on_both_databases(store, crowd):
    batches, name = store[0], crowd.manifest.id
    assert batches.keep(name, waiting(12), 0)["accepted"] == 12
    assert batches.keep(name, waiting(12), 0)["duplicates"] == 12
    assert batches.form(name, 2)
    rows = batches.shuffled(name, 1)
    assert len(rows) == 10
    batches.forget(name, [one for one, _inner in rows[:9]], "passed")
    batches.forget(name, [one for one, _inner in rows[9:]], "refused")
    counts = batches.counts(name)
    assert (counts["held"], counts["passed"], counts["refused"]) == (2, 9, 1)


def test_no_order_of_arrival_is_on_disk(store, crowd):
    """A2, A6: rows of a database stay in the order they were written in; no row of it leads to an envelope
    before a batch is formed, and those of a batch are in random order.
    """
    (batches, rows), name, taken = store, crowd.manifest.id, waiting(60)
    for one in taken:
        batches.keep(name, [one], 0)
    pool = batches._pools[name]
    names = [hashlib.blake2b(inner, digest_size=16).digest() for _name, _digest, inner in taken]
    assert sorted(pool.names()) == sorted(names)
    assert rows("mix_leaving") == []
    kept = b"".join(bytes(value) for row in rows("mix_seen") for value in row[1:])
    assert len(kept) == 60 * 32
    for known in (*names, *(part for one in taken for part in one)):
        assert known not in kept
    assert batches.form(name, 0)
    left = [bytes(row[1]) for row in rows("mix_leaving")]
    assert sorted(left) == sorted(names)
    assert left != names


def test_what_was_delivered_before_a_crash_is_counted_once(store, crowd, monkeypatch):
    batches, name = store[0], crowd.manifest.id
    batches.keep(name, waiting(6), 0)
    batches.form(name, 0)
    ids = [one for one, _inner in batches.shuffled(name, 1)]
    with monkeypatch.context() as patch:
        patch.setattr(batches, "_settle", lambda _name: None)  # killed here
        batches.forget(name, ids[:4], "passed")
    url, folder = getattr(batches._database, "_url", None), batches._folder
    for _restart in range(2):
        again = BatchStore(url, folder, RANDOM)
        counts = again.counts(name)
        assert (counts["held"], counts["passed"]) == (2, 4)
        assert {one for one, _inner in again.shuffled(name, 1)} == set(ids[4:])
        again.close()


def test_what_a_crash_left_unacknowledged_is_taken_when_it_comes_again(store, crowd, monkeypatch):
    batches, name, add = store[0], crowd.manifest.id, pool_file.PoolFile.add

    def killed(pool, envelopes):
        add(pool, envelopes)
        raise ValueError("killed")  # before the transaction ends

    with monkeypatch.context() as patch:
        patch.setattr(pool_file.PoolFile, "add", killed)
        with pytest.raises(ValueError, match="killed"):
            batches.keep(name, waiting(3), 0)
    counts = batches.counts(name)
    assert (counts["accepted"], counts["held"]) == (0, 3)
    assert batches.keep(name, waiting(3), 0)["accepted"] == 3
    assert batches.counts(name)["held"] == 3


def test_an_ended_collection_leaves_no_pool_behind(store, crowd, monkeypatch):
    batches, name = store[0], crowd.manifest.id
    batches.keep(name, waiting(3), 0)
    with monkeypatch.context() as patch:
        patch.setattr(pool_file.PoolFile, "destroy", lambda pool: pool.close())  # killed before
        batches.end(name)
    url, folder = getattr(batches._database, "_url", None), batches._folder
    assert list(folder.glob("*.pool"))
    BatchStore(url, folder, RANDOM).close()
    assert not list(folder.glob("*.pool"))
