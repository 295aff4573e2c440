"""A service says whether it works, and its counts to whoever holds the token, in Prometheus' words."""

import re

import pytest

from crowdlog.crowd.services.health import exposition
from crowdlog.crowd.services.limits import Limits
from crowdlog.crowd.services.mix import MixNode
from crowdlog.crowd.services.storage import StorageDown
from crowdlog.privacy.randomness import SystemRandomness
from tests.crowd.services.calling import AppClient
from tests.crowd.services.members import SmallCrowd

TOKEN = "t" * 32


@pytest.fixture
def mix(tmp_path):
    node = MixNode(tmp_path, SystemRandomness(), TOKEN, Limits())
    yield node
    node.close()


def test_health_and_metrics(mix, monkeypatch):
    monkeypatch.setattr(mix, "measures", lambda: {"ab": {"held": 3, "passed": 5}, "cd": {"held": 0}})
    client = AppClient(mix.app())
    assert client.get("/health").json() == {"health": "ok"}
    assert client.get("/metrics").status_code == 401
    shown = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert shown.headers["content-type"].startswith("text/plain")
    assert shown.text.splitlines() == [
        "# TYPE crowdlog_held gauge",
        'crowdlog_held{collection="ab"} 3',
        'crowdlog_held{collection="cd"} 0',
        "# TYPE crowdlog_passed gauge",
        'crowdlog_passed{collection="ab"} 5',
        "# TYPE crowdlog_task_failures counter",
        'crowdlog_task_failures{task="sending batches"} 0',
        "# TYPE crowdlog_task_failing gauge",
        'crowdlog_task_failing{task="sending batches"} 0',
    ]


def test_a_lost_database_is_no_health(mix, monkeypatch):
    def lost():
        raise StorageDown("The database of this service cannot be used now.")

    monkeypatch.setattr(mix._batches._database, "transaction", lost)
    assert AppClient(mix.app()).get("/health").status_code == 503


@pytest.mark.parametrize("name", ["server", "aggregation", "mixes"])
def test_health_counts_nothing_because_anybody_may_ask(tmp_path, monkeypatch, name):
    with SmallCrowd(tmp_path) as crowd:
        service = getattr(crowd, name)
        service = service[0] if name == "mixes" else service

        def counted():
            raise AssertionError("counted")

        monkeypatch.setattr(service, "measures", counted)
        assert AppClient(service.app()).get("/health").json() == {"health": "ok"}


def test_nothing_is_exposed_before_there_is_a_collection(mix):
    assert mix.measures() == {}
    assert exposition({}) == ""
    assert re.fullmatch(r"(#.*\n|crowdlog_\w+\{collection=\"\w+\"\} \d+\n)*", exposition({"a": {"b": 1}}))
