"""A full disk under each service and under the client: refused with 507, nothing corrupted, and work goes on
once there is room.

Where a file system can be mounted the disk is a tiny one; elsewhere the service's files may not grow, which
its database meets in the same way.
"""

import base64
import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.crypto.collection import Collection
from crowdlog.crowd.crypto.envelope import MixKey, seal_onion
from crowdlog.crowd.crypto.voprf import blind
from crowdlog.crowd.manifest import Manifest
from crowdlog.errors import CrowdlogError
from tests.support.serving import Served, served
from tests.support.volunteers import RANDOM, K, Volunteers, base64_of

ROOM = 2**20
# of a file, where nothing can be mounted: Python itself writes files of a megabyte at its first start
LARGEST = 3 * ROOM
pytestmark = pytest.mark.slow


@contextmanager
def _tiny_disk(folder: Path) -> Iterator[Callable[[], None] | None]:
    """Yield a function that gives the disk more room, or None where none can be mounted."""
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", folder], check=False
        ).returncode
        == 0
    )
    try:
        yield (
            (lambda: subprocess.run(["mount", "-o", f"remount,size={20 * ROOM}", folder], check=True))
            if mounted
            else None
        )
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder], check=True)


def _until_full(step: Callable[[], tuple[int, int]]) -> int:
    """Repeat a step, which returns its status and how much was acknowledged, until the disk is full; return
    how much was acknowledged.
    """
    acknowledged, status, took = 0, 0, 0
    while (status := (answer := step())[0]) in {201, 202}:
        took, acknowledged = answer[1], acknowledged + answer[1]
        assert acknowledged < 20_000
    assert status == 507
    assert took
    return acknowledged


def _whole(path: Path) -> None:
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


def _full(answer) -> int:
    """The status; a refusal must be the sentence."""
    if answer.status_code == 507:
        assert "full" in answer.json()["error"]
    return answer.status_code


def test_a_mix_keeps_what_it_acknowledged(tmp_path):
    with _tiny_disk(tmp_path / "disk") as grow:
        folder = tmp_path / "disk" / "mix"
        with served("mix", folder, most_bytes=None if grow else LARGEST) as node:
            public = base64.b64decode(node.call("GET", "/key").json()["public"])

            def step() -> tuple[int, int]:
                envelopes = [
                    seal_onion([public, MixKey.generate(RANDOM).public], bytes(4000), RANDOM)
                    for _ in range(10)
                ]
                answer = node.call(
                    "POST", "/envelopes", {"envelopes": [base64_of(envelope) for envelope in envelopes]}
                )
                return _full(answer), answer.json().get("accepted", 0)

            acknowledged = _until_full(step)
        if grow:
            grow()
        with served("mix", folder) as node:
            assert node.call("GET", "/status").json()["waiting"] == acknowledged
            assert step()[0] == 202
        _whole(folder / "mix.sqlite")


def _evaluated(server: Served, public: str) -> int:
    body = {"elements": [base64_of(blind(b"x", RANDOM).element)]}
    return _full(server.call("POST", f"/keys/{public}/evaluate", body, operator=False))


def test_the_randomness_server_keeps_its_keys_and_its_budget(tmp_path):
    with _tiny_disk(tmp_path / "disk") as grow:
        folder, keys = tmp_path / "disk" / "randomness", []
        with served("randomness", folder, most_bytes=None if grow else LARGEST) as server:

            def step() -> tuple[int, int]:
                answer = server.call("POST", "/keys", {"budget": 2})
                keys.extend([answer.json()["public"]] if answer.status_code == 201 else [])
                return _full(answer), 1

            _until_full(step)
            assert _evaluated(server, keys[0]) in {200, 507}  # a few bytes may be left
            assert len(list(folder.glob("*.key"))) == len(keys)  # no key without its row
        if grow:
            grow()
        with served("randomness", folder) as server:
            states = {server.call("GET", f"/keys/{public}").json()["state"] for public in keys}
            assert states == {"open"}
            assert _evaluated(server, keys[-1]) == 200
            assert server.call("DELETE", f"/keys/{keys[-1]}").status_code == 200
            assert _evaluated(server, keys[-1]) == 410
        _whole(folder / "randomness.sqlite")


