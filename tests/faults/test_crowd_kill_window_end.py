"""kill -9 of each service in turn when the upload window ends: while batches are on their way, while they are
opened, and while the crowd log is decided. What is published is what is published without a kill.

The party that envelopes go to is frozen, so that a handover is under way for certain when one of its two ends
dies; the other moments are met as they come.
"""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager

import httpx
import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.signing import SigningKey
from crowdlog.crowd.operator import Operator, Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.release.folder import Release
from tests.support.volunteers import K, Volunteers, base64_of, options

PEOPLE, WINDOW_SECONDS = 7, 5
DECIDED = ("publishing", "ready")  # the first of them may be over before anybody has seen it
# Half of the people have each of these, and all have the first five.
FOUND = [
    [
        MinedArtifact((f"q{number}",), 1 + person % 3)
        for number in range(12)
        if number < 5 or number % 2 == person % 2
    ]
    for person in range(PEOPLE)
]


def until(condition: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def asked(crowd: Volunteers, name: str, what: str = "") -> dict:
    """What a service says of the collection; nothing while it is dead."""
    try:
        return crowd.call(name, "GET", crowd.at + what).json()
    except httpx.TransportError:
        return {}


@contextmanager
def frozen(services: LocalServices, name: str):
    """This service answers nobody; what is sent to it waits in its socket."""
    process = services.processes[name]
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)  # nothing happens to one that was killed meanwhile


def restart(services: LocalServices, name: str) -> None:
    services.kill(name)
    services.start(name)


def on_its_way(crowd: Volunteers, sender: str) -> bool:
    """The sender has formed its last batches and holds them: the frozen party gives no receipt."""
    return asked(crowd, sender).get("state") == "draining" and asked(crowd, sender, "/status")["held"] > 0


def dies_while_sending(crowd: Volunteers, sender: str, receiver: str) -> None:
    """The request of the dead is taken when the receiver wakes; its receipt reaches nobody."""
    with frozen(crowd.services, receiver):
        until(lambda: on_its_way(crowd, sender))
        time.sleep(0.3)  # the request is in the receiver's socket
        restart(crowd.services, sender)
        crowd.services.wait_ready(sender)


def dies_while_receiving(crowd: Volunteers, sender: str, receiver: str) -> None:
    with frozen(crowd.services, receiver):
        until(lambda: on_its_way(crowd, sender))
        time.sleep(0.3)
        restart(crowd.services, receiver)
    crowd.services.wait_ready(receiver)


def dies_when(crowd: Volunteers, victim: str, condition: Callable[[], bool]) -> None:
    until(condition)
    restart(crowd.services, victim)
    crowd.services.wait_ready(victim)


def kill_nobody(_crowd: Volunteers) -> None:
    """The collection that the others are held against."""


def kill_randomness(crowd: Volunteers) -> None:
    dies_when(crowd, "randomness", lambda: asked(crowd, "mix1").get("state") == "draining")


def kill_mix1(crowd: Volunteers) -> None:
    dies_while_sending(crowd, "mix1", "mix2")
    # what it passes on again is known there: it may forget, and say that it is empty
    dies_when(crowd, "mix1", lambda: asked(crowd, "mix2").get("state") != "open")


def kill_mix2(crowd: Volunteers) -> None:
    with frozen(
        crowd.services, "aggregation"
    ):  # from the first: else all may be there before the second kill
        dies_while_receiving(crowd, "mix1", "mix2")
        dies_while_sending(crowd, "mix2", "aggregation")
    dies_when(crowd, "mix2", lambda: asked(crowd, "aggregation").get("phase") != "uploading")


def kill_aggregation(crowd: Volunteers) -> None:
    dies_while_receiving(crowd, "mix2", "aggregation")
    dies_when(crowd, "aggregation", lambda: asked(crowd, "aggregation", "/status").get("received", 0) > 0)
    dies_when(crowd, "aggregation", lambda: asked(crowd, "aggregation").get("phase") in DECIDED)


class Publishing(threading.Thread):
    """The operator, who is told once that the window has ended and waits for the crowd log."""

    def __init__(self, operator: Operator, crowd: Volunteers, out) -> None:
        super().__init__()
        self._operator, self._name, self._out = operator, crowd.manifest.id, out
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self._operator.publish(self._name, self._out, seconds=120)
        except Exception as error:  # told by the test
            self.error = error


def acknowledged(crowd: Volunteers, submissions: list[bytes]) -> int:
    """Send as soon as the uploads are open; return how many the first mix took."""
    body = {"submissions": [base64_of(one) for one in submissions]}
    crowd.operator.close(crowd.manifest.id)
    until(lambda: asked(crowd, "mix1").get("state") == "open")
    answer = crowd.call("mix1", "POST", f"{crowd.at}/envelopes", body, operator=False)
    return answer.json()["accepted"]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("crowd services")
def test_kills_at_the_end_of_the_window_change_nothing_that_is_published(tmp_path):
    reports = sum(map(len, FOUND))
    terms = Terms("killed", K, limit=40, count="impressions", cover=False, upload_seconds=WINDOW_SECONDS)
    tables = {}
    trial = LocalServices(tmp_path / "services", options=options())
    with trial as services, services.operator() as operator:
        for kill in (kill_nobody, kill_randomness, kill_mix1, kill_mix2, kill_aggregation):
            crowd = Volunteers(services, operator, terms, people=PEOPLE)
            crowd.join()
            sent = [one for person in crowd.mine(FOUND) for one in person]
            assert acknowledged(crowd, sent) == reports
            operator.wait_open(crowd.manifest.id)
            publishing = Publishing(operator, crowd, tmp_path / kill.__name__)
            publishing.start()
            kill(crowd)
            publishing.join(300)
            assert not publishing.is_alive()
            assert publishing.error is None, kill.__name__
            status = operator.status(crowd.manifest.id)
            assert [status[name] for name in ("phase", "received", "stored")] == ["ready", reports, 0]
            assert [(mix["held"], mix["accepted"]) for mix in status["mixes"]] == [(0, reports)] * 2
            tables[kill.__name__] = rows(tmp_path / kill.__name__)
    assert len(tables["kill_nobody"]) >= 5
    assert set(map(repr, tables.values())) == {repr(tables["kill_nobody"])}


@pytest.mark.xdist_group("crowd services")
def test_the_operator_waits_for_a_mix_that_does_not_know_yet_that_it_is_empty(tmp_path):
    """As when the last mix is killed after its last message was heard and before it was answered."""
    terms = Terms("late", K, cover=False, upload_seconds=4)
    trial = LocalServices(tmp_path / "services", options=options())
    with trial as services, services.operator() as operator:
        crowd = Volunteers(services, operator, terms)
        crowd.open_uploads()
        own = SigningKey.from_bytes((services.folder / "mix2" / "signing.key").read_bytes())
        body = {"signature": base64_of(own.sign("final", crowd.manifest.collection.id))}
        assert crowd.call("aggregation", "POST", f"{crowd.at}/final", body).json()["phase"] == "complete"
        assert asked(crowd, "mix2")["state"] == "open"
        release = operator.publish(crowd.manifest.id, tmp_path / "crowdlog", seconds=60)
        assert asked(crowd, "mix2")["state"] == "ended"
    assert Release.open(release).queries().num_rows == 0


def rows(folder) -> list[dict]:
    return sorted(Release.open(folder).queries().to_pylist(), key=lambda row: row["query"])
