"""kill -9 of a service while a nested collection is closed and while it is published: the key is gone for
good, no report lost or counted twice.
"""

import base64
import random
import threading
import time
from collections import defaultdict

import httpx
import pytest

from crowdlog.crowd.artifact import MinedArtifact
from crowdlog.crowd.crypto.voprf import blind
from crowdlog.crowd.http import Unreachable
from crowdlog.crowd.operator import Terms
from crowdlog.crowd.services.local import LocalServices
from crowdlog.crowd.simulated_client import play_mining, play_sending
from crowdlog.errors import CrowdlogError
from crowdlog.privacy.randomness import SystemRandomness
from crowdlog.release.folder import Release

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
    mix = ["--rate", "0", "--batch", "4", "--delay", "0.1"]
    options = {
        "randomness": ["--rate", "0", "--elements", "0"],
        "mix1": mix,
        "mix2": mix,
        "aggregation": ["--rate", "0"],
    }
    terms = Terms("killed", K, limit=20, count="impressions", inner_artifact="click", inner_k=INNER_K)
    with LocalServices(tmp_path / "services", options=options) as services, services.operator() as operator:
        for number, (at_close, at_publish) in enumerate(SCHEDULE):
            manifest, invitations = operator.create(terms, PEOPLE)
            envelopes = play_mining(
                manifest.to_json(), operator.aggregation.url, list(zip(invitations, people, strict=True))
            )
            _while_dying(
                services, at_close, draw.uniform(0, 0.05), lambda name=manifest.id: operator.close(name)
            )
            _gone(services, manifest.collection.voprf_public.hex())
            play_sending(manifest.mix, envelopes)
            out = tmp_path / f"crowdlog{number}"
            _while_dying(
                services,
                at_publish,
                draw.uniform(0, 2.0),
                lambda name=manifest.id, to=out: to.exists() or operator.publish(name, to),
            )
            status = operator.status(manifest.id)
            assert (status["phase"], status["received"], status["groups"]) == ("published", 2 * PEOPLE, 0)
            release = Release.open(out)
            assert {name: _rows(release.table(name)) for name in ("queries", "clicks")} == _expected(people)


def _gone(services: LocalServices, public: str) -> None:
    """No key on disk, and the server refuses to evaluate under it."""
    assert not list((services.folder / "randomness").glob("*.key*"))
    element = base64.b64encode(blind(b"x", SystemRandomness()).element).decode()
    answer = httpx.post(
        f"{services.url('randomness')}/keys/{public}/evaluate", json={"elements": [element]}, timeout=60
    )
    assert answer.status_code == 410


def _rows(table) -> dict[tuple[str, ...], tuple[int, int]]:
    return {
        tuple(v for v in row.values() if isinstance(v, str)): (row["count"], row["users"])
        for row in table.to_pylist()
    }
