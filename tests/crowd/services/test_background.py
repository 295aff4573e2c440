"""A task in the background that fails is seen in /health and in the metrics, keeps nothing else waiting, and
is begun again.
"""

import asyncio
import logging
import time

import pytest

from crowdlog.crowd.services.background import Pulse
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import OPERATOR, SmallCrowd

SECRET = "what somebody searched for"


def wait_for(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def failing():
    raise RuntimeError(SECRET)


# Each task, and what it needs at every round.
TASKS = [
    ("randomness", "destroying keys", lambda crowd: (crowd.server, "destroy_due")),
    ("mix", "sending batches", lambda crowd: (crowd.mixes[0]._batches, "not_ended")),
    ("mix", "sending batches", lambda crowd: (crowd.mixes[0].sender, "_formed")),
    ("aggregation", "publishing", lambda crowd: (crowd.aggregation._publisher, "_try_all")),
    ("aggregation", "looking for certificates", lambda crowd: (crowd.aggregation._store, "drop_destroyed")),
    ("aggregation", "looking for certificates", lambda crowd: (crowd.aggregation, "_manifest")),
]


@pytest.mark.parametrize(("name", "task", "part"), TASKS)
def test_a_failing_task_is_seen_and_begun_again(tmp_path, monkeypatch, caplog, name, task, part):
    caplog.set_level(logging.DEBUG, logger="crowdlog")
    with SmallCrowd(tmp_path) as crowd:
        service = {"randomness": crowd.server, "mix": crowd.mixes[0], "aggregation": crowd.aggregation}[name]
        pulse = next(one for one in service.pulses if one.task == task)
        holder, method = part(crowd)
        asked = service.ask_database
        monkeypatch.setattr(service, "ask_database", lambda: None)
        app = crowd.client if name == "aggregation" else AppClient(service.app()).__enter__()
        assert app.get("/health").status_code == 200
        with monkeypatch.context() as patch:
            patch.setattr(holder, method, lambda *_arguments: failing())
            if name == "aggregation":
                crowd.aggregation._publisher.wake()
            wait_for(lambda: pulse.failing)
            answer = app.get("/health")
            assert answer.status_code == 503
            assert answer.json()["error"].startswith("What this service does in the background has failed")
            wait_for(lambda: pulse.failures > 1 or task == "publishing")  # tried again
        shown = app.get("/metrics", headers=OPERATOR).text
        assert f'crowdlog_task_failures{{task="{task}"}} {pulse.failures}' in shown
        assert f'crowdlog_task_failing{{task="{task}"}}' in shown
        wait_for(lambda: not pulse.failing)
        assert app.get("/health").json() == {"health": "ok"}
        monkeypatch.setattr(service, "ask_database", asked)
        assert SECRET not in caplog.text
        assert "RuntimeError" in caplog.text
        if name != "aggregation":
            app.__exit__()


def test_a_crowd_log_that_cannot_be_made_is_seen_and_keeps_no_other_waiting(tmp_path):
    with SmallCrowd(tmp_path) as crowd:
        crowd.open_uploads()
        crowd.end()
        (tmp_path / "aggregation" / f"{crowd.manifest.id}.rows").unlink()
        assert crowd.publish().status_code == 202
        wait_for(lambda: crowd.client.get("/health").status_code == 503)
        crowd.manifest = crowd.create()
        crowd.open_uploads()
        crowd.end()
        assert crowd.publish().status_code == 202
        crowd.wait("ready")
        assert crowd.client.get("/health").status_code == 503


def test_a_task_that_ends_by_itself_has_failed():
    async def run() -> Pulse:
        pulse = Pulse("short")

        async def work() -> None:
            return

        kept = asyncio.create_task(pulse.keep(work))
        await asyncio.sleep(0.05)
        kept.cancel()
        return pulse

    pulse = asyncio.run(run())
    assert (pulse.failures, pulse.failing) == (1, True)
