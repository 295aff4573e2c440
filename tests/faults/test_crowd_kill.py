"""kill -9 of a service at random moments under load: no acknowledged report is lost, none counted twice, a
restart needs no repair.
"""

import random
import threading
import time

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.http import Connection, Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.fields import to_base64
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_mining
from crowdlog.release.folder import Release

ROUNDS, PEOPLE, ARTIFACTS, K = 20, 16, 10, 5
PAIRS_PER_ROUND = 3  # 16 people with 6 artifacts each are 48 pairs


class Sender(threading.Thread):
    """Sends pairs of envelopes, each again and again until it was acknowledged, and every fifth once more.

    Goes on as `more` allows.
    """

    def __init__(self, url: str, envelopes: list[bytes], stop: threading.Event) -> None:
        super().__init__()
        self._url, self._envelopes, self._stop_now, self.acknowledged = url, envelopes, stop, 0
        self.more = threading.Semaphore(0)

    def run(self) -> None:
        with Connection(self._url, retries=0, timeout=120) as mix:
            for start in range(0, len(self._envelopes), 2):
                self.more.acquire()
                pair = {"envelopes": [to_base64(envelope) for envelope in self._envelopes[start : start + 2]]}
                for _ in range(2 if start % 10 == 0 else 1):
                    while not self._sent(mix, pair):
                        if self._stop_now.is_set():
                            return
                        time.sleep(0.05)
                self.acknowledged += len(pair["envelopes"])

    def _sent(self, mix: Connection, pair: dict) -> bool:
        try:
            mix.call("POST", "/envelopes", pair)
        except Unreachable:
            return False
        return True


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_twenty_kills_lose_and_double_nothing(tmp_path):
    draw = random.Random(11)
    found = [
        [
            MinedArtifact((f"q{number}",), 1 + person % 3)
            for number in range(ARTIFACTS)
            if number < 5 or number == 5 + person % 5
        ]
        for person in range(PEOPLE)
    ]
    reports = sum(map(len, found))
    no_limits = ["--rate", "0"]
    mix = [*no_limits, "--batch", "4", "--delay", "0.2"]
    options = {
        "randomness": [*no_limits, "--elements", "0"],
        "mix1": mix,
        "mix2": mix,
        "aggregation": no_limits,
    }
    stop = threading.Event()
    with LocalServices(tmp_path / "services", options=options) as services, services.operator() as operator:
        manifest, invitations = operator.create(
            Terms("killed", K, limit=3 * ARTIFACTS, count="impressions"), PEOPLE
        )
        envelopes = play_mining(
            manifest.to_json(), operator.aggregation.url, list(zip(invitations, found, strict=True))
        )
        operator.close(manifest.id)
        sender = Sender(manifest.mix, [envelope for person in envelopes for envelope in person], stop)
        sender.start()
        try:
            for _ in range(ROUNDS):
                sender.more.release(PAIRS_PER_ROUND)
                # before, while or after they are accepted, passed on, stored
                time.sleep(draw.uniform(0.0, 0.3))
                name = draw.choice(services.names)
                services.kill(name)
                services.start(name)
                services.wait_ready(name)
            sender.more.release(reports)
            sender.join(timeout=900)
        finally:
            stop.set()
            sender.more.release(reports)
            sender.join()
        assert sender.acknowledged == reports
        release = operator.publish(manifest.id, tmp_path / "crowdlog")
        status = operator.status(manifest.id)
    assert status["received"] == reports
    assert {
        row["query"]: (row["count"], row["users"]) for row in Release.open(release).queries().to_pylist()
    } == _expected(found)


def _expected(found) -> dict[str, tuple[int, int]]:
    counted: dict[str, list[int]] = {}
    for person in found:
        for item in person:
            counted.setdefault(item.texts[0], []).append(item.impressions)
    return {query: (sum(times), len(times)) for query, times in counted.items() if len(times) >= K}
