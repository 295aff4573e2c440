"""kill -9 of a service at random moments under load with hostile envelopes mixed in: no acknowledged report
is lost, none counted twice, a restart needs no repair.
"""

import random
import threading
import time

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.http import Connection, Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.errors import InputError
from crowdlog.release.folder import Release
from tests.support.volunteers import RANDOM, K, Volunteers, base64_of, options

ROUNDS, PEOPLE, ARTIFACTS = 20, 16, 10
PAIRS_PER_ROUND = 3  # 16 people with 6 artifacts each are 48 pairs


class Sender(threading.Thread):
    """Sends pairs of submissions, each again and again until it was acknowledged, and every fifth once more;
    after each pair noise of the right length, which is refused.

    Goes on as `more` allows.
    """

    def __init__(self, url: str, path: str, sent: list[bytes], stop: threading.Event) -> None:
        super().__init__()
        self._url, self._path, self._sent_bytes, self._stop_now = url, path, sent, stop
        self.acknowledged = 0
        self.more = threading.Semaphore(0)

    def run(self) -> None:
        with Connection(self._url, retries=0, timeout=120) as mix:
            for start in range(0, len(self._sent_bytes), 2):
                self.more.acquire()
                pair = self._sent_bytes[start : start + 2]
                for _ in range(2 if start % 10 == 0 else 1):
                    while not self._sent(mix, pair):
                        if self._stop_now.is_set():
                            return
                        time.sleep(0.05)
                self.acknowledged += len(pair)
                noise = pair[0][:4] + RANDOM.bytes(len(pair[0]) - 4)
                while not self._sent(mix, [noise]) and not self._stop_now.is_set():
                    time.sleep(0.05)

    def _sent(self, mix: Connection, pair: list[bytes]) -> bool:
        try:
            mix.call("POST", self._path, {"submissions": [base64_of(one) for one in pair]})
        except Unreachable:
            return False
        except InputError:  # noise is refused; anything else would end the test by a missing report
            return len(pair) == 1
        return True


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.xdist_group("crowd services")
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
    stop = threading.Event()
    terms = Terms("killed", K, limit=3 * ARTIFACTS, count="impressions", cover=False, upload_seconds=150)
    trial = LocalServices(tmp_path / "services", options=options(pool=2, delay=0.2))
    with trial as services, services.operator() as operator:
        crowd = Volunteers(services, operator, terms, people=PEOPLE)
        crowd.join()
        sent = [one for person in crowd.mine(found) for one in person]
        crowd.open_uploads()
        sender = Sender(services.url("mix1"), f"{crowd.at}/envelopes", sent, stop)
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
        release = operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        status = operator.status(crowd.manifest.id)
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
