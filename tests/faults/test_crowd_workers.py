"""Several workers of the aggregation server share one PostgreSQL: kill -9 of any of them under load, also
while the crowd log is made, loses and doubles nothing.
"""

import os
import random
import signal
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.release.folder import Release
from tests.support.postgres import running_cluster
from tests.support.volunteers import K, Volunteers, options

WORKERS, KILLS, PEOPLE, ARTIFACTS = 3, 12, 12, 8


@pytest.fixture
def cluster():
    with running_cluster() as own:
        yield own


def workers_of(services: LocalServices) -> list[int]:
    """The processes that the aggregation server's first process keeps running."""
    pid = services.processes["aggregation"].pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def kill_one(services: LocalServices, draw: random.Random) -> None:
    alive = workers_of(services)
    if alive:
        os.kill(draw.choice(alive), signal.SIGKILL)


@contextmanager
def killing(services: LocalServices, draw: random.Random):
    """One worker dies every few seconds; in between they have time to start."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(draw.uniform(2.0, 6.0)):
            kill_one(services, draw)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.xdist_group("crowd services")
def test_killed_workers_lose_and_double_nothing(cluster, tmp_path):
    draw = random.Random(18)
    found = [[MinedArtifact((f"q{number}",), 1) for number in range(ARTIFACTS)]] * PEOPLE
    many = ["--database", cluster.url, "--workers", str(WORKERS)]
    terms = Terms("workers", K, limit=2 * ARTIFACTS, cover=False, upload_seconds=60)
    trial = LocalServices(
        tmp_path / "services", options=options(pool=2, delay=0.1, aggregation=many, mix2=["--pool", "1"])
    )
    with trial as services, services.operator() as operator:
        assert len(workers_of(services)) == WORKERS
        crowd = Volunteers(services, operator, terms, people=PEOPLE)
        crowd.join()
        sent = [one for person in crowd.mine(found) for one in person]
        crowd.open_uploads()
        portion = len(sent) // KILLS
        for start in range(0, len(sent), portion):
            part = sent[start : start + portion]
            assert crowd.send(part).json() == {"accepted": len(part), "duplicates": 0, "rejected": 0}
            time.sleep(draw.uniform(0.0, 0.3))  # batches are stored, or on their way, or not yet
            kill_one(services, draw)
        with killing(services, draw):
            operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        status = operator.status(crowd.manifest.id)
        assert services.processes["aggregation"].poll() is None
    assert status["received"] == len(sent)
    rows = Release.open(tmp_path / "crowdlog").queries().to_pylist()
    assert {row["query"]: row["count"] for row in rows} == {
        f"q{number}": PEOPLE for number in range(ARTIFACTS)
    }
