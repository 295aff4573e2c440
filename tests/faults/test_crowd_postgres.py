"""PostgreSQL goes away under each service: refused with 503, nothing acknowledged is lost, and work goes on
when it is back.
"""

import base64
import time

import pytest

from crowdlog.crowd.crypto.envelope import MixKey, seal_onion
from tests.support.postgres import Cluster
from tests.support.serving import served
from tests.support.volunteers import RANDOM, K, Volunteers, base64_of

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]


@pytest.fixture
def cluster():
    own = Cluster()
    own.start()
    try:
        yield own
    finally:
        own.stop()
        own.remove()


def _refused(answer) -> None:
    assert answer.status_code == 503
    assert answer.json() == {
        "error": "The database of this service cannot be used now; nothing was stored. Try again later."
    }


def test_the_aggregation_server_goes_on_and_publishes_all(cluster, tmp_path):
    with served("aggregation", tmp_path / "data", "--database", cluster.url) as server:
        crowd = Volunteers(server)
        envelopes = [crowd.envelope(crowd.join(), "weather") for _ in range(K + 1)]
        assert server.call("POST", f"{crowd.at}/uploads").status_code == 200
        assert crowd.send(envelopes[:3]).json()["accepted"] == 3
        cluster.stop()
        for _ in range(2):  # the broken connection, then no connection
            _refused(crowd.send(envelopes[3:]))
            _refused(server.call("GET", f"{crowd.at}/status"))
        cluster.start()
        assert crowd.send(envelopes).json() == {"accepted": K - 2, "duplicates": 3, "rejected": 0}
        assert crowd.status()["received"] == K + 1
        assert server.call("POST", f"{crowd.at}/publish", {"smallest_batch": 1}).status_code == 202
        cluster.stop()  # before, while or after the crowd log is written
        cluster.start()
        deadline = time.monotonic() + 120
        # the first call may meet the lost connection
        while server.call("GET", crowd.at).json().get("phase") != "published":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert server.call("GET", f"{crowd.at}/release/label.json").json()["crowdlog"]["tables"] == {
            "queries": 1
        }
        assert crowd.status()["groups"] == 0
        assert server.process.poll() is None


def test_the_randomness_server_goes_on(cluster, tmp_path):
    with served("randomness", tmp_path / "data", "--database", cluster.url) as server:
        public = server.call("POST", "/keys", {"budget": 9}).json()["public"]
        cluster.stop()
        for _ in range(2):
            _refused(server.call("POST", "/keys", {"budget": 9}))
            _refused(server.call("DELETE", f"/keys/{public}"))
        cluster.start()
        # what was refused was not done
        assert server.call("GET", f"/keys/{public}").json()["state"] == "open"
        assert server.call("DELETE", f"/keys/{public}").status_code == 200
        assert server.call("GET", f"/keys/{public}").json()["state"] == "destroyed"
        assert not list((tmp_path / "data").glob("*.key"))


def test_a_mix_goes_on(cluster, tmp_path):
    with served("mix", tmp_path / "data", "--database", cluster.url) as node:
        public = base64.b64decode(node.call("GET", "/key").json()["public"])
        body = {
            "envelopes": [
                base64_of(seal_onion([public, MixKey.generate(RANDOM).public], bytes(600), RANDOM))
                for _ in range(4)
            ]
        }
        assert node.call("POST", "/envelopes", body).json()["accepted"] == 4
        cluster.stop()
        for _ in range(2):
            _refused(node.call("POST", "/envelopes", body))
        cluster.start()
        assert node.call("POST", "/envelopes", body).json() == {"accepted": 0, "duplicates": 4, "rejected": 0}
        assert node.call("GET", "/status").json()["waiting"] == 4
