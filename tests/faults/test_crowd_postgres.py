"""PostgreSQL goes away under each service: refused with 503, nothing acknowledged is lost, and work goes on
when it is back. What was deleted cannot be read from its files.
"""

import psycopg
import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.report import SHARE, Report
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.release.folder import Release
from tests.support.postgres import running_cluster
from tests.support.volunteers import K, Volunteers, options

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("crowd services")]


@pytest.fixture
def cluster():
    with running_cluster() as own:
        yield own


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
        assert (status["received"], status["stored"]) == (K + 1, 0)
        assert Release.open(out).queries().to_pylist() == [{"query": "weather", "count": K + 1}]
        assert all(process.poll() is None for process in services.processes.values())


def _traces(crowd: Volunteers, submission: bytes) -> dict[str, list[bytes]]:
    """What could be recognised of a submission: pieces of each envelope and of the report, by kind."""
    *envelopes, data = crowd.layers(submission)
    report = Report.parse(data)
    return {
        "envelopes": [piece for one in envelopes for piece in (one[:64], one[-64:])],
        "reports": [report.tag, report.pseudonym, report.slot_name, data[SHARE], data[-64:]],
    }


@pytest.mark.timeout(900)
@pytest.mark.parametrize("sealed", [True, False])
def test_what_was_deleted_cannot_be_read_from_the_raw_files(cluster, tmp_path, sealed):
    """A6 on PostgreSQL: tables, dead rows and the write-ahead log, byte by byte, and the services' folders.

    As a control the same with services that keep rows as they came: there every report is found.
    """
    switch = tmp_path / "switch"
    switch.write_text("A6")
    program = ("-m", "crowdlog.cli") if sealed else ("-m", "crowdlog.attacks.old_services", str(switch))
    names = ("randomness", "mix1", "mix2", "aggregation")
    where = {name: ["--database", cluster.database(name)] for name in names}
    terms = Terms("deleted", K, limit=3, cover=False, upload_seconds=8)
    folder = tmp_path / "services"
    with (
        LocalServices(folder, options=options(**where), program=program) as services,
        services.operator() as operator,
    ):
        crowd = Volunteers(services, operator, terms, people=K)
        crowd.join()
        found = [[MinedArtifact((text,), 1) for text in ("weather", f"alone {one}")] for one in range(K)]
        sent = [one for person in crowd.mine(found) for one in person]
        traces = [_traces(crowd, one) for one in sent]
        crowd.open_uploads()
        assert crowd.send(sent).json()["accepted"] == 2 * K
        crowd.wait("complete")
        assert _found(traces, "reports", cluster.raw()) == (0 if sealed else 2 * K)
        with psycopg.connect(where["aggregation"][1]) as connection:
            stored = [bytes(row[0]) for row in connection.execute("SELECT report FROM reports")]
        key = (folder / "aggregation" / f"{crowd.manifest.id}.rows").read_bytes()
        operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        assert operator.status(crowd.manifest.id)["stored"] == 0
        raw = cluster.raw()
        own = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert len(stored) == 2 * K
    assert any(row in raw for row in stored)  # a database keeps what was deleted: so its key must go
    assert key not in own + raw
    assert _found(traces, "reports", raw) == (0 if sealed else 2 * K)
    assert _found(traces, "envelopes", raw) == 0
    if sealed:
        assert _found(traces, "reports", own) == _found(traces, "envelopes", own) == 0


def _found(traces: list[dict[str, list[bytes]]], kind: str, raw: bytes) -> int:
    """Of how many submissions a piece stands in these bytes."""
    return sum(any(piece in raw for piece in one[kind]) for one in traces)
