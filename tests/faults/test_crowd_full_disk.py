"""A full disk under each service and under the client: refused with 507, nothing corrupted, and work goes on
once there is room.

Where a file system can be mounted the disk is a tiny one; elsewhere the service's files may not grow, which
its database meets in the same way.
"""

import os
import resource
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.client.reports import Prepared
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.errors import CrowdlogError
from tests.support.manifests import manifest_of
from tests.support.volunteers import K, Volunteers, options

ROOM = 2**20
# of a file, where nothing can be mounted: Python itself writes files of a megabyte at its first start
LARGEST = 3 * ROOM
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]


@contextmanager
def _tiny_disk(folder: Path) -> Iterator[Callable[[], None] | None]:
    """Yield a function that gives the disk more room, or None where none can be mounted."""
    folder.mkdir(parents=True)
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


@contextmanager
def _on_tiny_disk(tmp_path: Path, name: str, terms: Terms) -> Iterator[tuple[Volunteers, Callable[[], None]]]:
    """Services of which one has little room, a collection, and a function that gives it more."""
    folder = tmp_path / "services"
    with (
        _tiny_disk(folder / name) as grow,
        LocalServices(folder, options=options()) as services,
        services.operator() as operator,
    ):
        limits = (LARGEST, LARGEST)
        if not grow:
            resource.prlimit(services.processes[name].pid, resource.RLIMIT_FSIZE, limits)

        def more_room() -> None:
            services.kill(name)
            if grow:
                grow()
            services.start(name)
            services.wait_ready(name)

        yield Volunteers(services, operator, terms), more_room


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


LARGE = Terms("full", K, limit=120, payload_size=4096, cover=False, count="users", upload_seconds=3600)


def _many(people: int, queries: int) -> list[list[MinedArtifact]]:
    return [[MinedArtifact((f"query {number}",), 1) for number in range(queries)] for _ in range(people)]


def test_a_mix_keeps_what_it_acknowledged(tmp_path):
    with _on_tiny_disk(tmp_path, "mix1", LARGE) as (crowd, more_room):
        crowd.join()
        sent = iter([one for person in crowd.mine(_many(K, 100)) for one in person])
        crowd.open_uploads()

        def step() -> tuple[int, int]:
            answer = crowd.send([next(sent) for _ in range(10)])
            return _full(answer), answer.json().get("accepted", 0)

        acknowledged = _until_full(step)
        more_room()
        status = crowd.call("mix1", "GET", f"{crowd.at}/status").json()
        assert (status["held"], status["accepted"]) == (acknowledged, acknowledged)
        assert step() == (202, 10)
        _whole(tmp_path / "services" / "mix1" / "mix.sqlite")


def test_the_randomness_server_keeps_its_keys(tmp_path):
    with _on_tiny_disk(tmp_path, "randomness", LARGE) as (crowd, more_room):
        folder, made = tmp_path / "services" / "randomness", []

        def step() -> tuple[int, int]:
            answer = crowd.call("randomness", "POST", "/keys")
            made.extend([answer.json()["voprf_public"]] if answer.status_code == 201 else [])
            return _full(answer), 1

        _until_full(step)
        more_room()
        assert all((folder / f"{public}.key").exists() for public in made)
        crowd.join()
        assert crowd.mine([[MinedArtifact(("x",), 1)]] * K)
        crowd.open_uploads()
        assert not (folder / f"{crowd.manifest.collection.voprf_public.hex()}.key").exists()
        _whole(folder / "randomness.sqlite")


def test_the_aggregation_server_counts_what_it_was_given_and_publishes_when_there_is_room(tmp_path):
    terms = Terms("full", K, limit=80, payload_size=4096, cover=False, count="users", upload_seconds=12)
    with _on_tiny_disk(tmp_path, "aggregation", terms) as (crowd, more_room):
        crowd.join()
        sent = [one for person in crowd.mine(_many(K, 70)) for one in person]
        crowd.open_uploads()
        for start in range(0, len(sent), 50):
            assert crowd.send(sent[start : start + 50]).json()["accepted"] == 50
        time.sleep(15)  # the mixes empty themselves and meet a full disk: 350 reports of 4.6 kB
        status = crowd.operator.status(crowd.manifest.id)
        assert status["phase"] == "uploading"
        assert 0 < status["received"] < len(sent)
        assert status["mixes"][1]["passed"] == status["received"]  # a refusal is no delivery
        more_room()
        out = crowd.operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        assert crowd.operator.status(crowd.manifest.id)["received"] == len(sent)
        assert (out / "queries.parquet").exists()
        _whole(tmp_path / "services" / "aggregation" / "aggregation.sqlite")


def test_the_clients_outbox_keeps_what_it_had(tmp_path):
    manifest = manifest_of(limit=9)

    def made(text: str, size: int) -> tuple[Prepared, float]:
        return Prepared(0, text, bytes(size)), 0.5

    def fill(*items: tuple[Prepared, float]) -> bool:
        home.begin_preparing(manifest.id, b"seed", [])
        return home.fill(manifest.id, b"seed", items)

    with _tiny_disk(tmp_path / "disk") as grow, ClientStore(tmp_path / "disk" / "home") as home:
        if not grow:
            home._connection.execute("PRAGMA max_page_count = 200")
        home.begin(manifest, "http://a", "invitation", b"pending")
        assert fill(made("first", 1000))
        with pytest.raises(CrowdlogError, match="nothing there was changed"):
            fill(*[made("second", 50_000) for _ in range(100)])
        assert [item.readable for item in home.outbox(manifest.id)] == ["first"]
        if grow:
            grow()
        else:
            home._connection.execute("PRAGMA max_page_count = 100000")
        assert fill(*[made("second", 50_000) for _ in range(100)])
        assert len(home.outbox(manifest.id)) == 101
        for item in home.outbox(manifest.id)[:60]:
            home.mark_sent(manifest.id, item)
        _whole(tmp_path / "disk" / "home" / "crowd.sqlite")
        assert len(home.outbox(manifest.id)) == 41
