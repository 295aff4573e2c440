"""PostgreSQL goes away under each service: refused with 503, nothing acknowledged is lost, and work goes on
when it is back. What was deleted cannot be read from its files.
"""

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.release.folder import Release
from tests.support.postgres import Cluster
from tests.support.volunteers import K, Volunteers, options

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


def test_every_service_goes_on_and_all_is_published(cluster, tmp_path):
    """The randomness server, the first mix and the aggregation server share one cluster that goes away."""
    where = ["--database", cluster.url]
    trial = options(randomness=where, mix1=where, aggregation=where)
    terms = Terms("lost", K, limit=5, cover=False, upload_seconds=20)
    with (
        LocalServices(tmp_path / "services", options=trial) as services,
        services.operator() as operator,
    ):
        crowd = Volunteers(services, operator, terms, people=K + 1)
        crowd.join()
        sent = [one for person in crowd.mine([[MinedArtifact(("weather",), 1)]] * (K + 1)) for one in person]
        crowd.open_uploads()
        assert crowd.send(sent[:3]).json()["accepted"] == 3
        cluster.stop()
        for _ in range(2):  # the broken connection, then no connection
            _refused(crowd.send(sent[3:]))
            _refused(crowd.call("randomness", "POST", "/keys"))
            _refused(crowd.call("aggregation", "GET", f"{crowd.at}/status"))
        cluster.start()
        assert crowd.send(sent).json() == {"accepted": K - 2, "duplicates": 3, "rejected": 0}
        crowd.wait("complete")
        cluster.stop()
        cluster.start()
        out = operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        status = operator.status(crowd.manifest.id)
        assert (status["received"], status["groups"]) == (K + 1, 0)
        assert Release.open(out).queries().to_pylist() == [{"query": "weather", "count": K + 1}]
        assert all(process.poll() is None for process in services.processes.values())
