"""kill -9 of a service while a nested collection is closed and while it is published: the key is gone for
good, no report lost or counted twice.
"""

import random
import threading
import time
from collections import defaultdict

import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.slots import SLOT_REQUEST_SIZE
from crowdlog.errors import CrowdlogError
from crowdlog.release.folder import Release
from tests.support.volunteers import Volunteers, base64_of, options

PEOPLE, K, INNER_K = 7, 5, 6
# Who dies while the collection is closed, and who while it is published.
SCHEDULE = [
    ("randomness", "mix1"),
    ("aggregation", "aggregation"),
    ("mix1", "mix2"),
    ("randomness", "aggregation"),
    ("aggregation", "randomness"),
]


def _again(work) -> None:
    """Repeat what an operator would repeat: a step that a dead service stopped."""
    deadline = time.monotonic() + 600
    while True:
        try:
            return work()
        except (Unreachable, CrowdlogError):
            assert time.monotonic() < deadline


def _while_dying(services: LocalServices, name: str, seconds: float, work) -> None:
    """Do the work; meanwhile the service dies and is started again."""
    thread = threading.Thread(target=_again, args=(work,))
    thread.start()
    time.sleep(seconds)
    services.kill(name)
    services.start(name)
    services.wait_ready(name)
    thread.join(600)
    assert not thread.is_alive()


def _people() -> list[list[MinedArtifact]]:
    """All have a query; some clicks of it are common enough, others are not."""

    def clicks(person: int) -> tuple[MinedArtifact, ...]:
        rare = (MinedArtifact(("all", "http://rare.example"), 1),) if person < K else ()
        return (MinedArtifact(("all", "http://all.example"), 1 + person % 2), *rare)

    return [
        [MinedArtifact(("all",), 2, clicks(person)), MinedArtifact((f"alone {person}",), 1)]
        for person in range(PEOPLE)
    ]


def _expected(people: list[list[MinedArtifact]]) -> dict[str, dict[tuple[str, ...], tuple[int, int]]]:
    counted: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for found in people:
        for item in found:
            for one in (item, *item.inner):
                counted[one.texts].append(one.impressions)
    bars = {1: K, 2: INNER_K}
    kept = {
        texts: (sum(times), len(times)) for texts, times in counted.items() if len(times) >= bars[len(texts)]
    }
    return {
        name: {texts: numbers for texts, numbers in kept.items() if len(texts) == parts}
        for name, parts in (("queries", 1), ("clicks", 2))
    }


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.xdist_group("crowd services")
def test_kills_while_closing_and_publishing(tmp_path):
    draw, people = random.Random(17), _people()
    terms = Terms(
        "killed",
        K,
        limit=20,
        count="impressions",
        inner_artifact="click",
        inner_k=INNER_K,
        cover=False,
        upload_seconds=6,
    )
    trial = LocalServices(tmp_path / "services", options=options(pool=4))
    with trial as services, services.operator() as operator:
        for number, (at_close, at_publish) in enumerate(SCHEDULE):
            crowd = Volunteers(services, operator, terms, people=PEOPLE)
            crowd.join()
            sent = [one for person in crowd.mine(people) for one in person]
            _while_dying(services, at_close, draw.uniform(0, 0.05), crowd.open_uploads)
            _gone(crowd)
            assert crowd.send(sent).json()["accepted"] == 2 * PEOPLE
            out = tmp_path / f"crowdlog{number}"
            _while_dying(
                services,
                at_publish,
                draw.uniform(0, 8.0),
                lambda name=crowd.manifest.id, to=out: to.exists() or operator.publish(name, to),
            )
            status = operator.status(crowd.manifest.id)
            assert (status["phase"], status["received"], status["stored"]) == ("ready", 2 * PEOPLE, 0)
            release = Release.open(out)
            assert {name: _rows(release.table(name)) for name in ("queries", "clicks")} == _expected(people)


def _gone(crowd: Volunteers) -> None:
    """No key on disk, and the server refuses to evaluate under it."""
    public = crowd.manifest.collection.voprf_public.hex()
    assert not list((crowd.services.folder / "randomness").glob(f"{public}.key*"))
    body = {"slots": [base64_of(bytes(SLOT_REQUEST_SIZE))]}
    assert crowd.call("randomness", "POST", f"{crowd.at}/evaluate", body).status_code == 410


def _rows(table) -> dict[tuple[str, ...], tuple[int, int]]:
    return {
        tuple(v for v in row.values() if isinstance(v, str)): (row["count"], row["users"])
        for row in table.to_pylist()
    }
