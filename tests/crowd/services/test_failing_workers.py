"""Of several workers that share a data folder any may answer /health: it tells of all of them that live."""

import subprocess
import sys
from dataclasses import replace

import pytest

from crowdlog.crowd.services.background import Pulse
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import SmallCrowd

# Another worker, of which a task fails until it is killed.
FAILING = """
import sys, time
from pathlib import Path
from crowdlog.crowd.services.background import Pulse
pulse = Pulse("publishing", Path(sys.argv[1]))
with pulse.heard():
    raise RuntimeError
pulse.beat()
print("failing", flush=True)
time.sleep(600)
"""


@pytest.fixture
def crowd(tmp_path):
    with SmallCrowd(tmp_path) as small:
        yield small


def fail(pulse: Pulse) -> None:
    with pulse.heard():
        raise RuntimeError
    pulse.beat()


def test_a_worker_tells_that_another_fails(crowd):
    folder = crowd.aggregation.folder
    others = [Pulse("publishing", folder), Pulse("looking for certificates", folder)]
    for pulse in (*others, others[0]):
        fail(pulse)
    assert crowd.client.get("/health").status_code == 503
    others[0].beat()
    assert crowd.client.get("/health").status_code == 503
    others[1].beat()
    assert crowd.client.get("/health").json() == {"health": "ok"}
    assert not list(folder.glob("*.failing"))


def test_the_tasks_of_the_service_itself_are_told_to_other_workers(crowd):
    worker = replace(crowd.aggregation)  # another worker: none of its tasks runs
    for pulse in worker.pulses:
        fail(pulse)
        assert list(worker.folder.glob("*.failing"))
        pulse.beat()
    assert AppClient(worker.app()).get("/health").json() == {"health": "ok"}


def test_a_killed_worker_is_not_held_against_the_others(crowd):
    folder = crowd.aggregation.folder
    command = [sys.executable, "-c", FAILING, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as worker:
        assert worker.stdout.readline() == "failing\n"
        for _ in range(3):  # looking does not take the sign down
            assert crowd.client.get("/health").status_code == 503
        worker.kill()
        worker.wait()
    assert crowd.client.get("/health").json() == {"health": "ok"}
    assert not list(folder.glob("*.failing"))
