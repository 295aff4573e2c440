"""What a member has to do next, told without asking anybody."""

import dataclasses

import pytest

from crowdlog.crowd.client.client_store import ClientStore
from crowdlog.crowd.client.reminders import reminders
from crowdlog.crowd.client.reports import Prepared
from crowdlog.crowd.manifest import Job
from crowdlog.crowd.operator import Terms
from tests.support.manifests import KEYS, PARTIES

UNTIL, WINDOW = 2_000_000, 1000


@pytest.fixture
def store(tmp_path):
    with ClientStore(tmp_path) as own:
        terms = Terms("What we search", 5, upload_seconds=WINDOW)
        manifest = dataclasses.replace(terms, job=Job(mining_from=1_000_000)).manifest(PARTIES, KEYS, UNTIL)
        own.begin(manifest, "http://x.invalid", "invitation", b"pending")
        yield own, manifest


def told(own, now: float) -> list[str]:
    return [one.what for one in reminders(own, now)]


def test_each_step_is_told_until_its_time_has_passed(store):
    own, manifest = store
    assert told(own, 900_000) == ["join again: the answer was lost"]
    own.joined(manifest.id, b"credentials")
    assert told(own, 900_000) == ["mine, from 1970-01-12 13:46 UTC on"]
    assert told(own, 1_500_000) == ["mine"]
    assert told(own, UNTIL) == []
    own.begin_preparing(manifest.id, b"seed", [])
    own.fill(manifest.id, b"seed", [(Prepared(0, "a", b"x"), 0.5), (Prepared(1, "", b"y"), 0.7)])
    (one,) = reminders(own, 1_500_000)
    assert (one.what, one.until) == ("send (2 reports wait)", "1970-01-24 03:50 UTC at the latest")
    assert told(own, UNTIL + WINDOW) == []
    own.leave(manifest.id)
    assert told(own, 1_500_000) == []