def test_the_aggregation_server_counts_what_it_acknowledged(tmp_path):
    with _tiny_disk(tmp_path / "disk") as grow:
        folder = tmp_path / "disk" / "aggregation"
        with served("aggregation", folder, most_bytes=None if grow else LARGEST) as server:
            crowd = Volunteers(server, payload=4096)
            people = [crowd.join() for _ in range(K)]
            assert server.call("POST", f"{crowd.at}/uploads").status_code == 200
            texts = iter(f"query {number}" for number in range(10_000))

            def step() -> tuple[int, int]:
                text = next(texts)
                answer = crowd.send([crowd.envelope(person, text) for person in people])
                return _full(answer), answer.json().get("accepted", 0)

            acknowledged = _until_full(step)
        if grow:
            grow()
        with served("aggregation", folder) as server:
            crowd.server = server
            status = crowd.status()
            assert (status["received"], status["at_bar"]) == (acknowledged, acknowledged // K)
            assert step() == (202, K)
            _published_although_full(crowd, folder, grow)
        _whole(folder / "aggregation.sqlite")


def _published_although_full(crowd: Volunteers, folder: Path, grow: Callable[[], None] | None) -> None:
    """Something else fills the disk while the crowd log is to be written: it comes as soon as there is room,
    whole.
    """
    ballast = folder.parent / "ballast"
    if grow:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):  # no space left
            while file.write(bytes(2**16)):
                pass
        # a little room: for the request perhaps, not for the crowd log
        os.truncate(ballast, ballast.stat().st_size - 2**15)
    asked = _full(crowd.server.call("POST", f"{crowd.at}/publish", {"smallest_batch": 1}))
    assert asked in ({202, 507} if grow else {202})
    if grow:
        time.sleep(1)
        ballast.unlink()
    assert (
        asked == 202
        or crowd.server.call("POST", f"{crowd.at}/publish", {"smallest_batch": 1}).status_code == 202
    )
    deadline = time.monotonic() + 120
    while crowd.server.call("GET", crowd.at).json()["phase"] != "published":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    label = crowd.server.call("GET", f"{crowd.at}/release/label.json").json()
    assert label["crowdlog"]["tables"]["queries"] >= 1
    assert not list(folder.rglob("*.partial*"))


def test_the_clients_outbox_keeps_what_it_had(tmp_path):
    manifest = Manifest(
        Collection("t", 5, bytes(32), bytes(64), (bytes(32),) * 3),
        "query",
        "light",
        9,
        "users",
        "FTu(k=5)",
        "http://r",
        "http://m",
    )
    with _tiny_disk(tmp_path / "disk") as grow, ClientStore(tmp_path / "disk" / "home") as home:
        if not grow:
            home._connection.execute("PRAGMA max_page_count = 200")
        home.begin(manifest, "http://a", "invitation", b"pending")
        home.fill(manifest.id, [("first", bytes(1000))])
        with pytest.raises(CrowdlogError, match="nothing there was changed"):
            home.fill(manifest.id, [("second", bytes(50_000)) for _ in range(100)])
        assert [item.readable for item in home.outbox(manifest.id)] == ["first"]
        if grow:
            grow()
        else:
            home._connection.execute("PRAGMA max_page_count = 100000")
        home.fill(manifest.id, [("second", bytes(50_000)) for _ in range(100)])
        assert len(home.outbox(manifest.id)) == 100
        home.mark_sent(manifest.id, home.outbox(manifest.id)[:60])
        _whole(tmp_path / "disk" / "home" / "crowd.sqlite")
        assert len(home.outbox(manifest.id)) == 40
