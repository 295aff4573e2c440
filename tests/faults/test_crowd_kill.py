"""kill -9 of a service at random moments under load with hostile envelopes mixed in: no acknowledged report
is lost, none counted twice, a restart needs no repair.

Hostile are strangers, whom the first mix refuses, and members: their envelopes come in at the first mix, and
hold noise for the second mix, for the aggregation server or as a report, a report with one bit changed, or
one good report again and again.
"""

import random
import threading
import time

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.credential import Credentials
from crowdlog.crowd.crypto.envelope import LAYER_OVERHEAD, seal_onion
from crowdlog.crowd.http import Connection, Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.slots import submission
from crowdlog.errors import InputError
from crowdlog.release.folder import Release
from tests.support.volunteers import RANDOM, K, Volunteers, base64_of, options

ROUNDS, PEOPLE, ARTIFACTS = 20, 16, 10
PAIRS_PER_ROUND = 3  # 16 people with 6 artifacts each are 48 pairs
HOSTILE, KINDS = 2, 5
LIMIT = 3 * ARTIFACTS


def hostile_envelope(crowd: Volunteers, report: bytes, kind: int) -> bytes:
    """An envelope of the one legal length that the first mix can open. `report`: a good one of its sender."""
    collection = crowd.manifest.collection
    publics = collection.mix_publics
    if kind < len(publics):  # noise from the first, the second or the last opening on
        inside = RANDOM.bytes(len(report) + (len(publics) - 1 - kind) * LAYER_OVERHEAD)
        return seal_onion(publics[: kind + 1], inside, RANDOM)
    if kind == len(publics):
        report = report[:-1] + bytes([report[-1] ^ 1])
    return seal_onion(publics, report, RANDOM)


def hostile_submissions(crowd: Volunteers, own: list[list[bytes]]) -> list[bytes]:
    """As many as hostile members have slots; of each kind as many."""
    made = []
    for credentials, (prepared,) in zip(crowd.credentials[-HOSTILE:], own, strict=True):
        report = crowd.layers(prepared)[-1]
        admission = Credentials.from_bytes(credentials).admission
        for slot in range(LIMIT):
            envelope = hostile_envelope(crowd, report, slot % KINDS)
            made.append(submission(crowd.manifest.collection, admission, slot, envelope, RANDOM))
    return made


class Sender(threading.Thread):
    """Sends pairs of submissions, each again and again until it was acknowledged, and every fifth once more;
    after each pair a hostile member's submission, acknowledged too, and a stranger's, which is refused.

    Goes on as `more` allows.
    """

    def __init__(
        self, url: str, path: str, sent: list[bytes], hostile: list[bytes], stop: threading.Event
    ) -> None:
        super().__init__()
        self._url, self._path, self._sent_bytes, self._stop_now = url, path, sent, stop
        self._hostile = iter(hostile)
        self.acknowledged = self.acknowledged_hostile = self.refused = 0
        self.more = threading.Semaphore(0)

    def run(self) -> None:
        with Connection(self._url, retries=0, timeout=120) as mix:
            for start in range(0, len(self._sent_bytes), 2):
                self.more.acquire()
                pair = self._sent_bytes[start : start + 2]
                taken = [self._insist(mix, pair) for _ in range(2 if start % 10 == 0 else 1)]
                self.acknowledged += len(pair) * all(taken)
                self.acknowledged_hostile += self._insist(mix, [next(self._hostile)])
                noise = pair[0][:4] + RANDOM.bytes(len(pair[0]) - 4)
                self.refused += not self._insist(mix, [noise])

    def _insist(self, mix: Connection, submissions: list[bytes]) -> bool:
        """Send until there is an answer; return whether they were taken."""
        body = {"submissions": [base64_of(one) for one in submissions]}
        while not self._stop_now.is_set():
            try:
                mix.call("POST", self._path, body)
            except Unreachable:
                time.sleep(0.05)
            except InputError:
                return False
            else:
                return True
        return False


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
    found += [[MinedArtifact(("q0",), 1)]] * HOSTILE
    honest = sum(map(len, found)) - HOSTILE
    stop = threading.Event()
    terms = Terms("killed", K, limit=LIMIT, count="impressions", cover=False, upload_seconds=300)
    trial = LocalServices(tmp_path / "services", options=options(pool=2, delay=0.2))
    with trial as services, services.operator() as operator:
        crowd = Volunteers(services, operator, terms, people=PEOPLE + HOSTILE)
        crowd.join()
        mined = crowd.mine(found)
        sent = [one for person in mined[:PEOPLE] for one in person]
        hostile = hostile_submissions(crowd, mined[PEOPLE:])
        crowd.open_uploads()
        sender = Sender(services.url("mix1"), f"{crowd.at}/envelopes", sent, hostile, stop)
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
            sender.more.release(honest)
            sender.join(timeout=900)
        finally:
            stop.set()
            sender.more.release(honest)
            sender.join()
        pairs = len(sent) // 2
        assert (sender.acknowledged, sender.acknowledged_hostile, sender.refused) == (honest, pairs, pairs)
        release = operator.publish(crowd.manifest.id, tmp_path / "crowdlog")
        status = operator.status(crowd.manifest.id)
    _assert_counted(status, honest, sent=honest + pairs, of_each_kind=pairs // KINDS)
    assert {
        row["query"]: (row["count"], row["users"]) for row in Release.open(release).queries().to_pylist()
    } == _expected(found)


def _assert_counted(status, honest: int, sent: int, of_each_kind: int) -> None:
    """Each honest report and each hostile member's good one once. What is refused is refused again after a
    kill, so of that there may be more.
    """
    first, second = status["mixes"]
    assert status["received"] == honest + HOSTILE
    assert first["accepted"] == sent
    assert second["rejected"] >= of_each_kind
    assert status["rejected"] >= 3 * of_each_kind
    assert status["duplicates"] >= of_each_kind - HOSTILE


def _expected(found) -> dict[str, tuple[int, int]]:
    counted: dict[str, list[int]] = {}
    for person in found:
        for item in person:
            counted.setdefault(item.texts[0], []).append(item.impressions)
    return {query: (sum(times), len(times)) for query, times in counted.items() if len(times) >= K}
