"""A mix is stopped at every single step of taking its last envelopes and of emptying itself, and started
again from what is on its disk: nothing it acknowledged is lost, and nothing is counted twice.
"""

import asyncio
import itertools
import os
import shutil
from contextlib import contextmanager, suppress

import httpx

from crowdlog.crowd.crypto.envelope import open_layer
from crowdlog.crowd.services import pool_file
from crowdlog.crowd.services.fields import read_object
from crowdlog.crowd.services.handover import BATCH, HEARD, TAKEN, batch_message, receipt
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.storage import SQLiteDatabase
from crowdlog.crowd.slots import Submission
from tests.crowd.services.members import RANDOM, TOKEN, UNLIMITED, SmallCrowd

SENT = 4
LAST = 1  # of these, comes while steps are counted


class Killed(BaseException):
    """The process is gone: nothing that would have come after this happens, and no handler tidies up."""


class Steps:
    """Counts what changes the disk or tells the next node, and kills before or after the chosen one."""

    def __init__(self, kill_at: int) -> None:
        self.done, self.kill_at, self.dead = 0, kill_at, False

    def step(self) -> None:
        if self.dead:  # what would run while the exception passes does not run in a killed process
            raise Killed
        self.done += 1
        if self.done == self.kill_at:
            self.dead = True
            raise Killed


class Next:
    """The node behind: knows what it has seen, as the real one does."""

    def __init__(self, crowd: SmallCrowd) -> None:
        self.seen, self.finals, self.steps = set(), 0, Steps(0)
        self.own, self.manifest = crowd.mixes[1].identity.signing, crowd.manifest

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.steps.step()
        if request.url.path.endswith("/final"):
            self.finals += 1
            answer = httpx.Response(200, json=receipt(self.own, HEARD, self.manifest.collection.id))
        else:
            assert not self.finals, "an envelope comes after the mix said that it is empty"
            envelopes = read_object(request.content, BATCH)["envelopes"]
            self.seen |= set(envelopes)
            signed = receipt(self.own, TAKEN, batch_message(self.manifest, envelopes))
            answer = httpx.Response(202, json=signed)
        self.steps.step()  # the answer may be lost
        return answer


@contextmanager
def counted(monkeypatch, steps: Steps):
    """Every transaction, write and forced write of the mix is a step."""
    begun = SQLiteDatabase.transaction

    @contextmanager
    def transaction(self):
        steps.step()
        with begun(self) as t:
            yield t
            steps.step()  # killed before it is committed
        steps.step()

    def stepping(function):
        def call(*arguments):
            steps.step()
            return function(*arguments)

        return call

    class System:
        def __getattr__(self, name):
            found = getattr(os, name)
            return stepping(found) if name in {"pwrite", "fsync"} else found

    with monkeypatch.context() as patch:
        patch.setattr(SQLiteDatabase, "transaction", transaction)
        patch.setattr(pool_file, "os", System())
        yield


def node(folder) -> MixNode:
    return MixNode(folder, RANDOM, TOKEN, UNLIMITED, pool=2, delay=0.0, owner="mix people 1")


def emptied(mix: MixNode, name: str, after: Next) -> None:
    async def step() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(after)) as client:
            await mix.sender.look_after(client, name)

    asyncio.run(step())


def stopped_at(place, name, packed, after, monkeypatch, kill_at) -> tuple[list[bytes], bool]:
    """Run until the chosen step; return what was acknowledged until then, and whether all was done."""
    steps = after.steps = Steps(kill_at)
    acknowledged = []
    mix = node(place)
    with counted(monkeypatch, steps), suppress(Killed):
        for one in packed:
            assert mix.take(name, [one])["rejected"] == 0
            acknowledged.append(one)
        mix.clock = lambda: 4e9
        emptied(mix, name, after)
    after.steps = Steps(0)
    mix._batches._database._connection.close()  # as the system does: what was not committed is gone
    return acknowledged, not steps.dead


def test_a_mix_may_die_at_every_step_of_its_end(tmp_path, monkeypatch):
    with SmallCrowd(tmp_path / "services") as crowd:
        prepared = crowd.prepared(crowd.member(), {f"query {number}": 1 for number in range(SENT)})
        packed, name = [item.submission for item in prepared], crowd.manifest.id
        crowd.open_uploads()
        mix = crowd.mixes[0]
        mix.take(name, packed[:-LAST])
        key = mix._key
    inside = {one: open_layer(key, Submission.parse(one).envelope) for one in packed}
    for kill_at in itertools.count(1):
        place, after = tmp_path / f"killed{kill_at}", Next(crowd)
        shutil.copytree(mix.folder, place)
        acknowledged, all_done = stopped_at(place, name, packed[-LAST:], after, monkeypatch, kill_at)
        again = node(place)
        again.clock = lambda: 4e9
        for _look in range(3):
            if again.state(name)["state"] != "ended":
                emptied(again, name, after)
        counts = again.counts(name)
        assert again.state(name)["state"] == "ended", kill_at
        assert {inside[one] for one in [*packed[:-LAST], *acknowledged]} <= after.seen, kill_at
        assert counts["passed"] == len(after.seen), kill_at
        assert len(after.seen) <= SENT, kill_at
        assert counts["held"] == counts["refused"] == 0, kill_at
        again.close()
        shutil.rmtree(place)
        if all_done:
            break
    assert kill_at > 40


def test_a_start_on_another_database_keeps_what_waits(tmp_path):
    """A mix that was told the wrong database, or whose database was restored from an older day, knows nothing
    of what it acknowledged; its own finds all of it again.
    """
    with SmallCrowd(tmp_path / "services") as crowd:
        prepared = crowd.prepared(crowd.member(), {f"query {number}": 1 for number in range(SENT)})
        name = crowd.manifest.id
        crowd.open_uploads()
        mix = crowd.mixes[0]
        mix.take(name, [item.submission for item in prepared])
        held = mix.counts(name)["held"]
    place = tmp_path / "started"
    shutil.copytree(mix.folder, place)
    (place / "mix.sqlite").rename(place / "own")
    node(place).close()
    (place / "own").replace(place / "mix.sqlite")
    again = node(place)
    assert (again.counts(name)["held"], held) == (SENT, SENT)
    again.close()
